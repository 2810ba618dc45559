//! The sheet that a chart is drawn on: pixels, text that fits, the heading, and plotters' coordinate systems.
//!
//! Must not know results.

use super::axis::Axis;
use super::markup::{Paint, quoted};
use super::palette;
use super::svg_backend::{SvgBackend, TextLook, UNITS_PER_PX, units};
use super::{Chart, ChartError, font};
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::Cartesian2d;
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TRANSPARENT, TextStyle};
use plotters_backend::text_anchor::{HPos, VPos};
use std::cell::RefCell;
use std::rc::Rc;

/// Width of every chart.
pub const WIDTH: f64 = 980.0;
/// Left and right margin.
pub const MARGIN: f64 = 24.0;

/// A chart under construction.
#[derive(Debug)]
pub struct Canvas {
    backend: Rc<RefCell<SvgBackend>>,
    title: String,
}

/// A coordinate system on the sheet.
pub type Plot<'a> = ChartContext<'a, SvgBackend, Cartesian2d<Axis, Axis>>;

impl Canvas {
    /// A sheet [`WIDTH`] wide with its heading: the finding, and below it how it was measured.
    pub fn new(height: f64, title: &str, subtitle: &str) -> Self {
        font::register();
        let shown = quoted(title);
        let backend = SvgBackend::new(WIDTH as u32, height.ceil() as u32, &shown, subtitle);
        let canvas = Self {
            backend: Rc::new(RefCell::new(backend)),
            title: title.to_owned(),
        };
        canvas.rect((0.0, 0.0), (WIDTH, height.ceil()), palette::PAPER);
        canvas.heading(&shown, subtitle);
        canvas
    }

    fn heading(&self, title: &str, subtitle: &str) {
        let room = WIDTH - 2.0 * MARGIN;
        let size_of = |text: &str, sizes: &[f64], bold: bool| {
            let fits = |size: &&f64| font::width(text, **size, bold) <= room;
            sizes.iter().find(fits).copied()
        };
        // A long finding gets smaller before it takes two lines, and two lines before it gets cut.
        let label = |size: f64| Label::new(size).bold().top();
        let below = match size_of(title, &[17.0, 16.0, 15.0], true) {
            Some(size) => {
                self.text(title, (MARGIN, 22.0), label(size));
                46.0
            }
            None => {
                const SIZE: f64 = 15.0;
                let lines = font::balanced(title, room, SIZE, true, 2);
                for (line, y) in lines.iter().zip([14.0, 33.0]) {
                    self.text(line, (MARGIN, y), label(SIZE));
                }
                54.0
            }
        };
        let size = size_of(subtitle, &[12.5, 12.0, 11.5], false).unwrap_or(11.0);
        self.text(
            &font::fitted(subtitle, room, size, false),
            (MARGIN, below),
            Label::new(size).muted().top(),
        );
    }

    /// Lines of text below each other, `step` pixels apart, from a point on.
    pub fn lines(&self, lines: &[impl AsRef<str>], (x, y): (f64, f64), step: f64, label: Label) {
        for (index, line) in lines.iter().enumerate() {
            self.text(line.as_ref(), (x, y + index as f64 * step), label);
        }
    }

    /// The finished chart, under `name`.
    pub fn finish(self, name: String) -> Chart {
        let svg = self.backend.borrow_mut().finish();
        Chart {
            name,
            title: self.title,
            svg,
            readouts: Vec::new(),
        }
    }

