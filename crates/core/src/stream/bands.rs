//! Which regions of a variable are read at once. Values come in C order, and a chunk is decoded more than
//! once only if memory forces it.
//!
//! A **layer** is as thin as chunks allow: layers follow each other in C order and share no chunk. If a layer
//! fits into memory, a band is one or more layers. If it does not (chunks are long in the slow dimensions and
//! the variable is wide), a layer is cut into bands that share its chunks:
//!
//! ```text
//! ┌──┬──┬──┬──┐ ─ ┬ band    each chunk belongs to all
//! │  │  │  │  │ ─ ┼ band    bands of its layer
//! │  │  │  │  │ ─ ┴ band
//! ├──┼──┼──┼──┤
//! ```
//!
//! Such a layer is decoded once, into a temporary file (see [`super::spilled`]).

use super::slabs::slabs;
use crate::format::Region;

/// About how many bytes a band has, unless chunks need more.
pub const BAND_BYTES: u64 = 1 << 20;

/// Upper limit of a band, in bytes, unless a single element is larger.
pub const MOST_BYTES: u64 = 16 << 20;

/// Layers above this size, in bytes, are not spilled to a temporary file.
const MOST_LAYERED: u64 = 1 << 42;

/// Regions in C order that together cover a variable.
pub struct Bands<'a> {
    shape: &'a [u64],
    chunk: &'a [u64],
    size: usize,
    layer: u64,
}

impl<'a> Bands<'a> {
    /// The bands of a variable of this shape. `chunk` is the shape of its chunks (empty if it has none), and
    /// `size` the bytes of an element.
    pub fn new(shape: &'a [u64], chunk: &'a [u64], size: usize) -> Self {
        let chunk = if chunk.len() == shape.len() { chunk } else { &[] };
        // Layers are cut along the first dimension in which a chunk has more than one element.
        let thickness = |(chunk, length): (&u64, &u64)| *chunk.min(length);
        let thick: Vec<u64> = chunk.iter().zip(shape).map(thickness).collect();
        let first = thick.iter().position(|n| *n > 1).unwrap_or(shape.len());
        let layer = match thick.get(first) {
            None => 0,
            Some(length) => shape[first + 1..]
                .iter()
                .fold((size as u64).saturating_mul(*length), |bytes, n| {
                    bytes.saturating_mul(*n)
                }),
        };
        Self {
            shape,
            chunk,
            size,
            layer,
        }
    }

    /// True if bands share chunks, so that the variable is to be read layer by layer.
    pub fn are_layered(&self) -> bool {
        self.layer > MOST_BYTES && self.layer <= MOST_LAYERED
    }

    /// The layers.
    pub fn layers(&self) -> impl Iterator<Item = Region> + Send + use<> {
        slabs(self.shape, self.chunk, self.size, self.layer)
    }

    /// Upper limit, in bytes, of a band within a layer. `is_free` is true if reading it decodes nothing.
    pub fn budget(&self, is_free: bool) -> u64 {
        if is_free { BAND_BYTES } else { MOST_BYTES }
    }

    /// The bands of a layer. If `is_free` is false, each band decodes the layer's chunks again.
    pub fn within(&self, layer: &Region, is_free: bool) -> impl Iterator<Item = Region> + Send + use<> {
        let bytes = self.budget(is_free);
        let origin = layer.start.clone();
        slabs(&layer.count, self.chunk, self.size, bytes).map(move |mut band| {
            for (start, origin) in band.start.iter_mut().zip(&origin) {
                *start += origin;
            }
            band
        })
    }

    /// The bands of a variable without layers.
    pub fn all(&self) -> impl Iterator<Item = Region> + Send + use<> {
        slabs(self.shape, self.chunk, self.size, self.budget_of_all())
    }

    /// Upper limit, in bytes, of a band without layers. It leaves room to decode each chunk once.
    pub fn budget_of_all(&self) -> u64 {
        self.layer.clamp(BAND_BYTES, MOST_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkGrid;

    /// How many bands meet each chunk.
    fn passes(shape: &[u64], chunk: &[u64], size: usize) -> u64 {
        let grid = ChunkGrid::new(shape, chunk).unwrap();
        let mut met = vec![0; grid.len() as usize];
        for band in Bands::new(shape, chunk, size).all() {
            assert!(band.element_count().unwrap() * size as u64 <= MOST_BYTES);
            for chunk in grid.chunks_in(&band) {
                met[chunk as usize] += 1;
            }
        }
        met.into_iter().max().unwrap()
    }

    #[test]
    fn bands_end_where_chunks_end() {
        assert_eq!(passes(&[248, 361, 720], &[1, 361, 720], 4), 1);
        assert_eq!(passes(&[248, 361, 720], &[1, 100, 100], 4), 1);
        assert_eq!(passes(&[248, 361, 720], &[10, 19, 36], 4), 1);
        assert_eq!(passes(&[3, 1_000_000], &[1, 1000], 8), 1);
        assert_eq!(passes(&[10_000_000], &[4096], 8), 1);
        assert_eq!(passes(&[248, 361, 720], &[16, 19, 36], 4), 1);
    }

    #[test]
    fn what_lies_across_is_read_in_layers() {
        let (shape, chunk) = ([248, 361, 720], [248, 19, 36]);
        let bands = Bands::new(&shape, &chunk, 4);
        assert!(bands.are_layered());
        assert_eq!(bands.layers().count(), 1);
        let (shape, chunk) = ([2, 1000, 361, 720], [1, 100, 19, 36]);
        let bands = Bands::new(&shape, &chunk, 4);
        assert!(bands.are_layered());
        let layers: Vec<Region> = bands.layers().collect();
        assert_eq!(layers.len(), 20);
        assert_eq!(layers[11].start, [1, 100, 0, 0]);
        assert_eq!(layers[11].count, [1, 100, 361, 720]);
        let within: Vec<Region> = bands.within(&layers[11], true).collect();
        assert_eq!(within.len(), 100);
        assert_eq!(
            (within[1].start.as_slice(), within[1].count.as_slice()),
            (&[1, 101, 0, 0][..], &[1, 1, 361, 720][..])
        );
    }

    #[test]
    fn any_shape_can_be_begun() {
        for chunk in [&[][..], &[1, 1], &[u64::MAX, 5], &[7, 1]] {
            let shape = [u64::MAX, u64::MAX];
            let bands = Bands::new(&shape, chunk, 8);
            assert!(!bands.are_layered());
            assert!(bands.all().nth(3).is_some());
        }
    }
}
