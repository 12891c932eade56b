//! What encoder and decoder agree on besides the parameters.
//!
//! Each block becomes a coded data set: an identifier, then, in the first block of an interval with prediction, the
//! reference sample as it is, then the block:
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

/// Blocks in a segment: runs of zero blocks end at its end.
pub(super) const SEGMENT: usize = 64;

/// The length that stands for "to the end of the segment" in runs of zero blocks: the code words of longer runs are one
/// higher than the number of blocks would give.
pub(super) const REST_OF_SEGMENT: u32 = 4;

/// Bits of the identifier for samples of this many bits.
pub(super) fn identifier_bits(bits_per_sample: u32) -> u32 {
    match bits_per_sample {
        ..=8 => 3,
        9..=16 => 4,
        _ => 5,
    }
}

/// The largest value of a sample.
pub(super) fn max_sample(bits_per_sample: u32) -> u32 {
    u32::MAX >> (32 - bits_per_sample)
}

/// The highest number that decoders accept for a pair: that of samples which sum to 12.
const MAX_PAIR: u32 = 90;

/// The number of a pair of samples, by their sum and then by the second.
pub(super) fn pair_number(first: u32, second: u32) -> u64 {
    let sum = u64::from(first) + u64::from(second);
    // Sums beyond 32 bits only matter in that they are too long for this option.
    sum.saturating_mul(sum + 1) / 2 + u64::from(second)
}

/// The pairs of samples by their number.
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

/// The reverse of [`pair_number`]; `None` above [`MAX_PAIR`].
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
