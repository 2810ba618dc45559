//! A picture as PNG, twice its size, with the fonts compiled in: the bytes are the same on every machine.

use super::area::{Area, Point};
use super::fonts;
use super::label::Label;
use super::palette::Paint;
use super::raster::Raster;
use super::shape::{Picture, Shape};
use super::theme::Theme;
use plotters::style::RGBColor;
use tiny_skia::{
    Color, FillRule, FilterQuality, LineJoin, Path, PathBuilder, Pattern, Pixmap,
    PremultipliedColorU8, Rect, SpreadMode, Stroke, Transform,
};
use ttf_parser::gpos::{PairAdjustment, PositioningSubtable};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Pixels of the PNG for one of the picture: sharp on a slide.
const SCALE: f32 = 2.0;

/// A picture that could not be painted.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// Its pixels can't be counted, or there are none.
    #[error("the picture has no area or is too large")]
    Size,
    /// The pixels can't be written.
    #[error(transparent)]
    Encoding(#[from] png::EncodingError),
}

impl Picture {
    /// The picture as PNG bytes.
    ///
    /// # Errors
    /// When the picture has no area or is too large.
    pub fn png(&self, theme: Theme) -> Result<Vec<u8>, PngError> {
        let [width, height] = [self.width, self.height].map(|px| px * SCALE as u32);
        let pixels = Pixmap::new(width, height).ok_or(PngError::Size)?;
        let [regular, semi_bold] = [fonts::REGULAR, fonts::SEMI_BOLD].map(Typeface::of);
        let mut canvas = Canvas { pixels, theme };
        for shape in &self.shapes {
            match shape {
                Shape::Rect(area, paint) => canvas.fill(rect(*area), *paint),
                Shape::Line(points, width, paint) => {
                    canvas.stroke(polyline(points), *width, *paint)
                }
                Shape::Polygon(points, paint) => canvas.fill(polyline(points), *paint),
                Shape::Disc(centre, radius, paint) => canvas.fill(circle(*centre, *radius), *paint),
                Shape::Ring(centre, radius, edge, paint) => {
                    canvas.stroke(circle(*centre, *radius), *edge, *paint)
                }
                Shape::Text(text, at, label) => {
                    let face = if label.bold { &semi_bold } else { &regular };
                    canvas.fill(face.text(text, *at, label), label.paint)
                }
                Shape::Image(area, raster) => canvas.image(*area, raster),
            }
        }
        Ok(canvas.pixels.encode_png()?)
    }
}

struct Canvas {
    pixels: Pixmap,
    theme: Theme,
}

