//! Sizing buffers, and filling them with copies of one element.

use crate::error::{Error, Result};

/// Grows or cuts `buf` to `size` bytes. New bytes are zero.
///
/// # Errors
/// If the memory cannot be allocated.
pub fn resize(buf: &mut Vec<u8>, size: usize) -> Result<()> {
    buf.try_reserve_exact(size.saturating_sub(buf.len()))
        .map_err(|_| too_large(size))?;
    buf.resize(size, 0);
    Ok(())
}

/// The error for a buffer of `size` bytes that does not fit into memory.
pub fn too_large(size: usize) -> Error {
    Error::Unsupported(format!("a buffer of {size} bytes, which memory does not hold,"))
}

/// Fills `buf` with copies of `pattern`, or with zeros if `pattern` is empty.
pub fn fill_pattern(buf: &mut [u8], pattern: &[u8]) {
    let Some(first) = pattern.first() else {
        buf.fill(0);
        return;
    };
    if pattern.iter().all(|b| b == first) {
        buf.fill(*first);
        return;
    }
    let mut done = pattern.len().min(buf.len());
    buf[..done].copy_from_slice(&pattern[..done]);
    while done < buf.len() {
        // The filled part is a whole number of patterns, so its copy continues the pattern.
        let n = done.min(buf.len() - done);
        buf.copy_within(..n, done);
        done += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_whatever_the_length() {
        for len in 0..40 {
            for pattern in [&[][..], &[7], &[1, 2, 3], &[5, 5], &[1, 2, 3, 4, 5, 6, 7, 8]] {
                let mut buf = vec![0xEE; len];
                fill_pattern(&mut buf, pattern);
                let expected: Vec<u8> = (0..len)
                    .map(|i| {
                        if pattern.is_empty() {
                            0
                        } else {
                            pattern[i % pattern.len()]
                        }
                    })
                    .collect();
                assert_eq!(buf, expected);
            }
        }
    }
}
