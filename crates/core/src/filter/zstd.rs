//! Zstandard, HDF5 filter 32015: one zstd frame (RFC 8878) that says how long its content is.
//!
//! Parameters: the level as a signed number in 32 bits; none means 3; levels beyond what zstd has count as its
//! first or last. As in the plugin, a frame that is longer than the chunk is stored all the same. Frames that do not
//! say how long their content is (other writers stream them) decode too.
//!
//! HDF5 registered filters, id 32015.

use std::cell::RefCell;

use ::zstd::bulk::{Compressor, Decompressor};
use ::zstd::{compression_level_range, zstd_safe};

use super::{Context, Element, Filter, failure, misuse};
use crate::error::Result;

/// The id registered with HDF5.
pub const ID: u32 = 32015;

/// The filter.
#[derive(Debug, Clone, Copy)]
pub struct Zstd;

/// The level where none is given.
const DEFAULT_LEVEL: i32 = 3;

/// More than zstd can expand, bytes of output for one of input: 128 KiB for the four bytes of a run-length block.
const EXPANSION: usize = 32 << 10;

/// What decoding asks for at first where a frame does not say its size, as a multiple of the input's.
const GUESS: usize = 8;

thread_local! {
    static COMPRESSOR: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

impl Zstd {
    fn level(&self, parameters: &[u32]) -> Result<i32> {
        let level = match parameters {
            [] => DEFAULT_LEVEL,
            // Signed in 32 bits, as the plugin casts it.
            [level] => *level as i32,
            _ => {
                return Err(failure(
                    self,
                    format!("its parameters are {parameters:?} instead of a level"),
                ));
            }
        };
        let levels = compression_level_range();
        Ok(level.clamp(*levels.start(), *levels.end()))
    }

    /// Decodes into the capacity of `out`.
    fn decode_into(&self, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
        DECOMPRESSOR.with_borrow_mut(|slot| {
            let decompressor = match slot {
                Some(decompressor) => decompressor,
                None => slot.insert(Decompressor::new().map_err(|error| failure(self, error.to_string()))?),
            };
            decompressor
                .decompress_to_buffer(input, out)
                .map(drop)
                .map_err(|error| failure(self, format!("damaged zstd frame: {error}")))
        })
    }
}

impl Filter for Zstd {
    fn id(&self) -> u32 {
        ID
    }

    fn name(&self) -> &'static str {
        "zstd"
    }

    fn encode(&self, parameters: &[u32], input: &[u8], out: &mut Vec<u8>, _: &Context) -> Result<()> {
        let level = self.level(parameters)?;
        COMPRESSOR.with_borrow_mut(|slot| {
            let compressor = match slot {
                Some((of, compressor)) if *of == level => compressor,
                _ => {
                    let new = Compressor::new(level).map_err(|error| failure(self, error.to_string()))?;
                    &mut slot.insert((level, new)).1
                }
            };
            out.clear();
            out.reserve(zstd_safe::compress_bound(input.len()));
            compressor
                .compress_to_buffer(input, out)
                .map(drop)
                .map_err(|error| failure(self, error.to_string()))
        })
    }

    fn decode(&self, _: &[u32], input: &[u8], out: &mut Vec<u8>, context: &Context) -> Result<()> {
        let limit = context.chunk_size.min(input.len().saturating_mul(EXPANSION));
        let too_long = || {
            failure(
                self,
                format!("more than the {} bytes expected", context.chunk_size),
            )
        };
        let content = zstd_safe::get_frame_content_size(input)
            .map_err(|_| failure(self, "the input is not a zstd frame"))?;
        out.clear();
        if let Some(size) = content {
            let size = usize::try_from(size)
                .ok()
                .filter(|size| *size <= limit)
                .ok_or_else(too_long)?;
            out.reserve(size);
            self.decode_into(input, out)?;
            // More frames may follow the first.
            return if out.len() <= limit {
                Ok(())
            } else {
                Err(too_long())
            };
        }
        // No size: try with more and more room, and with a byte over the limit to tell what is too long.
        let most = limit.saturating_add(1);
        let mut room = most.min(input.len().saturating_mul(GUESS).max(out.capacity()));
        loop {
            out.reserve(room);
            match self.decode_into(input, out) {
                Ok(()) if out.len() > limit => return Err(too_long()),
                Ok(()) => return Ok(()),
                Err(error) if room >= most => return Err(error),
                Err(_) => room = most.min(room.saturating_mul(4)),
            }
            out.clear();
        }
    }

    fn working_parameters(&self, visible: &[u32], _: Element, _: &[u64]) -> Result<Vec<u32>> {
        match visible {
            [] | [_] => Ok(visible.to_vec()),
            _ => Err(misuse(
                self,
                "takes one parameter: the level (3 where none is given)",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    #[test]
    fn frames_carry_their_size() {
        let mut out = Vec::new();
        Zstd.encode(&[3], &[5; 1000], &mut out, &Context::of_bytes(1000))
            .unwrap();
        assert_eq!(zstd_safe::get_frame_content_size(&out).unwrap(), Some(1000));
    }

    #[test]
    fn frames_without_size() {
        let data: Vec<u8> = (0..300_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        for data in [&data[..], &[0; 500_000], b"x"] {
            let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
            encoder.write_all(data).unwrap();
            let frame = encoder.finish().unwrap();
            assert_eq!(zstd_safe::get_frame_content_size(&frame).unwrap(), None);
            let mut out = Vec::new();
            Zstd.decode(&[], &frame, &mut out, &Context::of_bytes(data.len()))
                .unwrap();
            assert_eq!(out, data);
            if !data.is_empty() {
                assert!(
                    Zstd.decode(&[], &frame, &mut out, &Context::of_bytes(data.len() - 1))
                        .is_err()
                );
            }
        }
    }

    #[test]
    fn negative_levels_and_levels_out_of_range() {
        for level in [-5i32 as u32, i32::MIN as u32, 22, 1000] {
            let (mut encoded, mut out) = (Vec::new(), Vec::new());
            Zstd.encode(
                &[level],
                b"hello hello hello",
                &mut encoded,
                &Context::of_bytes(17),
            )
            .unwrap();
            Zstd.decode(&[level], &encoded, &mut out, &Context::of_bytes(17))
                .unwrap();
            assert_eq!(out, b"hello hello hello");
        }
        assert!(
            Zstd.encode(&[3, 3], b"x", &mut Vec::new(), &Context::of_bytes(1))
                .is_err()
        );
    }

    #[test]
    fn a_false_size_makes_no_large_buffer() {
        let mut frame = Vec::new();
        Zstd.encode(&[3], &[5; 100_000], &mut frame, &Context::of_bytes(100_000))
            .unwrap();
        let mut out = Vec::new();
        assert!(
            Zstd.decode(&[3], &frame, &mut out, &Context::of_bytes(99_999))
                .is_err()
        );
        assert!(
            Zstd.decode(&[3], &frame[..8], &mut out, &Context::of_bytes(usize::MAX))
                .is_err()
        );
        assert!(out.capacity() < 1_000_000);
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(0u8..50, 0..3000), level in -5i32..9) {
            let (mut encoded, mut decoded) = (vec![1; 10], vec![2; 5000]);
            Zstd.encode(&[level as u32], &data, &mut encoded, &Context::of_bytes(data.len())).unwrap();
            Zstd.decode(&[], &encoded, &mut decoded, &Context::of_bytes(data.len())).unwrap();
            prop_assert_eq!(decoded, data);
        }

        #[test]
        fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300), header in any::<u8>()) {
            let mut out = Vec::new();
            let framed = [&[0x28, 0xb5, 0x2f, 0xfd, header][..], &data].concat();
            for input in [&data, &framed] {
                if Zstd.decode(&[], input, &mut out, &Context::of_bytes(1000)).is_ok() {
                    prop_assert!(out.len() <= 1000);
                }
            }
        }
    }
}
