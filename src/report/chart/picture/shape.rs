//! The display list: what a picture consists of, from the bottom to the top.

use super::area::{Area, Point};
use super::label::Label;
use super::palette::Paint;
use super::raster::Raster;

/// One thing to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Rect(Area, Paint),
    /// A line through points, so many pixels wide.
    Line(Vec<Point>, f64, Paint),
    /// A filled polygon.
    Polygon(Vec<Point>, Paint),
    /// A filled circle.
    Disc(Point, f64, Paint),
    /// A circle whose edge is so many pixels wide.
    Ring(Point, f64, f64, Paint),
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
