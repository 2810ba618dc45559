//! The sheet that a chart is drawn on: pixels, text that fits, the heading, and plotters' coordinate systems.
//!
//! Must not know results.

use super::axis::Axis;
use super::picture::{
    self as palette, Area, Label, Paint, Picture, Raster, Sheet, UNITS_PER_PX, units,
};
use super::{Chart, ChartError, picture as font};
use crate::report::literals::literals;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::Cartesian2d;
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TRANSPARENT, TextStyle};

/// Width of every chart.
pub const WIDTH: f64 = 980.0;
/// Left and right margin.
pub const MARGIN: f64 = 24.0;

/// A chart under construction.
#[derive(Debug)]
pub struct Canvas {
    sheet: Sheet,
    title: String,
}

/// A coordinate system on the sheet.
pub type Plot<'a> = ChartContext<'a, Sheet, Cartesian2d<Axis, Axis>>;

impl Canvas {
    /// A sheet [`WIDTH`] wide with its heading: the finding, and below it how it was measured.
    pub fn new(height: f64, title: &str, subtitle: &str) -> Self {
        let shown = quoted(title);
        let canvas = Self {
            sheet: Sheet::new(WIDTH, height, &shown, subtitle),
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
    pub fn lines(&self, lines: &[impl AsRef<str>], at: (f64, f64), step: f64, label: Label) {
        self.sheet.lines(lines, at, step, label);
    }

    /// The finished chart, under `name`.
    pub fn finish(self, name: String) -> Chart {
        Chart {
            name,
            title: self.title,
            picture: self.sheet.finish(),
            readouts: Vec::new(),
        }
    }

    /// A filled rectangle from its top left corner.
    pub fn rect(&self, corner: (f64, f64), size: (f64, f64), paint: impl Into<Paint>) {
        let area = Area::new(corner.0, corner.1, size.0, size.1);
        self.sheet.rect(area, paint);
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], width: f64, paint: impl Into<Paint>) {
        self.sheet.line(points, width, paint);
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[(f64, f64)], paint: impl Into<Paint>) {
        self.sheet.polygon(points, paint);
    }

    /// A filled circle, or a ring when `edge` says how wide.
    pub fn circle(
        &self,
        centre: (f64, f64),
        radius: f64,
        paint: impl Into<Paint>,
        edge: Option<f64>,
    ) {
        match edge {
            None => self.sheet.disc(centre, radius, paint),
            Some(edge) => self.sheet.ring(centre, radius, edge, paint),
        }
    }

    /// One line of text.
    pub fn text(&self, text: &str, at: (f64, f64), label: Label) {
        self.sheet.text(text, at, label);
    }

    /// An image stretched over a rectangle.
    pub fn image(&self, corner: (f64, f64), size: (f64, f64), raster: Raster) {
        let area = Area::new(corner.0, corner.1, size.0, size.1);
        self.sheet.image(area, raster);
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
        let all: DrawingArea<Sheet, Shift> = self.sheet.clone().into();
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

/// A small line above the heading of a picture.
pub fn add_line(picture: &mut Picture, line: &str) {
    const SIZE: f64 = 10.5;
    let line = font::fitted(line, WIDTH - 2.0 * MARGIN, SIZE, false);
    picture.add_text(&line, (MARGIN, 4.0), Label::new(SIZE).muted().top());
}

/// A sentence in which backticks stand round what is literal, for a picture: it shows quotation marks.
pub fn quoted(sentence: &str) -> String {
    literals(sentence, |literal| format!("“{literal}”"))
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
    fn what_is_literal_in_a_title_stands_in_quotation_marks() {
        assert_eq!(quoted("`a` costs 3, `b` 1"), "“a” costs 3, “b” 1");
    }

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
