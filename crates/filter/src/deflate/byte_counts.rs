//! How often each byte occurs, and the entropy of such counts.

/// The number of times that each byte occurs.
pub(crate) fn byte_counts(bytes: &[u8]) -> [u64; 256] {
    // Four tables, as an increment waits for the one before it of the same place.
    let mut tables = [[0u32; 256]; 4];
    let mut sums = [0; 256];
    // A table counts less than 2^32 bytes.
    for part in bytes.chunks(1 << 30) {
        let mut quads = part.chunks_exact(4);
        for quad in &mut quads {
            for (table, byte) in tables.iter_mut().zip(quad) {
                table[usize::from(*byte)] += 1;
            }
        }
        for byte in quads.remainder() {
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
}
