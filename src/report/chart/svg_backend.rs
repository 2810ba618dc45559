//! A plotters backend that writes SVG: sub-pixel coordinates, text by name of font, images as indexed PNG.
//!
//! plotters counts whole pixels, which turns thin sloping lines into stairs; so it is told that a pixel has
//! [`UNITS_PER_PX`] units, and they are divided away here. Must not know what is drawn.

use super::font;
use super::markup::{Paint, coordinate, escaped, fill, path, point, stroke};
use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle, FontTransform,
};
use std::convert::Infallible;
use std::fmt::Write;

/// plotters' units in one pixel of the picture.
pub const UNITS_PER_PX: i32 = 16;

/// How every picture ends.
const END: &str = "</svg>\n";

/// `px` pixels in plotters' units.
pub fn units(px: f64) -> i32 {
    (px * f64::from(UNITS_PER_PX)).round() as i32
}

/// Where text stands relative to its point, and how it looks.
#[derive(Clone, Copy)]
pub struct TextLook {
    /// Font size in pixels (em).
    pub size: f64,
    /// Semi-bold.
    pub bold: bool,
    /// Colour.
    pub paint: Paint,
    /// Horizontal anchor.
    pub horizontal: HPos,
    /// Vertical anchor.
    pub vertical: VPos,
    /// Turned to read upwards.
    pub turned: bool,
}

/// An SVG picture under construction.
#[derive(Debug)]
pub struct SvgBackend {
    text: String,
    width: u32,
    height: u32,
}

impl SvgBackend {
    /// An empty white picture of `width` x `height` pixels; `title` and `description` are what a screen reader says.
    pub fn new(width: u32, height: u32, title: &str, description: &str) -> Self {
        let title = escaped(title);
        let description = escaped(description);
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"{}\">\n<title>{title}</title>\n<desc>{description}</desc>\n",
            font::CSS_FAMILIES,
        );
        Self {
            text,
            width,
            height,
        }
    }

    /// A finished picture, to be drawn on with shapes and text.
    pub fn reopened(svg: &str) -> Self {
        Self {
            text: svg.strip_suffix(END).unwrap_or(svg).to_owned(),
            width: 0,
            height: 0,
        }
    }

    /// The finished picture.
    pub fn finish(&mut self) -> String {
        self.text.push_str(END);
        std::mem::take(&mut self.text)
    }

    /// A filled rectangle; nothing when it has no area.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), paint: Paint) {
        if paint.opacity > 0.0 && width > 0.0 && height > 0.0 {
            let (x, y, width, height) = (
                coordinate(x),
                coordinate(y),
                coordinate(width),
                coordinate(height),
            );
            let fill = fill(paint);
            self.push(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{fill}/>\n"
            ));
        }
    }

    /// A line through points, `width` pixels wide.
    pub fn line(&mut self, points: &[(f64, f64)], width: f64, paint: Paint) {
        let stroke = stroke(paint, width);
        match points {
            [] | [_] => {}
            [from, to] => {
                let (from, to) = (point(*from), point(*to));
                self.push(format_args!(
                    "<path d=\"M{from}L{to}\" fill=\"none\"{stroke}/>\n"
                ));
            }
            points => {
                let list = path(points);
                self.push(format_args!(
                    "<polyline fill=\"none\"{stroke} stroke-linejoin=\"round\" points=\"{list}\"/>\n"
                ));
            }
        }
    }

    /// A filled polygon.
    pub fn polygon(&mut self, points: &[(f64, f64)], paint: Paint) {
        if points.len() > 2 && paint.opacity > 0.0 {
            let (fill, list) = (fill(paint), path(points));
            self.push(format_args!("<polygon{fill} points=\"{list}\"/>\n"));
        }
    }

    /// A circle: filled, or a white disc with an edge of `edge` pixels.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, paint: Paint, edge: Option<f64>) {
        let (x, y, radius) = (coordinate(x), coordinate(y), coordinate(radius));
        match edge {
            None => {
                let fill = fill(paint);
                self.push(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"{fill}/>\n"
                ));
            }
            Some(edge) => {
                let stroke = stroke(paint, edge);
                self.push(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\"{stroke}/>\n"
                ));
            }
        }
    }

    /// One line of text.
    pub fn text(&mut self, text: &str, (x, y): (f64, f64), look: TextLook) {
        if text.is_empty() {
            return;
        }
        // Renderers disagree on `dominant-baseline`: the baseline is placed by the font's own proportions.
        let baseline = look.size
            * match look.vertical {
                VPos::Top => font::CAP_HEIGHT,
                VPos::Center => font::CAP_HEIGHT / 2.0,
                VPos::Bottom => 0.0,
            };
        let place = if look.turned {
            format!(
                "transform=\"translate({} {}) rotate(270)\" y=\"{}\"",
                coordinate(x),
                coordinate(y),
                coordinate(baseline)
            )
        } else {
            format!("x=\"{}\" y=\"{}\"", coordinate(x), coordinate(y + baseline))
        };
        let anchor = match look.horizontal {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let weight = if look.bold {
            " font-weight=\"600\""
        } else {
            ""
        };
        let (size, fill, text) = (coordinate(look.size), fill(look.paint), escaped(text));
        self.push(format_args!(
            "<text {place} font-size=\"{size}\"{weight}{anchor}{fill}>{text}</text>\n"
        ));
    }

    /// A PNG (base64) stretched over a rectangle without smoothing.
    pub fn image(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), base64: &str) {
        let (x, y, width, height) = (
            coordinate(x),
            coordinate(y),
            coordinate(width),
            coordinate(height),
        );
        self.push(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
             image-rendering=\"pixelated\" href=\"data:image/png;base64,{base64}\"/>\n"
        ));
    }

    fn push(&mut self, piece: std::fmt::Arguments<'_>) {
        self.text
            .write_fmt(piece)
            .expect("writing to a string can't fail");
    }
}

