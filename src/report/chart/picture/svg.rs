//! A picture as SVG, with text by name of font and images as indexed PNG.

use super::colours::{Paint, Theme, hex};
use super::fonts;
use super::sheet::{Anchor, Area, Label, Outline, Picture, Point, Shape};
use crate::report::number::trimmed;
use crate::text::is_hidden;

impl Picture {
    /// The picture without fonts: a page that shows several brings them once.
    pub fn svg(&self, theme: Theme) -> String {
        self.written(theme, "")
    }

    /// The picture as a file that stands alone, with its fonts: a viewer without Inter would take wider letters, and cut titles off.
    pub fn svg_file(&self, theme: Theme) -> String {
        self.written(theme, &format!("<style>{}</style>", fonts::faces()))
    }

    fn written(&self, theme: Theme, style: &str) -> String {
        let (width, height) = (self.width, self.height);
        let (title, description) = (escaped(&self.title), escaped(&self.description));
        let shapes: String = self.shapes.iter().map(|it| element(theme, it)).collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"{}\">{style}\n<title>{title}</title>\n<desc>{description}</desc>\n{shapes}</svg>\n",
            fonts::CSS_FAMILIES,
        )
    }
}

fn element(theme: Theme, shape: &Shape) -> String {
    match shape {
        Shape::Area(Outline::Path(points), paint) => {
            let (fill, points) = (fill(theme, paint), path(points));
            format!("<polygon{fill} points=\"{points}\"/>\n")
        }
        Shape::Area(outline, paint) => of_outline(outline, &fill(theme, paint)),
        Shape::Line(outline, width, paint) => {
            let stroke = stroke(theme, paint, *width);
            of_outline(outline, &format!(" fill=\"none\"{stroke}"))
        }
        Shape::Text(text, at, label) => {
            let (place, size) = (place(*at, label), coordinate(label.size));
            let weight = label.bold.then_some(" font-weight=\"600\"");
            let weight = weight.unwrap_or_default();
            let anchor = match label.across {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let (fill, text) = (fill(theme, &label.paint), escaped(text));
            format!("<text {place} font-size=\"{size}\"{weight}{anchor}{fill}>{text}</text>\n")
        }
        Shape::Image(area, raster) => {
            let (corners, image) = (corners(area), raster.base64());
            format!(
                "<image {corners} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" \
                 href=\"data:image/png;base64,{image}\"/>\n"
            )
        }
    }
}

fn of_outline(outline: &Outline, style: &str) -> String {
    match outline {
        Outline::Rect(area) => format!("<rect {}{style}/>\n", corners(area)),
        Outline::Circle((x, y), radius) => {
            let [x, y, r] = [*x, *y, *radius].map(coordinate);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{style}/>\n")
        }
        Outline::Path(points) => match points.as_slice() {
            [(x, y), (u, v)] => {
                let [x, y, u, v] = [*x, *y, *u, *v].map(coordinate);
                format!("<path d=\"M{x} {y}L{u} {v}\"{style}/>\n")
            }
            points => {
                let points = path(points);
                format!("<polyline{style} stroke-linejoin=\"round\" points=\"{points}\"/>\n")
            }
        },
    }
}

fn corners(area: &Area) -> String {
    let [x, y, w, h] = [area.left, area.top, area.width, area.height].map(coordinate);
    format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
}

fn fill(theme: Theme, paint: &Paint) -> String {
    let (colour, opacity) = (hex(theme.fill(paint.colour)), opacity("fill", paint));
    format!(" fill=\"{colour}\"{opacity}")
}

fn stroke(theme: Theme, paint: &Paint, width: f64) -> String {
    let (colour, opacity) = (hex(theme.stroke(paint.colour)), opacity("stroke", paint));
    let width = coordinate(width);
    format!(" stroke=\"{colour}\" stroke-width=\"{width}\"{opacity}")
}

fn opacity(of: &str, paint: &Paint) -> String {
    let opacity = Some(paint.opacity).filter(|opacity| *opacity < 1.0);
    let opacity = opacity.map(|it| format!(" {of}-opacity=\"{}\"", trimmed(it, 3)));
    opacity.unwrap_or_default()
}

/// Where a text starts. Renderers disagree on `dominant-baseline`: the baseline is placed by the font's own proportions.
fn place((x, y): Point, label: &Label) -> String {
    let baseline = label.size * (fonts::CAP_HEIGHT * label.along.share());
    match label.turned {
        true => {
            let [x, y, baseline] = [x, y, baseline].map(coordinate);
            format!("transform=\"translate({x} {y}) rotate(270)\" y=\"{baseline}\"")
        }
        false => {
            let [x, y] = [x, y + baseline].map(coordinate);
            format!("x=\"{x}\" y=\"{y}\"")
        }
    }
}

/// Two decimals are finer than any screen shows.
fn coordinate(px: f64) -> String {
    trimmed(px, 2)
}

/// Long lines take most of a file: one decimal is enough there.
fn path(points: &[Point]) -> String {
    let point = |(x, y): &Point| format!("{},{}", trimmed(*x, 1), trimmed(*y, 1));
    points.iter().map(point).collect::<Vec<_>>().join(" ")
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
    use super::super::{Sheet, Theme, ink};
    use plotters::style::BLACK;

    #[test]
    fn text_from_a_scenario_cannot_break_the_markup() {
        let sheet = Sheet::new(10.0, 10.0, "a < b & \"c\"", "\u{0}");
        sheet.text("</text><script>", (1.0, 2.0), ink(10.0));
        let text = sheet.finish().svg(Theme::Light);
        assert!(
            text.contains("aria-label=\"a &lt; b &amp; &quot;c&quot;\""),
            "{text}"
        );
        assert!(
            text.contains(">&lt;/text&gt;&lt;script&gt;</text>"),
            "{text}"
        );
        assert!(text.contains("<desc>·</desc>"), "{text}");
    }

    #[test]
    fn coordinates_are_finer_than_a_pixel() {
        let sheet = Sheet::new(10.0, 10.0, "", "");
        sheet.line(&[(0.0, 0.0625), (10.0, 1.5)], 0.75, BLACK);
        let text = sheet.finish().svg(Theme::Light);
        assert!(text.contains("M0 0.06L10 1.5"), "{text}");
    }
}
