//! The keys of chunks: the chunk's coordinates, joined with `.` or with `/`.
//!
//! Zarr version 2, "Arrays" and `dimension_separator`. The only chunk of a scalar has the key `0`.

use crate::chunk::ChunkGrid;

/// The character between the coordinates in a chunk's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `0.1.2`: one key beside the other.
    Dot,
    /// `0/1/2`: in folders.
    Slash,
}

impl Separator {
    /// The separator as it is written in metadata.
    pub fn text(self) -> &'static str {
        match self {
            Self::Dot => ".",
            Self::Slash => "/",
        }
    }

    /// The key of a chunk below its array.
    pub fn key(self, coordinates: &[u64]) -> String {
        if coordinates.is_empty() {
            return "0".to_owned();
        }
        let texts: Vec<String> = coordinates.iter().map(u64::to_string).collect();
        texts.join(self.text())
    }

    /// The number of the chunk with this key; `None` if the key is no chunk's.
    pub fn chunk(self, key: &str, grid: &ChunkGrid) -> Option<u64> {
        let counts = grid.counts();
        if counts.is_empty() {
            return (key == "0").then_some(0);
        }
        let mut parts = key.split(self.text());
        let mut coordinates = Vec::with_capacity(counts.len());
        for count in counts {
            coordinates.push(coordinate(parts.next()?).filter(|at| at < count)?);
        }
        parts.next().is_none().then(|| grid.index(&coordinates))
    }
}

/// A coordinate in decimal digits, without a sign or leading zeros.
fn coordinate(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_chunks_are_translated_both_ways() {
        let grid = ChunkGrid::new(&[5, 7, 3], &[2, 7, 1]).unwrap();
        for separator in [Separator::Dot, Separator::Slash] {
            for chunk in 0..grid.len() {
                let key = separator.key(&grid.coordinates(chunk));
                assert_eq!(separator.chunk(&key, &grid), Some(chunk), "{key}");
            }
        }
        assert_eq!(Separator::Slash.key(&[2, 0, 1]), "2/0/1");
        for odd in [
            "", "0", "0.0", "0.0.0.0", "3.0.0", "0.1.0", "00.0.0", "+1.0.0", "0.0.-1", ".zarray", "0/0/0",
        ] {
            assert_eq!(Separator::Dot.chunk(odd, &grid), None, "{odd}");
        }
    }

    #[test]
    fn a_scalar_has_one_chunk() {
        let grid = ChunkGrid::new(&[], &[]).unwrap();
        assert_eq!(Separator::Dot.key(&[]), "0");
        assert_eq!(Separator::Dot.chunk("0", &grid), Some(0));
        assert_eq!(Separator::Slash.chunk("0.0", &grid), None);
    }
}