impl Canvas {
    /// Nothing is drawn of a path without extent.
    fn fill(&mut self, path: Option<Path>, paint: Paint) {
        if let Some(path) = path {
            let paint = solid(self.theme.fill(paint.colour), paint.opacity);
            let (rule, scale) = (FillRule::Winding, Transform::from_scale(SCALE, SCALE));
            self.pixels.fill_path(&path, &paint, rule, scale, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, width: f64, paint: Paint) {
        if let Some(path) = path {
            let paint = solid(self.theme.stroke(paint.colour), paint.opacity);
            let stroke = Stroke {
                width: width as f32,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            let scale = Transform::from_scale(SCALE, SCALE);
            self.pixels.stroke_path(&path, &paint, &stroke, scale, None);
        }
    }

    fn image(&mut self, area: Area, raster: &Raster) {
        let (width, cells) = raster.colours();
        let cells: Vec<PremultipliedColorU8> = cells
            .map(|paint| {
                let solid = colour(paint.colour, paint.opacity);
                solid.premultiply().to_color_u8()
            })
            .collect();
        let height = cells.len() / width;
        let Some(mut image) = Pixmap::new(width as u32, height as u32) else {
            return;
        };
        image.pixels_mut().copy_from_slice(&cells);
        let paint = tiny_skia::Paint {
            shader: Pattern::new(
                image.as_ref(),
                SpreadMode::Pad,
                FilterQuality::Nearest,
                1.0,
                Transform::identity(),
            ),
            ..tiny_skia::Paint::default()
        };
        let [left, top, across, along] = [
            area.left,
            area.top,
            area.width / width as f64,
            area.height / height as f64,
        ]
        .map(|pixels| pixels as f32);
        let stretch = Transform::from_scale(SCALE, SCALE)
            .pre_translate(left, top)
            .pre_scale(across, along);
        if let Some(whole) = Rect::from_xywh(0.0, 0.0, width as f32, height as f32) {
            self.pixels.fill_rect(whole, &paint, stretch, None);
        }
    }
}

fn colour(RGBColor(red, green, blue): RGBColor, opacity: f64) -> Color {
    let alpha = (opacity * 255.0).round() as u8;
    Color::from_rgba8(red, green, blue, alpha)
}

fn solid(of: RGBColor, opacity: f64) -> tiny_skia::Paint<'static> {
    let mut paint = tiny_skia::Paint::default();
    paint.set_color(colour(of, opacity));
    paint
}

fn rect(area: Area) -> Option<Path> {
    let [x, y, width, height] =
        [area.left, area.top, area.width, area.height].map(|pixels| pixels as f32);
    Some(PathBuilder::from_rect(Rect::from_xywh(
        x, y, width, height,
    )?))
}

fn circle((x, y): Point, radius: f64) -> Option<Path> {
    PathBuilder::from_circle(x as f32, y as f32, radius as f32)
}

fn polyline(points: &[Point]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (at, (x, y)) in points.iter().enumerate() {
        match at {
            0 => path.move_to(*x as f32, *y as f32),
            _ => path.line_to(*x as f32, *y as f32),
        }
    }
    path.finish()
}

/// A font compiled in.
struct Typeface(Face<'static>);

impl Typeface {
    fn of(bytes: &'static [u8]) -> Self {
        Self(Face::parse(bytes, 0).expect("the font compiled in is one"))
    }

    /// The outlines of a line of text, where its label places it.
    fn text(&self, text: &str, (x, y): Point, label: &Label) -> Option<Path> {
        let em = label.size / f64::from(self.0.units_per_em());
        let mut outlines = Outlines::default();
        let mut before = None;
        for letter in text.chars() {
            let glyph = self.0.glyph_index(letter).unwrap_or_default();
            outlines.across += before.map_or(0.0, |before| self.kerning(before, glyph));
            self.0.outline_glyph(glyph, &mut outlines);
            outlines.across += f32::from(self.0.glyph_hor_advance(glyph).unwrap_or_default());
            before = Some(glyph);
        }
        let left = em * f64::from(outlines.across) * label.across.share();
        let baseline = label.size * fonts::CAP_HEIGHT * label.along.share();
        let turn = Transform::from_rotate(if label.turned { 270.0 } else { 0.0 });
        let place = Transform::from_translate(x as f32, y as f32)
            .pre_concat(turn)
            .pre_translate(-left as f32, baseline as f32)
            // Fonts count upwards.
            .pre_scale(em as f32, -em as f32);
        outlines.path.finish()?.transform(place)
    }

    /// How much farther apart than others two letters stand, in units of the font.
    fn kerning(&self, one: GlyphId, other: GlyphId) -> f32 {
        let lookups = self.0.tables().gpos.map(|table| table.lookups);
        let lookups = lookups.into_iter().flatten();
        let moved = |pair: PairAdjustment<'_>| match pair {
            PairAdjustment::Format1 { coverage, sets } => {
                let (value, _) = sets.get(coverage.get(one)?)?.get(other)?;
                Some(value.x_advance)
            }
            PairAdjustment::Format2 {
                coverage,
                classes,
                matrix,
            } => {
                coverage.get(one)?;
                let (value, _) = matrix.get((classes.0.get(one), classes.1.get(other)))?;
                Some(value.x_advance)
            }
        };
        let of_lookup = |lookup: ttf_parser::opentype_layout::Lookup<'_>| {
            let tables = lookup.subtables.into_iter::<PositioningSubtable<'_>>();
            // The first table that knows the pair decides.
            tables
                .filter_map(|table| match table {
                    PositioningSubtable::Pair(pair) => moved(pair),
                    _ => None,
                })
                .next()
        };
        lookups.filter_map(of_lookup).map(f32::from).sum()
    }
}

/// The outlines of a line's letters in units of the font, beside each other.
#[derive(Default)]
struct Outlines {
    path: PathBuilder,
    /// Where the next letter starts.
    across: f32,
}

impl OutlineBuilder for Outlines {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.across + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.across + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let across = self.across;
        self.path.quad_to(across + x1, y1, across + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let across = self.across;
        self.path
            .cubic_to(across + x1, y1, across + x2, y2, across + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
