//! Small images inside a picture: one byte a cell, a palette with opacity, PNG, base64.

use super::colours::Paint;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plotters::style::RGBColor;

/// A grid of cells, top row first.
#[derive(Debug, Clone, PartialEq)]
pub struct Raster {
    width: usize,
    palette: Vec<Paint>,
    cells: Vec<u8>,
}

impl Raster {
    /// A grid `width` cells wide, whose cells are colours of a palette of at most 256, row by row.
    pub fn new(width: usize, palette: Vec<Paint>, cells: Vec<u8>) -> Self {
        debug_assert!(palette.len() <= 256 && width > 0);
        Self {
            width,
            palette,
            cells,
        }
    }

    /// The image as base64 of an indexed PNG.
    pub fn base64(&self) -> String {
        base64(&self.png())
    }

    /// The image as an indexed PNG.
    pub fn png(&self) -> Vec<u8> {
        let height = self.cells.len() / self.width;
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Best);
        encoder.set_filter(png::FilterType::NoFilter);
        let colours = self.palette.iter().map(|paint| paint.colour);
        let opacities = self.palette.iter().map(|paint| paint.opacity);
        let channels = colours.flat_map(|RGBColor(red, green, blue)| [red, green, blue]);
        encoder.set_palette(channels.collect::<Vec<u8>>());
        let alpha = opacities.map(|opacity| (opacity * 255.0).round() as u8);
        encoder.set_trns(alpha.collect::<Vec<u8>>());
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.cells[..height * self.width]));
        written.expect("memory takes any PNG, and the cells are as many as the header says");
        bytes
    }
}

/// RFC 4648, with padding.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_reads_back_as_the_cells_with_their_opacity() {
        let palette = vec![
            Paint::new(RGBColor(1, 2, 3), 0.0),
            RGBColor(200, 100, 50).into(),
            RGBColor(9, 8, 7).into(),
        ];
        let raster = Raster::new(3, palette, vec![0, 1, 2, 2, 1, 0]);
        let mut reader = png::Decoder::new(std::io::Cursor::new(raster.png()))
            .read_info()
            .expect("a PNG");
        let info = reader.info();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(info.trns.as_deref(), Some(&[0u8, 255, 255][..]));
        let mut cells = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut cells).expect("cells");
        assert_eq!(cells, [0, 1, 2, 2, 1, 0]);
    }
}
