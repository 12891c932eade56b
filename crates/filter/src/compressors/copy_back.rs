//! The copy of a back reference, for decoders of the LZ77 family.

/// Bytes of a short copy, which takes one load and one store.
const SHORT: usize = 16;

/// Copies `N` bytes, which do not overlap.
#[inline(always)]
fn copy<const N: usize>(out: &mut [u8], from: usize, to: usize) {
    let mut piece = [0; N];
    piece.copy_from_slice(&out[from..from + N]);
    out[to..to + N].copy_from_slice(&piece);
}

/// Copies `length` bytes within `out` to `at`, from `distance` bytes before it. Where the two overlap, the bytes repeat.
/// A short copy may also change the bytes behind it, which the decoder has not written yet.
///
/// The caller makes sure that 1 ≤ `distance` ≤ `at` and `at + length` ≤ `out.len()`; else this panics.
#[inline(always)]
pub(crate) fn copy_back(out: &mut [u8], at: usize, distance: usize, length: usize) {
    let from = at - distance;
    let room = out.len() - at;
    if length <= SHORT && room >= SHORT {
        if distance >= SHORT {
            copy::<SHORT>(out, from, at);
        } else if distance >= 8 {
            copy::<8>(out, from, at);
            copy::<8>(out, from + 8, at + 8);
        } else {
            for i in 0..length {
                out[at + i] = out[from + i];
            }
        }
    } else if length <= 2 * SHORT && distance >= 2 * SHORT && room >= 2 * SHORT {
        copy::<{ 2 * SHORT }>(out, from, at);
    } else if distance >= length {
        out.copy_within(from..from + length, at);
    } else {
        repeat(out, at, distance, length);
    }
}

/// Copies bytes that overlap, as [`copy_back`] does.
fn repeat(out: &mut [u8], at: usize, distance: usize, length: usize) {
    let from = at - distance;
    if distance == 1 {
        let byte = out[from];
        out[at..at + length].fill(byte);
        return;
    }
    // A few whole periods one byte at a time, as a call for each copy would take longer.
    let mut copied = (SHORT / distance * distance).min(length);
    for i in 0..copied {
        out[at + i] = out[from + i];
    }
    while copied < length {
        // Each copy doubles the bytes that repeat. All but the last are whole periods.
        let piece = (distance + copied).min(length - copied);
        out.copy_within(from..from + piece, at + copied);
        copied += piece;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_definition() {
        for distance in 1..70 {
            for length in (0..80).chain([127, 128, 500, 1000]) {
                for room in [0, 1, 40] {
                    let at = distance + 3;
                    let mut out: Vec<u8> = (0..at + length + room).map(|i| i as u8).collect();
                    let mut expected = out.clone();
                    for i in at..at + length {
                        expected[i] = expected[i - distance];
                    }
                    copy_back(&mut out, at, distance, length);
                    assert_eq!(out[..at + length], expected[..at + length], "{distance} {length}");
                }
            }
        }
    }
}
