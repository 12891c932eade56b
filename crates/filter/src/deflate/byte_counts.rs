//! How often each byte occurs and equals the one before it, and the entropy of such counts.

/// The number of times that each byte occurs.
pub(crate) fn byte_counts(bytes: &[u8]) -> [u64; 256] {
    // Eight tables: an increment waits for the one before it of the same place, and noise has few of these.
    let mut tables = [[0u32; 256]; 8];
    let mut sums = [0; 256];
    // A table counts less than 2^32 bytes.
    for part in bytes.chunks(1 << 30) {
        let (eights, rest) = part.as_chunks::<8>();
        for eight in eights {
            let word = u64::from_le_bytes(*eight);
            for (n, table) in tables.iter_mut().enumerate() {
                table[(word >> (8 * n)) as usize & 0xff] += 1;
            }
        }
        for byte in rest {
            tables[0][usize::from(*byte)] += 1;
        }
        for (byte, sum) in sums.iter_mut().enumerate() {
            for table in &mut tables {
                *sum += u64::from(std::mem::take(&mut table[byte]));
            }
        }
    }
    sums
}

/// The entropy of bytes that occur `counts` times, for all of them together, in bits.
pub(crate) fn entropy(counts: &[u64; 256]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let present = counts.iter().filter(|count| **count > 0);
    present
        .map(|count| *count as f64 * (total / *count as f64).log2())
        .sum()
}

/// How many bytes equal the one before them.
// Inlined, it compares one byte at a time.
#[inline(never)]
pub(crate) fn equal_neighbours(bytes: &[u8]) -> usize {
    /// Bytes that are compared at once, each with a sum of a byte.
    const LANES: usize = 32;
    const MOST: usize = LANES * 255;
    let next = bytes.get(1..).unwrap_or_default();
    let mut equal = 0;
    for (before, here) in bytes.chunks(MOST).zip(next.chunks(MOST)) {
        let (lanes, rest) = before[..here.len()].as_chunks::<LANES>();
        let (others, other_rest) = here.as_chunks::<LANES>();
        let mut sums = [0u8; LANES];
        for (lane, other) in lanes.iter().zip(others) {
            for ((sum, a), b) in sums.iter_mut().zip(lane).zip(other) {
                *sum = sum.wrapping_add(u8::from(a == b));
            }
        }
        equal += sums.iter().map(|sum| usize::from(*sum)).sum::<usize>();
        equal += rest.iter().zip(other_rest).filter(|(a, b)| a == b).count();
    }
    equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts_once() {
        let bytes: Vec<u8> = (0..=255).chain(0..3).chain([2; 4]).collect();
        let counts = byte_counts(&bytes);
        assert_eq!(counts[..4], [2, 2, 6, 1]);
        assert_eq!(counts.iter().sum::<u64>(), 263);
    }

    #[test]
    fn equal_counts_need_all_bits() {
        assert_eq!(entropy(&byte_counts(&[7; 100])), 0.0);
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(entropy(&byte_counts(&all)), 256.0 * 8.0);
    }

    #[test]
    fn equal_neighbours_are_counted() {
        for length in [0, 1, 2, 31, 32, 33, 8160, 8161, 8200, 20_000] {
            let bytes: Vec<u8> = (0..length).map(|n| (n / 3 % 200) as u8).collect();
            let pairs = bytes.windows(2).filter(|pair| pair[0] == pair[1]);
            assert_eq!(equal_neighbours(&bytes), pairs.count(), "{length}");
        }
    }
}
