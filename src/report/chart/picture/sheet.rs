//! Pictures: a display list of shapes and text, from the bottom to the top, and the sheet that charts and plotters fill it from. Points and
//! rectangles are in pixels from the top left corner.

use super::colours::{INK, MUTED, Paint};
use super::raster::Raster;
use plotters::style::RGBColor;
use std::cell::RefCell;
use std::rc::Rc;

/// Pixels to the right and down.
pub type Point = (f64, f64);

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    /// A rectangle by its top left corner and its size.
    pub fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self {
            left,
            top,
            width,
            height,
        }
    }

    /// The square around a point.
    pub fn around((x, y): Point, radius: f64) -> Self {
        Self::new(x - radius, y - radius, 2.0 * radius, 2.0 * radius)
    }

    /// The same rectangle, wider on the left and the right by `across` and higher above and below by `along`.
    pub fn grown(&self, across: f64, along: f64) -> Self {
        let (width, height) = (self.width + 2.0 * across, self.height + 2.0 * along);
        Self::new(self.left - across, self.top - along, width, height)
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The point in the middle.
    pub fn middle(&self) -> Point {
        (self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    /// Whether both cover some place.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right()
            && other.left < self.right()
            && self.top < other.bottom()
            && other.top < self.bottom()
    }

    /// Whether the other one lies within it.
    pub fn holds(&self, other: &Self) -> bool {
        other.left >= self.left
            && other.right() <= self.right()
            && other.top >= self.top
            && other.bottom() <= self.bottom()
    }

    /// The point of it that is nearest to another one.
    pub fn nearest(&self, (x, y): Point) -> Point {
        let x = x.clamp(self.left, self.right());
        (x, y.clamp(self.top, self.bottom()))
    }
}

/// What of a text lies at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end, or its baseline.
    Start,
    /// Its middle.
    Middle,
    /// Its right end, or the top of its capitals.
    End,
}

impl Anchor {
    /// The share of the width that lies left of the point, or of the capitals' height that lies below it.
    pub fn share(self) -> f64 {
        f64::from(self as u8) / 2.0
    }
}

/// How a line of text looks and where it stands: at first it starts at its point and stands on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    /// Font size in pixels (em).
    pub size: f64,
    /// Whether it is semi-bold.
    pub bold: bool,
    /// Its colour.
    pub paint: Paint,
    /// Where it stands horizontally.
    pub across: Anchor,
    /// Where it stands vertically.
    pub along: Anchor,
    /// Whether it is turned to read upwards.
    pub turned: bool,
}

/// Text of `size` pixels in regular ink; nothing below 10 is readable at 980.
pub fn ink(size: f64) -> Label {
    debug_assert!(size >= 10.0);
    Label {
        size,
        bold: false,
        paint: INK.into(),
        across: Anchor::Start,
        along: Anchor::Start,
        turned: false,
    }
}

/// Semi-bold text.
pub fn bold(size: f64) -> Label {
    let bold = true;
    Label { bold, ..ink(size) }
}

/// Text in the colour of what is secondary.
pub fn muted(size: f64) -> Label {
    ink(size).colour(MUTED)
}

impl Label {
    /// The same text in `colour`.
    pub fn colour(self, colour: RGBColor) -> Self {
        let paint = colour.into();
        Self { paint, ..self }
    }

    /// The same text hanging from its point.
    pub fn top(self) -> Self {
        let along = Anchor::End;
        Self { along, ..self }
    }

    /// The same text vertically centred on its point.
    pub fn middle(self) -> Self {
        let along = Anchor::Middle;
        Self { along, ..self }
    }

    /// The same text ending at its point.
    pub fn right(self) -> Self {
        let across = Anchor::End;
        Self { across, ..self }
    }

    /// The same text horizontally centred on its point.
    pub fn centre(self) -> Self {
        let across = Anchor::Middle;
        Self { across, ..self }
    }

    /// The same text reading upwards.
    pub fn turned(self) -> Self {
        let turned = true;
        Self { turned, ..self }
    }
}

/// Where something is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// A rectangle.
    Rect(Area),
    /// Points that are joined by lines.
    Path(Vec<Point>),
    /// A circle around a point.
    Circle(Point, f64),
}

/// One thing to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// What lies within an outline.
    Area(Outline, Paint),
    /// The outline itself, so many pixels wide; a path is not closed.
    Line(Outline, f64, Paint),
    /// One line of text.
    Text(String, Point, Label),
    /// An image stretched over a rectangle without smoothing.
    Image(Area, Raster),
}

/// A picture on white paper, which a theme may exchange when it is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// What a screen reader says first.
    pub title: String,
    /// What it says then.
    pub description: String,
    /// What lies on it, from the bottom to the top.
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// Puts one more line of text on it.
    pub fn add_text(&mut self, text: &str, at: Point, label: Label) {
        if !text.is_empty() {
            self.shapes.push(Shape::Text(text.to_owned(), at, label));
        }
    }
}

/// A handle to a growing display list; its clones draw on the same one.
#[derive(Debug, Clone)]
pub struct Sheet(Rc<RefCell<Picture>>);

impl Sheet {
    /// An empty picture of `width` x `height` pixels; `title` and `description` are what a screen reader says.
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        Self(Rc::new(RefCell::new(Picture {
            width: width as u32,
            height: height.ceil() as u32,
            title: title.to_owned(),
            description: description.to_owned(),
            shapes: Vec::new(),
        })))
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        let picture = self.0.borrow();
        (picture.width, picture.height)
    }

    /// The finished picture.
    pub fn finish(&self) -> Picture {
        self.0.take()
    }

    fn push(&self, shape: Shape) {
        self.0.borrow_mut().shapes.push(shape);
    }

    /// A filled rectangle; nothing when it has no area.
    pub fn rect(&self, area: Area, paint: impl Into<Paint>) {
        let paint = paint.into();
        if paint.opacity > 0.0 && area.width > 0.0 && area.height > 0.0 {
            self.push(Shape::Area(Outline::Rect(area), paint));
        }
    }

    /// A line through points, `width` pixels wide.
    pub fn line(&self, points: &[Point], width: f64, paint: impl Into<Paint>) {
        if points.len() > 1 {
            let path = Outline::Path(points.to_vec());
            self.push(Shape::Line(path, width, paint.into()));
        }
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[Point], paint: impl Into<Paint>) {
        let paint = paint.into();
        if points.len() > 2 && paint.opacity > 0.0 {
            self.push(Shape::Area(Outline::Path(points.to_vec()), paint));
        }
    }

    /// A filled circle.
    pub fn disc(&self, centre: Point, radius: f64, paint: impl Into<Paint>) {
        self.push(Shape::Area(Outline::Circle(centre, radius), paint.into()));
    }

    /// A circle whose edge is `edge` pixels wide.
    pub fn ring(&self, centre: Point, radius: f64, edge: f64, paint: impl Into<Paint>) {
        let circle = Outline::Circle(centre, radius);
        self.push(Shape::Line(circle, edge, paint.into()));
    }

    /// One line of text.
    pub fn text(&self, text: &str, at: Point, label: Label) {
        self.0.borrow_mut().add_text(text, at, label);
    }

    /// Lines of text below each other, `step` pixels apart, from a point on.
    pub fn lines(&self, lines: &[impl AsRef<str>], (x, y): Point, step: f64, label: Label) {
        for (index, line) in lines.iter().enumerate() {
            self.text(line.as_ref(), (x, y + index as f64 * step), label);
        }
    }

    /// An image stretched over a rectangle.
    pub fn image(&self, area: Area, raster: Raster) {
        self.push(Shape::Image(area, raster));
    }
}
