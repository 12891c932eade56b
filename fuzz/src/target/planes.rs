//! Fuzzes the blocks of deflate, which are chosen by what large planes of a chunk hold. An input describes such a chunk:
//!
//! ```text
//! level │ size of an element │ length of a plane: 2 bytes │ of each plane: kind, seed, period │ more bytes
//! ```

use std::path::Path;

use ncutils_core::filter::{ChunkShape, ChunkType, NumberClass, Registry, Scratch};
use ncutils_core::model::{CodecSpec, Endian};

use crate::Seed;

/// The id of deflate in HDF5.
const DEFLATE: u32 = 1;

/// Maximum size of a chunk, in bytes.
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Encodes the chunk, and decodes it.
pub fn round_trip(input: &[u8]) {
    let Some((bytes, level)) = chunk(input) else {
        return;
    };
    let size = usize::from(input[1] % 16) + 1;
    let count = bytes.len() / size;
    let chunk = ChunkType::of_numbers(NumberClass::Float, size, Endian::Little, &[count as u64]);
    let spec = CodecSpec::hdf5(DEFLATE, [level]);
    let pipeline = Registry::builtin()
        .bind(&[spec], &chunk)
        .expect("deflate has each level");
    let mut scratch = Scratch::new();
    let encoded = pipeline
        .encode(&bytes, ChunkShape::Full, &mut scratch)
        .expect("deflate takes any bytes");
    let decoded = pipeline
        .decode(encoded, ChunkShape::Full, &mut scratch)
        .expect("what was encoded decodes");
    assert!(decoded == bytes, "what was encoded decodes to itself");
}

/// The chunk that an input describes, and the level to encode it with.
pub fn chunk(input: &[u8]) -> Option<(Vec<u8>, u32)> {
    let ([level, size, low, high], rest) = input.split_first_chunk()?;
    let size = usize::from(*size % 16) + 1;
    let length = (usize::from(u16::from_le_bytes([*low, *high])) + 1).min(MAX_CHUNK_BYTES / size);
    let (kinds, end) = rest.split_at(rest.len().min(3 * size));
    let mut bytes: Vec<u8> = kinds
        .chunks_exact(3)
        .flat_map(|kind| plane(kind, length))
        .collect();
    bytes.extend_from_slice(end);
    bytes.truncate(bytes.len() / size * size);
    Some((bytes, u32::from(level % 10)))
}

/// A plane of a kind: one byte, noise of fewer bits, steps, or what repeats after a period.
fn plane(kind: &[u8], length: usize) -> Vec<u8> {
    let [kind, seed, period] = [0, 1, 2].map(|at| kind.get(at).copied().unwrap_or_default());
    let period = usize::from(period) * 37 + 1;
    let mut state = u32::from(seed) + 1;
    let mut random = move || {
        state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
        (state >> 24) as u8
    };
    let mut plane: Vec<u8> = (0..length)
        .map(|at| match kind % 5 {
            0 => seed,
            1 | 2 => random() >> (kind / 5 % 8),
            3 => (at / period) as u8,
            _ => random().min(random()) & random(),
        })
        .collect();
    if kind % 5 == 2 {
        for at in period..length {
            plane[at] = plane[at - period];
        }
    }
    plane
}

/// Chunks of all kinds of planes.
pub fn seeds(_: &Path) -> Vec<Seed> {
    (0..40u8)
        .map(|n| {
            let size = n % 8;
            let kinds = (0..=size).flat_map(|at| [n + 3 * at, at, n]);
            let head = [n % 10, size, 0xff, 0x3f + n];
            Seed::new(head.into_iter().chain(kinds).collect())
        })
        .collect()
}
