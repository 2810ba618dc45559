//! Points and rectangles of a picture, in pixels from its top left corner.

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
        let (left, top) = (self.left - across, self.top - along);
        Self::new(
            left,
            top,
            self.width + 2.0 * across,
            self.height + 2.0 * along,
        )
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
        (
            x.clamp(self.left, self.right()),
            y.clamp(self.top, self.bottom()),
        )
    }
}
