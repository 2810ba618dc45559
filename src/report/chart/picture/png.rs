//! A picture as PNG, twice its size, with the fonts compiled in: the bytes are the same on every machine.

use super::colours::{Paint, Theme};
use super::fonts;
use super::raster::Raster;
use super::sheet::{Area, Label, Outline, Picture, Point, Shape};
use plotters::style::RGBColor;
use tiny_skia::{
    FillRule, FilterQuality, LineJoin, Path, PathBuilder, Pattern, Pixmap, Rect, SpreadMode,
    Stroke, Transform,
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
                Shape::Area(outline, paint) => canvas.fill(path(outline), *paint),
                Shape::Line(outline, width, paint) => canvas.stroke(path(outline), *width, *paint),
                Shape::Text(text, at, label) => {
                    let face = if label.bold { &semi_bold } else { &regular };
                    canvas.fill(face.text(text, *at, label), label.paint)
                }
                Shape::Image(area, raster) => canvas.image(*area, raster).unwrap_or_default(),
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
            let rule = FillRule::Winding;
            self.pixels.fill_path(&path, &paint, rule, scale(), None);
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
            self.pixels
                .stroke_path(&path, &paint, &stroke, scale(), None);
        }
    }

    fn image(&mut self, area: Area, raster: &Raster) -> Option<()> {
        let image = Pixmap::decode_png(&raster.png()).ok()?;
        let (width, height) = (image.width() as f32, image.height() as f32);
        let whole = Rect::from_xywh(0.0, 0.0, width, height)?;
        let (mode, quality) = (SpreadMode::Pad, FilterQuality::Nearest);
        let pattern = Pattern::new(image.as_ref(), mode, quality, 1.0, Transform::identity());
        let paint = tiny_skia::Paint {
            shader: pattern,
            ..tiny_skia::Paint::default()
        };
        let stretch = scale()
            .pre_translate(area.left as f32, area.top as f32)
            .pre_scale(area.width as f32 / width, area.height as f32 / height);
        self.pixels.fill_rect(whole, &paint, stretch, None);
        Some(())
    }
}

/// From the picture's pixels to those of the PNG.
fn scale() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn solid(RGBColor(red, green, blue): RGBColor, opacity: f64) -> tiny_skia::Paint<'static> {
    let mut paint = tiny_skia::Paint::default();
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn path(outline: &Outline) -> Option<Path> {
    let mut path = PathBuilder::new();
    match outline {
        Outline::Rect(area) => {
            let [x, y, w, h] = [area.left, area.top, area.width, area.height].map(|px| px as f32);
            path.push_rect(Rect::from_xywh(x, y, w, h)?);
        }
        Outline::Circle((x, y), radius) => path.push_circle(*x as f32, *y as f32, *radius as f32),
        Outline::Path(points) => {
            for (at, (x, y)) in points.iter().enumerate() {
                match at {
                    0 => path.move_to(*x as f32, *y as f32),
                    _ => path.line_to(*x as f32, *y as f32),
                }
            }
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
            let mut pairs = tables.filter_map(|table| match table {
                PositioningSubtable::Pair(pair) => moved(pair),
                _ => None,
            });
            pairs.next()
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

#[cfg(test)]
mod tests {
    use super::super::{PAPER, Sheet, ink};
    use super::*;

    const ORANGE: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

    /// Red, green, blue at a point of the picture.
    fn at(png: &[u8], x: u32, y: u32) -> [u8; 3] {
        let pixels = Pixmap::decode_png(png).expect("a PNG");
        let pixel = pixels.pixel(2 * x, 2 * y).expect("a pixel of it");
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    #[test]
    fn shapes_lie_where_they_were_drawn_in_the_colours_of_the_theme() {
        let sheet = Sheet::new(100.0, 60.0, "", "");
        sheet.rect(Area::new(0.0, 0.0, 100.0, 60.0), PAPER);
        sheet.disc((20.0, 20.0), 5.0, ORANGE);
        sheet.ring((50.0, 20.0), 5.0, 2.0, ORANGE);
        sheet.line(&[(70.0, 10.0), (70.0, 30.0)], 4.0, ORANGE);
        let raster = Raster::new(2, vec![PAPER.into(), ORANGE.into()], vec![0, 1]);
        sheet.image(Area::new(10.0, 40.0, 20.0, 10.0), raster);
        let picture = sheet.finish();
        let png = picture.png(Theme::Light).expect("a picture");
        let (orange, white) = ([0xd5, 0x5e, 0x00], [255; 3]);
        for (x, y, expected) in [
            (20, 20, orange),
            (50, 20, white),
            (45, 20, orange),
            (70, 20, orange),
            (75, 20, white),
            (15, 45, white),
            (25, 45, orange),
        ] {
            assert_eq!(at(&png, x, y), expected, "{x}, {y}");
        }
        let png = picture.png(Theme::Dark).expect("a picture");
        assert_eq!(at(&png, 90, 50), [0x14, 0x17, 0x1b]);
        assert_eq!(at(&png, 20, 20), [0xc3, 0x78, 0x0f]);
        // Images are heat, which means the same in every theme.
        assert_eq!(at(&png, 25, 45), orange);
    }

    #[test]
    fn text_stands_where_its_label_says_and_pairs_are_kerned() {
        let face = Typeface::of(fonts::REGULAR);
        let bounds = |text: &str, label: Label| {
            let path = face.text(text, (50.0, 50.0), &label);
            path.expect("letters have outlines").bounds()
        };
        let plain = bounds("HAH", ink(20.0));
        assert!(plain.left() > 50.0 && (plain.bottom() - 50.0).abs() < 0.01);
        let right = bounds("HAH", ink(20.0).right().top());
        assert!(right.right() < 50.0 && (right.top() - 50.0).abs() < 0.1);
        let turned = bounds("HAH", ink(20.0).turned());
        assert!((turned.right() - 50.0).abs() < 0.01 && turned.bottom() < 50.0);
        let [a, v] = ['A', 'V'].map(|letter| face.0.glyph_index(letter).expect("a glyph"));
        assert!(face.kerning(a, v) < 0.0 && face.kerning(a, a) > face.kerning(a, v));
    }

    #[test]
    fn a_picture_without_area_is_refused() {
        let picture = Sheet::new(0.0, 10.0, "", "").finish();
        assert!(matches!(picture.png(Theme::Light), Err(PngError::Size)));
    }
}
