//! Constants of the code that encoder and decoder share.
//!
//! Each block becomes a coded data set: an identifier, the reference sample (in the first block of an interval with
//! prediction), and the block:
//!
//! | identifier | option |
//! | --- | --- |
//! | 0, then a 0 bit | a run of blocks of zeros, its length as a fundamental sequence |
//! | 0, then a 1 bit | second extension: samples in pairs, one fundamental sequence a pair |
//! | k + 1 | sample splitting: the bits above the lowest k as fundamental sequences, then the lowest k bits |
//! | all ones | the samples as they are |
//!
//! A fundamental sequence for n is n zeros and a one.
//!
//! CCSDS 121.0-B-3, sections 3 and 5.

/// Number of blocks in a segment. A run of zero blocks ends with its segment.
pub(super) const SEGMENT: usize = 64;

/// The code of a run of zero blocks "to the end of the segment". The codes of runs of this length or more are one
/// higher than the number of blocks.
pub(super) const REST_OF_SEGMENT: u32 = 4;

/// Number of bits in an identifier, for samples of this many bits.
pub(super) fn identifier_bits(bits_per_sample: u32) -> u32 {
    match bits_per_sample {
        ..=8 => 3,
        9..=16 => 4,
        _ => 5,
    }
}

/// Maximum value of a sample.
pub(super) fn max_sample(bits_per_sample: u32) -> u32 {
    u32::MAX >> (32 - bits_per_sample)
}

/// Highest number of a pair that decoders accept, for a pair with the sum 12.
const MAX_PAIR: u32 = 90;

/// The number of a pair of samples. Pairs are ordered by their sum, then by the second sample.
pub(super) fn pair_number(first: u32, second: u32) -> u64 {
    let sum = u64::from(first) + u64::from(second);
    // Larger sums need only be recognised as too long for this option.
    sum.saturating_mul(sum + 1) / 2 + u64::from(second)
}

/// The pairs of samples by number.
const PAIRS: [(u8, u8); MAX_PAIR as usize + 1] = {
    let mut pairs = [(0, 0); MAX_PAIR as usize + 1];
    let (mut number, mut sum, mut second) = (0, 0u8, 0u8);
    while number < pairs.len() {
        pairs[number] = (sum - second, second);
        number += 1;
        if second == sum {
            sum += 1;
            second = 0;
        } else {
            second += 1;
        }
    }
    pairs
};

/// The pair of a number, which is the reverse of [`pair_number`]; `None` above [`MAX_PAIR`].
pub(super) fn pair(number: u32) -> Option<(u32, u32)> {
    let (first, second) = PAIRS.get(number as usize)?;
    Some((u32::from(*first), u32::from(*second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs() {
        for number in 0..=MAX_PAIR {
            let (first, second) = pair(number).unwrap();
            assert_eq!(pair_number(first, second), u64::from(number));
        }
        assert_eq!(pair(MAX_PAIR), Some((0, 12)));
        assert_eq!(pair(0), Some((0, 0)));
        assert_eq!(pair(MAX_PAIR + 1), None);
    }
}
