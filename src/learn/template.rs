//! A text with places for values. Must not know what it is about.

use std::collections::BTreeMap;

/// Values by the names of their places.
pub type Values = BTreeMap<&'static str, String>;

/// The template with `{name}` replaced by the value of that name. A line with a place whose value is not there is left out; so is a whole paragraph
/// with a line `{?name}` where that value is not there.
pub fn filled(template: &str, values: &Values) -> String {
    let is_wanted = |paragraph: &&str| {
        let mut conditions = paragraph.lines().filter_map(condition);
        conditions.all(|name| values.contains_key(name))
    };
    let paragraphs = template.trim_end().split("\n\n").filter(is_wanted);
    let paragraphs = paragraphs.map(|paragraph| {
        let lines = paragraph.lines().filter(|line| condition(line).is_none());
        let lines = lines.filter_map(|line| line_of(line, values));
        lines.collect::<Vec<String>>().join("\n")
    });
    paragraphs.collect::<Vec<String>>().join("\n\n") + "\n"
}

fn condition(line: &str) -> Option<&str> {
    line.strip_prefix("{?")?.strip_suffix('}')
}

fn line_of(line: &str, values: &Values) -> Option<String> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    let mut pieces = line.split('{');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('}') {
            Some((name, rest)) if !name.is_empty() && name.chars().all(is_letter) => {
                text += values.get(name)?;
                text += rest;
            }
            // A brace of the text's own.
            _ => text = text + "{" + piece,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_is_left_out() {
        let values = Values::from([("a", "1".to_owned()), ("b", "x { y }".to_owned())]);
        let template = "a = {a}\nc = {c}\nt = { k = {b} }\n\n{?c}\nlost\n\n{?a}\nkept\n";
        assert_eq!(
            filled(template, &values),
            "a = 1\nt = { k = x { y } }\n\nkept\n"
        );
    }
}
