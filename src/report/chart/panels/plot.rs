//! One panel: a coordinate system with its axes and marks, which plotters draws.

use super::axis::Axis;
use crate::report::chart::picture::{
    AXIS, Area, FAMILY, GRID, MUTED, Paint, Point, SIZE_OF_EM, Sheet, UNITS_PER_PX, muted, units,
};
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon};
use plotters::prelude::Cartesian2d;
use plotters::series::DashedLineSeries;
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TRANSPARENT, TextStyle,
};

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

    /// A filled area.
    pub fn band(&mut self, outline: Vec<(f64, f64)>, colour: RGBColor) {
        let band = Polygon::new(outline, colour.filled());
        self.context.draw_series([band]).expect(DRAWN);
    }

    /// Dots at points of the coordinate system.
    pub fn dots(&mut self, points: &[(f64, f64)], radius: f64, colour: RGBColor) {
        let dot = |point: &(f64, f64)| Circle::new(*point, units(radius), colour.filled());
        let dots: Vec<_> = points.iter().map(dot).collect();
        self.context.draw_series(dots).expect(DRAWN);
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