    /// A filled rectangle from its top left corner.
    pub fn rect(&self, corner: (f64, f64), size: (f64, f64), paint: impl Into<Paint>) {
        self.backend.borrow_mut().rect(corner, size, paint.into());
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], width: f64, paint: impl Into<Paint>) {
        self.backend.borrow_mut().line(points, width, paint.into());
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[(f64, f64)], paint: impl Into<Paint>) {
        self.backend.borrow_mut().polygon(points, paint.into());
    }

    /// A filled circle, or a ring when `edge` says how wide.
    pub fn circle(
        &self,
        centre: (f64, f64),
        radius: f64,
        paint: impl Into<Paint>,
        edge: Option<f64>,
    ) {
        self.backend
            .borrow_mut()
            .circle(centre, radius, paint.into(), edge);
    }

    /// One line of text.
    pub fn text(&self, text: &str, at: (f64, f64), label: Label) {
        self.backend.borrow_mut().text(text, at, label.0);
    }

    /// An image stretched over a rectangle.
    pub fn image(&self, corner: (f64, f64), size: (f64, f64), base64: &str) {
        self.backend.borrow_mut().image(corner, size, base64);
    }

    /// A coordinate system whose *inner* rectangle is given, with tick labels outside it: below and to the left.
    /// `grid` says whether the vertical grid is drawn too.
    pub fn plot(
        &self,
        corner: (f64, f64),
        size: (f64, f64),
        x: Axis,
        y: Axis,
        grid: bool,
    ) -> Result<Plot<'static>, ChartError> {
        const LEFT: f64 = 60.0;
        const BELOW: f64 = 24.0;
        let all: DrawingArea<SvgBackend, Shift> = (&self.backend).into();
        let area = all.shrink(
            (units(corner.0 - LEFT), units(corner.1)),
            (units(size.0 + LEFT), units(size.1 + BELOW)),
        );
        let mut plot = ChartBuilder::on(&area)
            .x_label_area_size(units(BELOW))
            .y_label_area_size(units(LEFT))
            .build_cartesian_2d(x, y)
            .map_err(ChartError::new)?;
        let font = FontDesc::new(
            FontFamily::Name(font::FAMILY),
            f64::from(units(10.5)) * font::SIZE_OF_EM,
            FontStyle::Normal,
        );
        let line = |colour: RGBColor| colour.stroke_width(units(1.0) as u32);
        let mut mesh = plot.configure_mesh();
        mesh.set_all_tick_mark_size(units(4.0))
            .light_line_style(TRANSPARENT)
            .bold_line_style(line(palette::GRID))
            .axis_style(line(palette::AXIS))
            .label_style(TextStyle::from(font).color(&palette::MUTED));
        if !grid {
            mesh.disable_x_mesh();
        }
        mesh.draw().map_err(ChartError::new)?;
        Ok(plot)
    }
}

/// Where a point of a coordinate system lies on the sheet, in pixels.
pub fn on_sheet(plot: &Plot<'_>, point: (f64, f64)) -> (f64, f64) {
    let (x, y) = plot.plotting_area().map_coordinate(&point);
    (
        f64::from(x) / f64::from(UNITS_PER_PX),
        f64::from(y) / f64::from(UNITS_PER_PX),
    )
}

/// `chart` with a small line above its heading.
pub fn headed(chart: Chart, line: &str) -> Chart {
    const SIZE: f64 = 10.5;
    let mut backend = SvgBackend::reopened(&chart.svg);
    let line = font::fitted(line, WIDTH - 2.0 * MARGIN, SIZE, false);
    backend.text(&line, (MARGIN, 4.0), Label::new(SIZE).muted().top().0);
    Chart {
        svg: backend.finish(),
        ..chart
    }
}

/// How a line of text looks and where it stands relative to its point: by default regular ink, left, baseline.
#[derive(Clone, Copy)]
pub struct Label(TextLook);

impl Label {
    /// Text of `size` pixels; nothing below 10 is readable at 980.
    pub fn new(size: f64) -> Self {
        debug_assert!(size >= 10.0);
        let paint = palette::INK.into();
        Self(TextLook {
            size,
            bold: false,
            paint,
            horizontal: HPos::Left,
            vertical: VPos::Bottom,
            turned: false,
        })
    }

    /// Semi-bold.
    pub fn bold(mut self) -> Self {
        self.0.bold = true;
        self
    }

    /// In the colour of secondary text.
    pub fn muted(self) -> Self {
        self.colour(palette::MUTED)
    }

    /// In `colour`.
    pub fn colour(mut self, colour: RGBColor) -> Self {
        self.0.paint = colour.into();
        self
    }

    /// Hanging from its point.
    pub fn top(mut self) -> Self {
        self.0.vertical = VPos::Top;
        self
    }

    /// Vertically centred on its point.
    pub fn middle(mut self) -> Self {
        self.0.vertical = VPos::Center;
        self
    }

    /// Ending at its point.
    pub fn right(mut self) -> Self {
        self.0.horizontal = HPos::Right;
        self
    }

    /// Horizontally centred on its point.
    pub fn centre(mut self) -> Self {
        self.0.horizontal = HPos::Center;
        self
    }

    /// Reading upwards.
    pub fn turned(mut self) -> Self {
        self.0.turned = true;
        self
    }
}

/// Moves label positions apart to at least `gap`, in order, as little as pushing down and then up between `top` and
/// `bottom` does. `wanted` is ascending.
pub fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut places: Vec<f64> = wanted.to_vec();
    let mut least = top;
    for place in &mut places {
        *place = place.max(least);
        least = *place + gap;
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_move_apart_and_stay_on_the_sheet() {
        assert_eq!(
            spread(&[10.0, 12.0, 50.0], 20.0, 0.0, 100.0),
            [10.0, 30.0, 50.0]
        );
        assert_eq!(
            spread(&[80.0, 90.0, 95.0], 20.0, 0.0, 100.0),
            [60.0, 80.0, 100.0]
        );
        assert_eq!(spread(&[-5.0], 20.0, 0.0, 100.0), [0.0]);
    }
}
