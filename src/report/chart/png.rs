//! PNG from the SVG charts, at twice their size, with the fonts compiled in. Must not know what they show.

use super::{ChartError, font};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageRendering, Options, Tree};

/// Pixels of the PNG for one of the SVG: sharp on a slide.
const SCALE: f32 = 2.0;

/// `svg` as PNG bytes. The machine's fonts are not read, so the bytes are the same everywhere.
pub fn render(svg: &str) -> Result<Vec<u8>, ChartError> {
    let mut options = Options {
        font_family: font::FAMILY.to_owned(),
        // usvg takes `pixelated` from styles alone: as an attribute it goes unread, and cells would run into each other.
        image_rendering: ImageRendering::Pixelated,
        ..Options::default()
    };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(font::REGULAR.to_vec());
    fonts.load_font_data(font::SEMI_BOLD.to_vec());
    fonts.set_sans_serif_family(font::FAMILY);
    let tree = Tree::from_str(svg, &options).map_err(ChartError::new)?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width() as f32 * SCALE, size.height() as f32 * SCALE);
    let mut pixels = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| ChartError::new("the picture has no area or is too large"))?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(ChartError::new)
}
