//! Canonical Huffman codes with a longest length (RFC 1951, 3.2.2).
//!
//! ```text
//! counts ─► sorted ─► Huffman's tree: two queues ─► lengths ─► cut to the limit ─► codes
//! ```

/// Most bits of a code of deflate.
pub(crate) const LONGEST: usize = 15;

/// A symbol's code, as it lies in the stream, and its length in bits; 0 for a symbol without one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Code {
    pub bits: u16,
    pub length: u8,
}

/// Lengths of the codes of symbols that occur `counts` times, at most `longest` bits each. A symbol that does not occur has none.
/// There are at least two codes, so that the code is complete: the first symbols get one where too few occur.
///
/// `lengths` has a place for each symbol. There are at most 2^`longest` symbols.
pub(crate) fn code_lengths(counts: &[u32], longest: u8, lengths: &mut [u8]) {
    lengths.fill(0);
    let mut leaves: Vec<(u32, u16)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| (*count, symbol as u16))
        .collect();
    if leaves.len() < 2 {
        let occurring = leaves.first().map(|(_, symbol)| usize::from(*symbol));
        let other = usize::from(occurring == Some(0));
        for symbol in [occurring.unwrap_or(1), other] {
            if let Some(length) = lengths.get_mut(symbol) {
                *length = 1;
            }
        }
        return;
    }
    leaves.sort_unstable();
    let mut numbers = numbers_by_length(&leaves, longest);
    // The rarest symbols get the longest codes.
    let mut length = longest;
    for (_, symbol) in &leaves {
        while numbers[usize::from(length)] == 0 {
            length -= 1;
        }
        numbers[usize::from(length)] -= 1;
        lengths[usize::from(*symbol)] = length;
    }
}

/// How many codes of each length there are for `leaves`, which are sorted by their counts.
fn numbers_by_length(leaves: &[(u32, u16)], longest: u8) -> [u32; LONGEST + 1] {
    let count = leaves.len();
    // The nodes above two others, in the order in which they are made, which is that of their counts.
    let mut weights: Vec<u64> = Vec::with_capacity(count - 1);
    // Of each node, leaves first: the number of the node above it.
    let mut above = vec![0u32; 2 * count - 1];
    let (mut leaf, mut node) = (0, 0);
    for new in 0..count - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            let is_leaf =
                leaf < count && (node >= weights.len() || u64::from(leaves[leaf].0) <= weights[node]);
            let taken = match is_leaf {
                true => {
                    weight += u64::from(leaves[leaf].0);
                    leaf += 1;
                    leaf - 1
                }
                false => {
                    weight += weights[node];
                    node += 1;
                    count + node - 1
                }
            };
            above[taken] = (count + new) as u32;
        }
        weights.push(weight);
    }
    let limit = usize::from(longest);
    let mut numbers = [0u32; LONGEST + 1];
    let mut depths = vec![0u8; 2 * count - 1];
    for at in (0..2 * count - 2).rev() {
        let depth = depths[above[at] as usize].saturating_add(1);
        depths[at] = depth;
        if at < count {
            numbers[usize::from(depth).min(limit)] += 1;
        }
    }
    // Codes that were cut take too much of the code space, in units of the longest code. A shorter code and one of the longest
    // become two of the next length, which frees one unit.
    let space = |numbers: &[u32; LONGEST + 1]| -> u64 {
        (1..=limit)
            .map(|length| u64::from(numbers[length]) << (limit - length))
            .sum()
    };
    let mut over = space(&numbers).saturating_sub(1 << limit);
    while over > 0 {
        let Some(shorter) = (1..limit).rev().find(|length| numbers[*length] > 0) else {
            break;
        };
        numbers[shorter] -= 1;
        numbers[shorter + 1] += 2;
        numbers[limit] -= 1;
        over -= 1;
    }
    numbers
}

