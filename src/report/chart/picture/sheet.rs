//! A picture under construction, which charts and plotters draw on.

use super::area::{Area, Point};
use super::label::Label;
use super::palette::Paint;
use super::raster::Raster;
use super::shape::{Picture, Shape};
use std::cell::RefCell;
use std::rc::Rc;

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
            self.push(Shape::Rect(area, paint));
        }
    }

    /// A line through points, `width` pixels wide.
    pub fn line(&self, points: &[Point], width: f64, paint: impl Into<Paint>) {
        if points.len() > 1 {
            self.push(Shape::Line(points.to_vec(), width, paint.into()));
        }
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[Point], paint: impl Into<Paint>) {
        let paint = paint.into();
        if points.len() > 2 && paint.opacity > 0.0 {
            self.push(Shape::Polygon(points.to_vec(), paint));
        }
    }

    /// A filled circle.
    pub fn disc(&self, centre: Point, radius: f64, paint: impl Into<Paint>) {
        self.push(Shape::Disc(centre, radius, paint.into()));
    }

    /// A circle whose edge is `edge` pixels wide.
    pub fn ring(&self, centre: Point, radius: f64, edge: f64, paint: impl Into<Paint>) {
        self.push(Shape::Ring(centre, radius, edge, paint.into()));
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