fn paint_of(colour: BackendColor) -> Paint {
    Paint {
        colour: RGBColor(colour.rgb.0, colour.rgb.1, colour.rgb.2),
        opacity: colour.alpha,
    }
}

fn px(units: i32) -> f64 {
    f64::from(units) / f64::from(UNITS_PER_PX)
}

fn px_point((x, y): BackendCoord) -> (f64, f64) {
    (px(x), px(y))
}

fn stroke_px<S: BackendStyle>(style: &S) -> f64 {
    f64::from(style.stroke_width()) / f64::from(UNITS_PER_PX)
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for SvgBackend {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (
            self.width * UNITS_PER_PX as u32,
            self.height * UNITS_PER_PX as u32,
        )
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Drawn {
        self.rect(px_point(at), (1.0, 1.0), paint_of(colour));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        if style.color().alpha > 0.0 {
            self.line(
                &[px_point(from), px_point(to)],
                stroke_px(style),
                paint_of(style.color()),
            );
        }
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        filled: bool,
    ) -> Drawn {
        let ((x0, y0), (x1, y1)) = (px_point(from), px_point(to));
        if filled {
            self.rect(
                (x0.min(x1), y0.min(y1)),
                ((x1 - x0).abs(), (y1 - y0).abs()),
                paint_of(style.color()),
            );
        } else if style.color().alpha > 0.0 {
            let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)];
            self.line(&corners, stroke_px(style), paint_of(style.color()));
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Drawn {
        if style.color().alpha > 0.0 {
            let points: Vec<_> = points.into_iter().map(px_point).collect();
            self.line(&points, stroke_px(style), paint_of(style.color()));
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        filled: bool,
    ) -> Drawn {
        let edge = (!filled).then(|| stroke_px(style));
        self.circle(
            px_point(centre),
            f64::from(radius) / f64::from(UNITS_PER_PX),
            paint_of(style.color()),
            edge,
        );
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<_> = points.into_iter().map(px_point).collect();
        self.polygon(&points, paint_of(style.color()));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        if style.color().alpha > 0.0 {
            let look = TextLook {
                size: style.size() / font::SIZE_OF_EM / f64::from(UNITS_PER_PX),
                bold: matches!(style.style(), FontStyle::Bold),
                paint: paint_of(style.color()),
                horizontal: style.anchor().h_pos,
                vertical: style.anchor().v_pos,
                turned: matches!(style.transform(), FontTransform::Rotate270),
            };
            self.text(text, px_point(at), look);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::style::BLACK;

    #[test]
    fn text_from_a_scenario_cannot_break_the_markup() {
        let mut svg = SvgBackend::new(10, 10, "a < b & \"c\"", "\u{0}");
        let look = TextLook {
            size: 10.0,
            bold: false,
            paint: BLACK.into(),
            horizontal: HPos::Left,
            vertical: VPos::Bottom,
            turned: false,
        };
        svg.text("</text><script>", (1.0, 2.0), look);
        let text = svg.finish();
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
        let mut svg = SvgBackend::new(10, 10, "", "");
        svg.line(&[(0.0, 0.0625), (10.0, 1.5)], 0.75, BLACK.into());
        assert!(svg.finish().contains("M0 0.06L10 1.5"));
    }
}