/// The codes of these lengths.
pub(crate) fn codes(lengths: &[u8], codes: &mut [Code]) {
    let mut numbers = [0u16; LONGEST + 1];
    for length in lengths {
        numbers[usize::from(*length)] += 1;
    }
    numbers[0] = 0;
    let mut next = [0u16; LONGEST + 1];
    for length in 1..=LONGEST {
        next[length] = (next[length - 1] + numbers[length - 1]) << 1;
    }
    for (code, length) in codes.iter_mut().zip(lengths) {
        let bits = match length {
            0 => 0,
            _ => {
                let bits = next[usize::from(*length)];
                next[usize::from(*length)] += 1;
                bits.reverse_bits() >> (16 - length)
            }
        };
        *code = Code {
            bits,
            length: *length,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lengths(counts: &[u32], longest: u8) -> Vec<u8> {
        let mut lengths = vec![0; counts.len()];
        code_lengths(counts, longest, &mut lengths);
        lengths
    }

    fn space(lengths: &[u8]) -> f64 {
        let used = lengths.iter().filter(|length| **length > 0);
        used.map(|length| 0.5f64.powi((*length).into())).sum()
    }

    /// The least bits of codes of at most `longest` bits, by package-merge.
    fn least_bits(counts: &[u32], longest: u8) -> u64 {
        let mut leaves: Vec<u64> = counts.iter().filter(|n| **n > 0).map(|n| u64::from(*n)).collect();
        leaves.sort_unstable();
        let mut packages: Vec<u64> = Vec::new();
        for _ in 0..longest {
            let mut all: Vec<u64> = packages.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
            all.extend(&leaves);
            all.sort_unstable();
            packages = all;
        }
        packages[..2 * (leaves.len() - 1)].iter().sum()
    }

    #[test]
    fn few_symbols_have_a_complete_code() {
        assert_eq!(lengths(&[0, 0, 0], 15), [1, 1, 0]);
        assert_eq!(lengths(&[5, 0, 0], 15), [1, 1, 0]);
        assert_eq!(lengths(&[0, 0, 9], 15), [1, 0, 1]);
        assert_eq!(lengths(&[1, 0, 1000], 15), [1, 0, 1]);
        assert_eq!(lengths(&[7; 256], 15), [8; 256]);
    }

    #[test]
    fn fibonacci_weights_are_cut_to_the_limit() {
        let mut counts = vec![1u32, 1];
        while counts.len() < 40 {
            counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
        }
        for longest in [6, 7, 11, 15] {
            let found = lengths(&counts, longest);
            assert!(found.iter().all(|length| (1..=longest).contains(length)));
            assert_eq!(space(&found), 1.0, "{longest}");
        }
    }

    #[test]
    fn codes_are_those_of_the_specification() {
        // RFC 1951, 3.2.2: lengths 3, 3, 3, 3, 3, 2, 4, 4.
        let mut found = [Code::default(); 8];
        codes(&[3, 3, 3, 3, 3, 2, 4, 4], &mut found);
        let shown = found.map(|code| code.bits.reverse_bits() >> (16 - code.length));
        assert_eq!(shown, [0b010, 0b011, 0b100, 0b101, 0b110, 0b00, 0b1110, 0b1111]);
    }

    proptest! {
        #[test]
        fn codes_are_complete_and_nearly_the_shortest(
            counts in proptest::collection::vec(prop_oneof![Just(0u32), 1u32..20, 1u32..100_000], 2..257),
            longest in 12u8..=15,
        ) {
            let found = lengths(&counts, longest);
            prop_assert_eq!(space(&found), 1.0);
            prop_assert!(found.iter().all(|length| *length <= longest));
            prop_assert!(counts.iter().zip(&found).all(|(count, length)| *count == 0 || *length > 0));
            if counts.iter().filter(|count| **count > 0).count() > 1 {
                let bits: u64 = counts.iter().zip(&found).map(|(n, length)| u64::from(*n) * u64::from(*length)).sum();
                let least = least_bits(&counts, longest);
                prop_assert!(bits as f64 <= least as f64 * 1.02, "{bits} {least}");
            }
        }
    }
}
