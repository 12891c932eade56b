//! Fletcher-32, HDF5 filter 3: a checksum of four bytes after the data.
//!
//! Parameters: none. Encoding appends the checksum, least significant byte first; decoding verifies and strips it.
//! The sums run over the data as big-endian 16-bit words (a last odd byte is the high half of a word), modulo
//! 65535 with 65535, not 0, standing for the multiples of it.
//!
//! libhdf5 up to 1.6.2 wrote the two bytes of each half swapped on little-endian machines; such checksums are accepted.
//!
//! HDF5 file format specification, IV.A.2.l, filter 3.

use super::{Context, Element, Filter, failure, misuse};
use crate::error::Result;

/// The id registered with HDF5.
pub const ID: u32 = 3;

/// The filter.
#[derive(Debug, Clone, Copy)]
pub struct Fletcher32;

/// Words summed between two reductions: few enough that the weighted sum fits 32 bits.
const RUN: usize = 128;

/// Brings a sum below 2^17 or so. Keeps it modulo 65535, and never makes a positive sum zero.
fn fold(sum: u64) -> u64 {
    let sum = (sum & 0xffff_ffff) + (sum >> 32);
    let sum = (sum & 0xffff) + (sum >> 16);
    (sum & 0xffff) + (sum >> 16)
}

/// HDF5's Fletcher-32 checksum of `data`.
pub fn checksum(data: &[u8]) -> u32 {
    let (mut sum1, mut sum2) = (0u64, 0u64);
    let mut runs = data.chunks_exact(2 * RUN);
    for run in &mut runs {
        // Over a run of n words w0, w1, …: sum2 grows by n times the old sum1 and by n·w0 + (n-1)·w1 + …
        let (mut plain, mut weighted) = (0u32, 0u32);
        for (i, word) in run.as_chunks::<2>().0.iter().enumerate() {
            let word = u32::from(u16::from_be_bytes(*word));
            plain += word;
            weighted += (RUN - i) as u32 * word;
        }
        sum2 = fold(sum2 + RUN as u64 * sum1 + u64::from(weighted));
        sum1 = fold(sum1 + u64::from(plain));
    }
    for word in runs.remainder().chunks(2) {
        let low = word.get(1).copied().unwrap_or(0);
        sum1 += u64::from(u16::from_be_bytes([word[0], low]));
        sum2 += sum1;
    }
    (fold(fold(sum2)) << 16 | fold(fold(sum1))) as u32
}

impl Filter for Fletcher32 {
    fn id(&self) -> u32 {
        ID
    }

    fn name(&self) -> &'static str {
        "fletcher32"
    }

    fn encode(&self, _: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        out.clear();
        out.reserve_exact(input.len() + 4);
        out.extend_from_slice(input);
        out.extend_from_slice(&checksum(input).to_le_bytes());
        Ok(())
    }

    fn decode(&self, _: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        let Some((data, stored)) = input.split_last_chunk::<4>() else {
            return Err(failure(self, "the input is shorter than its checksum"));
        };
        let found = checksum(data);
        let [a, b, c, d] = *stored;
        let stored = u32::from_le_bytes(*stored);
        if found != stored && found != u32::from_le_bytes([b, a, d, c]) {
            return Err(failure(
                self,
                format!("checksum mismatch: the data gives {found:08x}, stored is {stored:08x}"),
            ));
        }
        out.clear();
        out.extend_from_slice(data);
        Ok(())
    }

    fn working_parameters(&self, visible: &[u32], _: Element, _: &[u64]) -> Result<Vec<u32>> {
        match visible {
            [] => Ok(Vec::new()),
            _ => Err(misuse(self, "takes no parameters")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONTEXT: Context = Context {
        element_size: 1,
        chunk_size: 1 << 20,
    };

    /// The definition, word by word.
    fn plain(data: &[u8]) -> u32 {
        let (mut sum1, mut sum2) = (0u64, 0u64);
        for word in data.chunks(2) {
            sum1 += u64::from(word[0]) << 8 | u64::from(word.get(1).copied().unwrap_or(0));
            sum1 = if sum1 == 0 { 0 } else { (sum1 - 1) % 65535 + 1 };
            sum2 += sum1;
            sum2 = if sum2 == 0 { 0 } else { (sum2 - 1) % 65535 + 1 };
        }
        (sum2 << 16 | sum1) as u32
    }

    #[test]
    fn extremes() {
        for len in [0, 1, 2, 3, 255, 256, 257, 721, 100_000] {
            for byte in [0, 1, 0x7f, 0xff] {
                let data = vec![byte; len];
                assert_eq!(checksum(&data), plain(&data), "{len} × {byte}");
            }
        }
    }

    #[test]
    fn old_byte_order_is_accepted() {
        let mut chunk = Vec::new();
        Fletcher32
            .encode(&[], b"some data", &mut chunk, &CONTEXT)
            .unwrap();
        let at = chunk.len() - 4;
        chunk[at..].swap(0, 1);
        chunk[at..].swap(2, 3);
        let mut out = Vec::new();
        Fletcher32.decode(&[], &chunk, &mut out, &CONTEXT).unwrap();
        assert_eq!(out, b"some data");
    }

    #[test]
    fn damage_is_found() {
        let mut chunk = Vec::new();
        Fletcher32
            .encode(&[], b"some data", &mut chunk, &CONTEXT)
            .unwrap();
        chunk[3] ^= 1;
        assert!(Fletcher32.decode(&[], &chunk, &mut Vec::new(), &CONTEXT).is_err());
        assert!(Fletcher32.decode(&[], b"abc", &mut Vec::new(), &CONTEXT).is_err());
    }

    proptest! {
        #[test]
        fn equals_the_definition(data in proptest::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert_eq!(checksum(&data), plain(&data));
        }
    }
}
