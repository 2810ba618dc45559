//! Pieces of SVG text: colours, coordinates, attributes, escaped characters. Must not know shapes.

use crate::report::literals::literals;
use crate::report::number::trimmed;
use crate::text::is_hidden;
use plotters::style::RGBColor;

/// A colour and how much of it covers what lies below (0 to 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// The colour.
    pub colour: RGBColor,
    /// 1 is opaque.
    pub opacity: f64,
}

impl From<RGBColor> for Paint {
    fn from(colour: RGBColor) -> Self {
        Self {
            colour,
            opacity: 1.0,
        }
    }
}

/// Two decimals are finer than any screen shows.
pub fn coordinate(px: f64) -> String {
    trimmed(px, 2)
}

/// `x y`, as paths take it.
pub fn point((x, y): (f64, f64)) -> String {
    format!("{} {}", coordinate(x), coordinate(y))
}

/// Long lines take most of a file: one decimal is enough there.
pub fn path(points: &[(f64, f64)]) -> String {
    let mut list = String::with_capacity(points.len() * 12);
    for (index, (x, y)) in points.iter().enumerate() {
        if index > 0 {
            list.push(' ');
        }
        list.push_str(&trimmed(*x, 1));
        list.push(',');
        list.push_str(&trimmed(*y, 1));
    }
    list
}

/// `#rrggbb`.
pub fn hex(colour: RGBColor) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2)
}

/// A sentence in which backticks stand round what is literal, for a picture: it shows quotation marks.
pub fn quoted(sentence: &str) -> String {
    literals(sentence, |literal| format!("“{literal}”"))
}

fn opacity(attribute: &str, value: f64) -> String {
    if value >= 1.0 {
        String::new()
    } else {
        format!(" {attribute}=\"{}\"", trimmed(value, 3))
    }
}

/// Attributes of a filled shape.
pub fn fill(paint: Paint) -> String {
    format!(
        " fill=\"{}\"{}",
        hex(paint.colour),
        opacity("fill-opacity", paint.opacity)
    )
}

/// Attributes of a line `width` pixels wide.
pub fn stroke(paint: Paint, width: f64) -> String {
    format!(
        " stroke=\"{}\" stroke-width=\"{}\"{}",
        hex(paint.colour),
        coordinate(width),
        opacity("stroke-opacity", paint.opacity)
    )
}

/// `text` as XML character data; control characters, which XML has no way to write, and other hidden ones become `·`.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' | '\n' | '\t' => safe.push('·'),
            letter if is_hidden(letter) => safe.push('·'),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_is_literal_in_a_title_stands_in_quotation_marks() {
        assert_eq!(quoted("`a` costs 3, `b` 1"), "“a” costs 3, “b” 1");
    }
}
