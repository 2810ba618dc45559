//! A headed sheet, panels in a grid on it, and the coordinate system of each with its axes and marks, which plotters draws. The finding is the
//! title of a sheet, the method its subtitle.

use super::axis::Axis;
use super::overlap::{Turn, pieces};
use super::viewport::Viewport;
use crate::report::chart::picture::{
    AXIS, Area, FAMILY, GRID, MUTED, PAPER, Paint, Picture, Point, SIZE_OF_EM, Sheet, UNITS_PER_PX,
    balanced, bold, fitted, muted, units, width,
};
use crate::report::literals::literals;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::PathElement;
use plotters::prelude::Cartesian2d;
use plotters::series::DashedLineSeries;
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TRANSPARENT, TextStyle,
};

/// A sheet with its heading: the finding, and below it how it was measured. A narrow one has them as what a screen reader says alone.
pub fn sheet(viewport: Viewport, height: f64, title: &str, subtitle: &str) -> Sheet {
    let (title, wide, room) = (quoted(title), viewport.width(), viewport.room());
    let sheet = Sheet::new(wide, height, &title, subtitle);
    sheet.rect(Area::new(0.0, 0.0, wide, height.ceil()), PAPER);
    if viewport == Viewport::Narrow {
        return sheet;
    }
    let left = viewport.left();
    let size_of = |text: &str, sizes: &[f64], bold: bool| {
        let fits = |size: &&f64| width(text, **size, bold) <= room;
        sizes.iter().find(fits).copied()
    };
    // A long finding gets smaller before it takes two lines, and two lines before it gets cut.
    let below = match size_of(&title, &[17.0, 16.0, 15.0], true) {
        Some(size) => {
            sheet.text(&title, (left, 22.0), bold(size).top());
            46.0
        }
        None => {
            const SIZE: f64 = 15.0;
            let lines = balanced(&title, room, SIZE, true, 2);
            sheet.lines(&lines, (left, 14.0), 19.0, bold(SIZE).top());
            54.0
        }
    };
    let size = size_of(subtitle, &[12.5, 12.0, 11.5], false).unwrap_or(11.0);
    let subtitle = fitted(subtitle, room, size, false);
    sheet.text(&subtitle, (left, below), muted(size).top());
    sheet
}

/// Puts a small line above the heading of a picture.
pub fn add_line(picture: &mut Picture, viewport: Viewport, line: &str) {
    const SIZE: f64 = 10.5;
    picture.description = format!("{line} · {}", picture.description);
    if viewport == Viewport::Wide {
        let line = fitted(line, viewport.room(), SIZE, false);
        picture.add_text(&line, (viewport.left(), 4.0), muted(SIZE).top());
    }
}

/// The sign of a strategy in a legend: a piece of its line with a dot, 20 pixels wide.
pub fn legend_key(sheet: &Sheet, (x, y): Point, colour: RGBColor) {
    sheet.line(&[(x, y), (x + 20.0, y)], 2.25, colour);
    sheet.disc((x + 10.0, y), 3.0, colour);
}

/// The title of a panel, so many pixels above it.
pub fn panel_title(sheet: &Sheet, area: &Area, above: f64, title: &str) {
    let title = fitted(title, area.width, 13.0, true);
    sheet.text(&title, (area.left, area.top - above), bold(13.0).top());
}

/// The stretches of a line, in pixels, that it shows in its turn among those that it lies on.
pub fn striped(sheet: &Sheet, line: &[Point], turn: Turn, width: f64, colour: RGBColor) {
    for piece in pieces(line, turn) {
        sheet.line(&piece, width, colour);
    }
}

/// A sentence in which backticks stand round what is literal, for a picture: it shows quotation marks.
pub fn quoted(sentence: &str) -> String {
    literals(sentence, |literal| format!("“{literal}”"))
}

/// Where panels lie on a sheet, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// Of the sheet.
    pub viewport: Viewport,
    /// How many stand beside each other in a wide one; in a narrow one stand all below each other.
    pub columns: usize,
    /// Where the first row starts.
    pub top: f64,
    /// Room left of a panel, for tick labels.
    pub left: f64,
    /// Room right of it.
    pub right: f64,
    /// Room above it, for its title.
    pub head: f64,
    /// Its own height.
    pub height: f64,
    /// Room below it, for tick labels and the name of the axis.
    pub foot: f64,
    /// Distance of columns.
    pub gap: f64,
}

impl Grid {
    /// The inner rectangle of the panel at `index`.
    pub fn area(&self, index: usize) -> Area {
        let columns = self.viewport.pick(self.columns, 1);
        let (row, column) = (index / columns, index % columns);
        let gaps = (columns - 1) as f64 * self.gap;
        let width = (self.viewport.room() - gaps) / columns as f64;
        Area::new(
            self.viewport.left() + self.left + column as f64 * (width + self.gap),
            self.top + self.head + row as f64 * (self.head + self.height + self.foot),
            width - self.left - self.right,
            self.height,
        )
    }

