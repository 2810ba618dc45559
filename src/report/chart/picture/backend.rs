//! plotters draws on a sheet through its `DrawingBackend`.
//!
//! plotters counts whole pixels, which turns thin sloping lines into stairs; so it is told that a pixel has
//! [`UNITS_PER_PX`] units, and they are divided away here. It draws lines and text: circles and polygons are drawn on the sheet itself,
//! as plotters would make them of pixels.

use super::colours::Paint;
use super::fonts;
use super::sheet::{Anchor, Area, Label, Point, Sheet};
use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle, FontTransform,
};
use std::convert::Infallible;

/// plotters' units in one pixel of the picture.
pub const UNITS_PER_PX: i32 = 16;

/// `px` pixels in plotters' units.
pub fn units(px: f64) -> i32 {
    (px * f64::from(UNITS_PER_PX)).round() as i32
}

fn px(units: i32) -> f64 {
    f64::from(units) / f64::from(UNITS_PER_PX)
}

fn point((x, y): BackendCoord) -> Point {
    (px(x), px(y))
}

fn points(of: impl IntoIterator<Item = BackendCoord>) -> Vec<Point> {
    of.into_iter().map(point).collect()
}

fn paint(colour: BackendColor) -> Paint {
    let (red, green, blue) = colour.rgb;
    Paint::new(RGBColor(red, green, blue), colour.alpha)
}

fn stroke(style: &impl BackendStyle) -> f64 {
    px(style.stroke_width() as i32)
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Sheet {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.size();
        (width * UNITS_PER_PX as u32, height * UNITS_PER_PX as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Drawn {
        let (x, y) = point(at);
        self.rect(Area::new(x, y, 1.0, 1.0), paint(colour));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if style.color().alpha > 0.0 {
            self.line(&points(path), stroke(style), paint(style.color()));
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        if style.color().alpha > 0.0 {
            let anchor = style.anchor();
            let label = Label {
                size: style.size() / fonts::SIZE_OF_EM / f64::from(UNITS_PER_PX),
                bold: matches!(style.style(), FontStyle::Bold),
                paint: paint(style.color()),
                across: match anchor.h_pos {
                    HPos::Left => Anchor::Start,
                    HPos::Center => Anchor::Middle,
                    HPos::Right => Anchor::End,
                },
                along: match anchor.v_pos {
                    VPos::Bottom => Anchor::Start,
                    VPos::Center => Anchor::Middle,
                    VPos::Top => Anchor::End,
                },
                turned: matches!(style.transform(), FontTransform::Rotate270),
            };
            self.text(text, point(at), label);
        }
        Ok(())
    }
}
