//! The keys of chunks in a store: the chunk's coordinates, joined with `.` or with `/`, in version 3 behind a `c`.
//!
//! Zarr version 2, "Arrays" and `dimension_separator`. The only chunk of a scalar has the key `0`.
//!
//! Zarr version 3, "Chunk key encoding". The encoding `default` gives a scalar the key `c`, the encoding `v2` the key `0`.

use std::fmt::Write as _;

use crate::chunk::ChunkGrid;

/// The character between the coordinates in a chunk's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySeparator {
    /// `0.1.2`: one key beside the other.
    Dot,
    /// `0/1/2`: in folders.
    Slash,
}

impl KeySeparator {
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
        let mut key = String::with_capacity(8 * coordinates.len());
        for (n, coordinate) in coordinates.iter().enumerate() {
            if n > 0 {
                key.push_str(self.text());
            }
            // A string takes any text.
            let _ = write!(key, "{coordinate}");
        }
        key
    }

    /// The number of the chunk with this key; `None` if the key is no chunk's.
    pub fn chunk(self, key: &str, grid: &ChunkGrid) -> Option<u64> {
        let counts = grid.counts();
        if counts.is_empty() {
            return (key == "0").then_some(0);
        }
        let mut parts = key.split(match self {
            Self::Dot => '.',
            Self::Slash => '/',
        });
        // As `ChunkGrid::index` does, without a list of the coordinates: there are millions of keys.
        let mut number = 0u64;
        for count in counts {
            let at = coordinate(parts.next()?).filter(|at| at < count)?;
            number = number.wrapping_mul(*count).wrapping_add(at);
        }
        parts.next().is_none().then_some(number)
    }
}

/// The form of the keys of chunks: `c/0/1` or `0.1`.
///
/// Zarr version 3, "Chunk key encoding".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkKeys {
    /// True if a key begins with `c`, as in the encoding `default`. False for the encoding `v2`.
    pub begin_with_c: bool,
    /// The character between coordinates.
    pub separator: KeySeparator,
}

impl ChunkKeys {
    /// Keys such as `0.1`, which version 2 of Zarr writes.
    pub const V2: Self = Self {
        begin_with_c: false,
        separator: KeySeparator::Dot,
    };

    /// Keys such as `c/0/1`, which version 3 of Zarr writes.
    pub const DEFAULT: Self = Self {
        begin_with_c: true,
        separator: KeySeparator::Slash,
    };

    /// The key of a chunk or shard below its array.
    pub fn key(self, coordinates: &[u64]) -> String {
        match (self.begin_with_c, coordinates.is_empty()) {
            (false, _) => self.separator.key(coordinates),
            (true, true) => "c".to_owned(),
            (true, false) => format!("c{}{}", self.separator.text(), self.separator.key(coordinates)),
        }
    }

    /// The number of the chunk or shard with this key; `None` if the key is no chunk's.
    pub fn chunk(self, key: &str, grid: &ChunkGrid) -> Option<u64> {
        if !self.begin_with_c {
            return self.separator.chunk(key, grid);
        }
        let rest = key.strip_prefix('c')?;
        match grid.counts().is_empty() {
            true => rest.is_empty().then_some(0),
            false => self
                .separator
                .chunk(rest.strip_prefix(self.separator.text())?, grid),
        }
    }
}

impl Default for ChunkKeys {
    fn default() -> Self {
        Self::DEFAULT
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
        for separator in [KeySeparator::Dot, KeySeparator::Slash] {
            for chunk in 0..grid.len() {
                let key = separator.key(&grid.coordinates(chunk));
                assert_eq!(separator.chunk(&key, &grid), Some(chunk), "{key}");
            }
        }
        assert_eq!(KeySeparator::Slash.key(&[2, 0, 1]), "2/0/1");
        for odd in [
            "", "0", "0.0", "0.0.0.0", "3.0.0", "0.1.0", "00.0.0", "+1.0.0", "0.0.-1", ".zarray", "0/0/0",
        ] {
            assert_eq!(KeySeparator::Dot.chunk(odd, &grid), None, "{odd}");
        }
    }

    #[test]
    fn keys_of_version_3_are_translated_both_ways() {
        let grid = ChunkGrid::new(&[5, 7, 3], &[2, 7, 1]).unwrap();
        let scalar = ChunkGrid::new(&[], &[]).unwrap();
        for (begin_with_c, separator, text, of_scalar) in [
            (true, KeySeparator::Slash, "c/2/0/1", "c"),
            (true, KeySeparator::Dot, "c.2.0.1", "c"),
            (false, KeySeparator::Slash, "2/0/1", "0"),
            (false, KeySeparator::Dot, "2.0.1", "0"),
        ] {
            let keys = ChunkKeys {
                begin_with_c,
                separator,
            };
            assert_eq!(keys.key(&[2, 0, 1]), text);
            assert_eq!(keys.key(&[]), of_scalar);
            assert_eq!(keys.chunk(of_scalar, &scalar), Some(0));
            for chunk in 0..grid.len() {
                assert_eq!(
                    keys.chunk(&keys.key(&grid.coordinates(chunk)), &grid),
                    Some(chunk)
                );
            }
            for odd in [
                "",
                "c",
                "c/",
                "c/0",
                "c/3/0/0",
                "c/0/0/0/0",
                "cc/0/0/0",
                "c0/0/0",
                "zarr.json",
            ] {
                assert_eq!(keys.chunk(odd, &grid), None, "{odd}");
            }
            assert_eq!(keys.chunk("c0", &scalar), None);
        }
    }

    #[test]
    fn a_scalar_has_one_chunk() {
        let grid = ChunkGrid::new(&[], &[]).unwrap();
        assert_eq!(KeySeparator::Dot.key(&[]), "0");
        assert_eq!(KeySeparator::Dot.chunk("0", &grid), Some(0));
        assert_eq!(KeySeparator::Slash.chunk("0.0", &grid), None);
    }
}
