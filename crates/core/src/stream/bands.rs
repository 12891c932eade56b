//! Which regions of a variable are read at once, so that values come in C order and no chunk is decoded more often than
//! memory forces.
//!
//! A **layer** is as thin as chunks allow: regions that follow each other in C order and share no chunk. Where a layer fits into
//! memory, a band is one or more of them. Where it does not (chunks are long in the slow dimensions and the variable is
//! wide), the bands of a layer share its chunks:
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

/// Bytes of a band, about, where chunks do not ask for more.
pub const BAND_BYTES: u64 = 1 << 20;

/// Bytes of a band, at most, but for the length of one chunk where even that is more.
pub const MOST_BYTES: u64 = 16 << 20;

/// Layers larger than this are for no disk.
const MOST_LAYERED: u64 = 1 << 42;

/// Regions that follow each other in C order and together cover a variable.
pub struct Bands<'a> {
    shape: &'a [u64],
    chunk: &'a [u64],
    size: usize,
    layer: u64,
}

impl<'a> Bands<'a> {
    /// For a variable of this shape, with chunks of the shape `chunk` (empty where it has none) and elements of `size` bytes.
    pub fn new(shape: &'a [u64], chunk: &'a [u64], size: usize) -> Self {
        let chunk = if chunk.len() == shape.len() { chunk } else { &[] };
        // The first dimension in which a chunk has more than one element is what a layer is cut from.
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

    /// Whether bands share chunks, and are to be read layer by layer.
    pub fn are_layered(&self) -> bool {
        self.layer > MOST_BYTES && self.layer <= MOST_LAYERED
    }

    /// The layers.
    pub fn layers(&self) -> impl Iterator<Item = Region> + Send + use<> {
        slabs(self.shape, self.chunk, self.size, self.layer)
    }

    /// Bytes of a band of a layer, at most, by whether it costs nothing to read.
    pub fn budget(&self, is_free: bool) -> u64 {
        if is_free { BAND_BYTES } else { MOST_BYTES }
    }

    /// The bands of a layer, by whether it costs nothing to read; else it is decoded again for each.
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

    /// All bands.
    pub fn all(&self) -> impl Iterator<Item = Region> + Send + use<> {
        slabs(self.shape, self.chunk, self.size, self.budget_of_all())
    }

    /// Bytes of a band, at most, where there are no layers: room for chunks to be decoded once.
    pub fn budget_of_all(&self) -> u64 {
        self.layer.clamp(BAND_BYTES, MOST_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkGrid;

    /// How often each chunk is met by bands.
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
