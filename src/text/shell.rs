//! Words of a command line.

use std::path::Path;

/// A path as a shell takes it: in quotes where it has blanks, or signs that mean something to a shell.
pub fn shell_path(path: impl AsRef<Path>) -> String {
    let text = path.as_ref().display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./\\:+,@".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_as_a_shell_takes_them() {
        assert_eq!(shell_path("a/b-1.toml"), "a/b-1.toml");
        assert_eq!(shell_path("my keys.toml"), "'my keys.toml'");
        assert_eq!(shell_path("it's.toml"), r"'it'\''s.toml'");
    }
}