    /// Where the room of the last of so many panels ends.
    pub fn bottom(&self, panels: usize) -> f64 {
        self.area(panels - 1).bottom() + self.foot
    }
}

/// Room for tick labels left of a panel, and below it.
const LEFT: f64 = 60.0;
const BELOW: f64 = 24.0;

/// Why plotters can't fail here.
const DRAWN: &str =
    "a display list takes everything, and the fonts that measure text are compiled in";

/// A coordinate system on a sheet.
pub struct Plot {
    /// Its inner rectangle.
    pub area: Area,
    sheet: Sheet,
    context: ChartContext<'static, Sheet, Cartesian2d<Axis, Axis>>,
}

impl Plot {
    /// A coordinate system with the inner rectangle `area`, a grid, and tick labels below and to the left.
    pub fn new(sheet: &Sheet, area: Area, x: Axis, y: Axis) -> Self {
        Self::with_grid(sheet, area, x, y, true)
    }

    /// The same; `upright` says whether the upright lines of the grid are drawn, too.
    pub fn with_grid(sheet: &Sheet, area: Area, x: Axis, y: Axis, upright: bool) -> Self {
        let x = x.readable_in(area.width);
        let whole: DrawingArea<Sheet, Shift> = sheet.clone().into();
        let around = whole.shrink(
            (units(area.left - LEFT), units(area.top)),
            (units(area.width + LEFT), units(area.height + BELOW)),
        );
        let mut context = ChartBuilder::on(&around)
            .x_label_area_size(units(BELOW))
            .y_label_area_size(units(LEFT))
            .build_cartesian_2d(x, y)
            .expect(DRAWN);
        let size = f64::from(units(10.5)) * SIZE_OF_EM;
        let font = FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal);
        let mut mesh = context.configure_mesh();
        mesh.set_all_tick_mark_size(units(4.0))
            .light_line_style(TRANSPARENT)
            .bold_line_style(stroke(GRID, 1.0))
            .axis_style(stroke(AXIS, 1.0))
            .label_style(TextStyle::from(font).color(&MUTED));
        if !upright {
            mesh.disable_x_mesh();
        }
        mesh.draw().expect(DRAWN);
        let sheet = sheet.clone();
        Self {
            area,
            sheet,
            context,
        }
    }

    /// Where a point of the coordinate system lies on the sheet.
    pub fn at(&self, point: (f64, f64)) -> Point {
        let (x, y) = self.context.plotting_area().map_coordinate(&point);
        let px = |units: i32| f64::from(units) / f64::from(UNITS_PER_PX);
        (px(x), px(y))
    }

    /// Where several do.
    pub fn all_at(&self, points: &[(f64, f64)]) -> Vec<Point> {
        points.iter().map(|point| self.at(*point)).collect()
    }

    /// A line through points of the coordinate system, `width` pixels wide.
    pub fn path(&mut self, points: Vec<(f64, f64)>, width: f64, paint: impl Into<Paint>) {
        let path = PathElement::new(points, stroke(paint, width));
        self.context.draw_series([path]).expect(DRAWN);
    }

    /// A line of dashes and gaps of so many pixels.
    pub fn dashes(
        &mut self,
        points: impl IntoIterator<Item = (f64, f64)>,
        (dash, gap): (f64, f64),
        width: f64,
        colour: RGBColor,
    ) {
        let points: Vec<_> = points.into_iter().collect();
        let style = stroke(colour, width);
        let dashes = DashedLineSeries::new(points, units(dash), units(gap), style);
        self.context.draw_series(dashes).expect(DRAWN);
    }

    /// A dashed level line up to `end`, for a bound.
    pub fn bound(&mut self, end: f64, value: f64) {
        self.dashes([(0.0, value), (end, value)], (4.0, 3.0), 1.0, MUTED);
    }

    /// Says what the horizontal axis shows, so many pixels below it.
    pub fn name_below(&self, name: &str, distance: f64) {
        let at = (self.area.middle().0, self.area.bottom() + distance);
        let label = muted(11.5).centre().top();
        self.sheet.text(name, at, label);
    }

    /// Says what the vertical axis shows, turned, at `x` pixels from the left edge of the sheet.
    pub fn name_beside(&self, name: &str, x: f64) {
        let label = muted(11.5).centre().middle().turned();
        self.sheet.text(name, (x, self.area.middle().1), label);
    }
}

fn stroke(paint: impl Into<Paint>, width: f64) -> ShapeStyle {
    let Paint { colour, opacity } = paint.into();
    colour.mix(opacity).stroke_width(units(width) as u32)
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_is_literal_in_a_title_stands_in_quotation_marks() {
        assert_eq!(quoted("`a` costs 3, `b` 1"), "“a” costs 3, “b” 1");
    }
}
