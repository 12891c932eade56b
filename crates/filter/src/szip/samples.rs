//! Converts bytes to samples and back.

use crate::szip::parameters::Parameters;

/// Reads the samples in `bytes` into the front of `samples`.
pub(super) fn read(parameters: &Parameters, bytes: &[u8], samples: &mut [u32]) {
    match (parameters.sample_size(), parameters.big_endian) {
        (1, _) => {
            for (sample, byte) in samples.iter_mut().zip(bytes) {
                *sample = u32::from(*byte);
            }
        }
        (2, big) => {
            for (sample, bytes) in samples.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *sample = u32::from(if big {
                    u16::from_be_bytes(*bytes)
                } else {
                    u16::from_le_bytes(*bytes)
                });
            }
        }
        (_, big) => {
            for (sample, bytes) in samples.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *sample = if big {
                    u32::from_be_bytes(*bytes)
                } else {
                    u32::from_le_bytes(*bytes)
                };
            }
        }
    }
}

/// Writes as many of `samples` as fit in `bytes`.
pub(super) fn write(parameters: &Parameters, samples: &[u32], bytes: &mut [u8]) {
    match (parameters.sample_size(), parameters.big_endian) {
        (1, _) => {
            for (byte, sample) in bytes.iter_mut().zip(samples) {
                *byte = *sample as u8;
            }
        }
        (2, big) => {
            for (bytes, sample) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(samples) {
                let sample = *sample as u16;
                *bytes = if big {
                    sample.to_be_bytes()
                } else {
                    sample.to_le_bytes()
                };
            }
        }
        (_, big) => {
            for (bytes, sample) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(samples) {
                *bytes = if big {
                    sample.to_be_bytes()
                } else {
                    sample.to_le_bytes()
                };
            }
        }
    }
}
