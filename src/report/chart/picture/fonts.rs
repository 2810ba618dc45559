//! The fonts of the charts, compiled in: Inter in two weights (SIL Open Font License, `assets/OFL.txt`), reduced to
//! Latin-1 and some signs, with figures of equal width. The machine's fonts are not read.

use super::raster::base64;
use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};
use std::sync::Once;

/// Inter, weight 400.
pub const REGULAR: &[u8] = include_bytes!("../../assets/Inter-Regular.subset.ttf");
/// Inter, weight 600.
pub const SEMI_BOLD: &[u8] = include_bytes!("../../assets/Inter-SemiBold.subset.ttf");

/// The family's name.
pub const FAMILY: &str = "Inter";
/// What a viewer without Inter falls back to.
pub const CSS_FAMILIES: &str = "Inter, 'Helvetica Neue', Arial, sans-serif";

/// plotters scales by ascent minus descent, everybody else by em: Inter's `hhea` says (1984 + 494) / 2048.
pub const SIZE_OF_EM: f64 = (1984.0 + 494.0) / 2048.0;
/// Height of a capital letter in em (Inter's `OS/2` table).
pub const CAP_HEIGHT: f64 = 0.727;

/// Style rules that give a page the fonts.
pub fn faces() -> String {
    [(400, REGULAR), (600, SEMI_BOLD)]
        .map(|(weight, bytes)| {
            format!(
                "@font-face {{ font-family: {FAMILY}; font-weight: {weight}; src: url(data:font/ttf;base64,{}) }}",
                base64(bytes)
            )
        })
        .join("\n")
}

/// Gives plotters the fonts, which it needs to measure text; once a process.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, bytes) in [(FontStyle::Normal, REGULAR), (FontStyle::Bold, SEMI_BOLD)] {
            // The bytes are compiled in: `text_is_measured_with_the_fonts_compiled_in` shows that they parse.
            let _ = register_font(FAMILY, style, bytes);
        }
    });
}

/// Width in pixels of `text` in one line of `size` pixels (em).
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    register();
    // Measured large, because plotters rounds to whole units.
    let scale = 64.0;
    let style = match bold {
        true => FontStyle::Bold,
        false => FontStyle::Normal,
    };
    let font = FontDesc::new(FontFamily::Name(FAMILY), size * scale * SIZE_OF_EM, style);
    let size = font.box_size(text);
    size.map_or(0.0, |(width, _)| f64::from(width) / scale)
}

/// `text`, with an ellipsis for the end that `room` pixels do not hold; empty when not even that fits.
pub fn fitted(text: &str, room: f64, size: f64, bold: bool) -> String {
    if width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut ends: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    // Text may be 32,767 bytes of key; what can't fit is not measured.
    ends.truncate((room / (0.2 * size)).max(1.0) as usize + 1);
    let fits = |end: &usize| width(&format!("{}…", text[..*end].trim_end()), size, bold) <= room;
    match ends.partition_point(fits) {
        0 => String::new(),
        count => format!("{}…", text[..ends[count - 1]].trim_end()),
    }
}

/// `text` in at most `most` lines that `room` pixels hold, broken between words; the last one ends in an ellipsis when there is more.
pub fn wrapped(text: &str, room: f64, size: f64, bold: bool, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let full = lines.len() == most;
        let Some(line) = lines.last_mut() else { break };
        let longer = format!("{line} {word}");
        if line.is_empty() {
            word.clone_into(line);
        } else if full || width(&longer, size, bold) <= room {
            *line = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    let lines = lines.iter();
    lines.map(|line| fitted(line, room, size, bold)).collect()
}

/// As [`wrapped`], with lines of about the same length.
pub fn balanced(text: &str, room: f64, size: f64, bold: bool, most: usize) -> Vec<String> {
    let narrower = (11..20).map(|part| room * f64::from(part) / 20.0);
    let mut lines = narrower.map(|room| wrapped(text, room, size, bold, most));
    let whole = |lines: &Vec<String>| lines.join(" ") == text;
    let count = wrapped(text, room, size, bold, most).len();
    lines
        .find(|lines| whole(lines) && lines.len() == count)
        .unwrap_or_else(|| wrapped(text, room, size, bold, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_measured_with_the_fonts_compiled_in() {
        // Figures have equal widths; a semi-bold word is wider than a regular one.
        assert!(width("11111", 12.0, false) > 20.0);
        assert!((width("11111", 12.0, false) - width("88888", 12.0, false)).abs() < 0.1);
        assert!(width("monotonic", 12.0, true) > width("monotonic", 12.0, false));
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis_within_the_room() {
        let long = "a very long strategy title that nobody would write but somebody will";
        let text = fitted(long, 120.0, 12.0, false);
        assert!(text.ends_with('…') && text.len() > 10, "{text}");
        assert!(width(&text, 12.0, false) <= 120.0);
        assert_eq!(fitted("short", 120.0, 12.0, false), "short");
        assert_eq!(fitted("short", 1.0, 12.0, false), "");
        assert!(fitted(&"k".repeat(32_767), 100.0, 10.0, false).ends_with('…'));
    }

    #[test]
    fn text_is_broken_between_words_and_only_the_last_line_is_cut() {
        let text = "a long title of a strategy that needs some lines";
        let lines = wrapped(text, 120.0, 12.0, false, 9);
        assert!(lines.len() > 2 && lines.join(" ") == text, "{lines:?}");
        let lines = wrapped(text, 120.0, 12.0, false, 2);
        assert!(lines.len() == 2 && !lines[0].ends_with('…') && lines[1].ends_with('…'));
        assert!(lines.iter().all(|line| width(line, 12.0, false) <= 120.0));
        assert_eq!(wrapped("short", 120.0, 12.0, false, 2), ["short"]);
        let text = "three words, then one";
        let room = width("three words, then", 12.0, false) + 1.0;
        assert_eq!(
            wrapped(text, room, 12.0, false, 2),
            ["three words, then", "one"]
        );
        assert_eq!(
            balanced(text, room, 12.0, false, 2),
            ["three words,", "then one"]
        );
        assert_eq!(balanced("short", room, 12.0, false, 2), ["short"]);
    }
}
