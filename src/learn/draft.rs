//! A scenario file that says where its numbers come from: tables, settings and comments in their order. Must not know what they mean.

/// Columns that a comment takes.
const WIDTH: usize = 116;

/// The text of a scenario file in the making.
#[derive(Debug, Default)]
pub struct Draft(String);

impl Draft {
    /// A comment, wrapped.
    pub fn note(&mut self, text: &str) {
        let mut line = String::from("#");
        for word in text.split_whitespace() {
            if line.len() + word.len() >= WIDTH {
                self.line(&line);
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }

    /// A table's head, behind an empty line.
    pub fn table(&mut self, name: &str) {
        self.line("");
        self.line(&format!("[{name}]"));
    }

    /// A setting, its value in TOML.
    pub fn set(&mut self, key: &str, value: &str) {
        self.line(&format!("{key} = {value}"));
    }

    /// A question behind an empty line, and what to write once it is answered: as comments, to be taken off.
    pub fn ask(&mut self, question: &str, answer: &[String]) {
        self.line("");
        self.note(question);
        answer
            .iter()
            .for_each(|line| self.line(&format!("# {line}")));
    }

    /// A line as it is.
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// The file.
    pub fn text(self) -> String {
        self.0
    }
}
