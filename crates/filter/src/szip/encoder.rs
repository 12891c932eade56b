//! Encodes blocks of samples to coded data sets.

use crate::szip::bit_writer::BitWriter;
use crate::szip::code::{REST_OF_SEGMENT, SEGMENT, identifier_bits, max_sample, pair_number};
use crate::szip::parameters::Parameters;
use crate::szip::{predictor, samples};

/// Appends the coded data sets of `bytes`, which are whole samples, to `out`. Returns false if they would take more
/// than `limit` bytes; the appended bytes are then useless.
pub(super) fn encode(parameters: &Parameters, bytes: &[u8], out: &mut Vec<u8>, limit: usize) -> bool {
    let limit = out.len() + limit;
    let mut interval = vec![0; parameters.interval()];
    let mut mapped = interval.clone();
    let mut encoder = Encoder {
        bits_per_sample: parameters.bits_per_sample(),
        identifier_bits: identifier_bits(parameters.bits_per_sample()),
        writer: BitWriter::new(out),
        split: 0,
    };
    for scanline in bytes.chunks(parameters.scanline * parameters.sample_size()) {
        let pixels = scanline.len() / parameters.sample_size();
        let (present, padding) = interval.split_at_mut(pixels);
        samples::read(parameters, scanline, present);
        if parameters.nearest_neighbour {
            // Pad with the last sample: no difference, so no cost.
            padding.fill(present.last().copied().unwrap_or(0));
            predictor::forward(&interval, &mut mapped, max_sample(encoder.bits_per_sample));
            encoder.interval(parameters.block, &mut mapped, interval.first().copied());
        } else {
            padding.fill(0);
            encoder.interval(parameters.block, &mut interval, None);
        }
        if encoder.writer.len() > limit {
            return false;
        }
    }
    encoder.writer.finish();
    true
}

/// A run of zero blocks that has not been written yet.
#[derive(Default)]
struct ZeroRun {
    blocks: u32,
    /// Reference sample of its first block.
    reference: Option<u32>,
}

struct Encoder<'a> {
    bits_per_sample: u32,
    identifier_bits: u32,
    writer: BitWriter<'a>,
    /// The k of the last block considered for splitting, where the next search begins.
    split: u32,
}

impl Encoder<'_> {
    /// Writes one interval of mapped samples. With a reference sample, the first mapped sample is ignored.
    fn interval(&mut self, block_size: usize, mapped: &mut [u32], reference: Option<u32>) {
        let last = mapped.len() / block_size;
        let mut reference = reference;
        let mut run = ZeroRun::default();
        for (number, block) in mapped.chunks_exact_mut(block_size).enumerate() {
            let reference = reference.take();
            if block.iter().all(|sample| *sample == 0) {
                if run.blocks == 0 {
                    run.reference = reference;
                }
                run.blocks += 1;
                let number = number + 1;
                if number == last || number.is_multiple_of(SEGMENT) {
                    self.zeros(std::mem::take(&mut run), true);
                }
                continue;
            }
            if run.blocks > 0 {
                self.zeros(std::mem::take(&mut run), false);
            }
            self.block(block, reference);
        }
    }

    /// Writes a run of zero blocks.
    fn zeros(&mut self, run: ZeroRun, to_end_of_segment: bool) {
        self.writer.bits(0, self.identifier_bits + 1);
        self.reference(run.reference);
        self.writer.fundamental_sequence(match run.blocks {
            blocks if blocks <= REST_OF_SEGMENT => blocks - 1,
            _ if to_end_of_segment => REST_OF_SEGMENT,
            blocks => blocks,
        });
    }

    fn reference(&mut self, reference: Option<u32>) {
        if let Some(sample) = reference {
            self.writer.bits(self.width(sample), self.bits_per_sample);
        }
    }

    /// The significant bits of a sample.
    fn width(&self, sample: u32) -> u32 {
        sample & max_sample(self.bits_per_sample)
    }

    /// Writes a block that is not all zero, in its shortest code. Among codes of equal length, no compression is
    /// preferred, then the second extension, then splitting.
    fn block(&mut self, block: &mut [u32], reference: Option<u32>) {
        let skip = usize::from(reference.is_some());
        let coded = (block.len() - skip) as u64;
        let plain_length = coded * u64::from(self.bits_per_sample);
        let split_length = self.choose_split(block, coded);
        let pairs_length = pairs_length(block, plain_length);
        if plain_length <= split_length && pairs_length.is_none_or(|pairs| plain_length <= pairs) {
            self.writer
                .bits((1 << self.identifier_bits) - 1, self.identifier_bits);
            if let (Some(sample), Some(first)) = (reference, block.first_mut()) {
                *first = sample;
            }
            for sample in block.iter() {
                self.writer.bits(self.width(*sample), self.bits_per_sample);
            }
        } else if pairs_length.is_none_or(|pairs| split_length < pairs) {
            let split = self.split;
            self.writer.bits(split + 1, self.identifier_bits);
            self.reference(reference);
            let block = &block[skip..];
            let (pairs, last) = block.as_chunks::<2>();
            for [first, second] in pairs {
                self.writer.two_sequences(first >> split, second >> split);
            }
            for sample in last {
                self.writer.fundamental_sequence(sample >> split);
            }
            self.low_bits(block, split);
        } else {
            self.writer.bits(1, self.identifier_bits + 1);
            self.reference(reference);
            for pair in block.as_chunks::<2>().0 {
                // The code was chosen as shorter than the plain block, so the number is below 2^32.
                self.writer
                    .fundamental_sequence(pair_number(pair[0], pair[1]) as u32);
            }
        }
    }

    /// Writes the low `count` bits of each sample, as many samples at once as fit the writer.
    fn low_bits(&mut self, samples: &[u32], count: u32) {
        let low = |sample: u32| sample & ((1 << count) - 1);
        let mut rest = samples;
        match count {
            0 => return,
            1..=8 => {
                let (fours, after) = samples.as_chunks::<4>();
                for four in fours {
                    let [a, b, c, d] = four.map(low);
                    let bits = ((a << count | b) << count | c) << count | d;
                    self.writer.bits(bits, 4 * count);
                }
                rest = after;
            }
            9..=16 => {
                let (pairs, after) = samples.as_chunks::<2>();
                for [first, second] in pairs {
                    self.writer.bits(low(*first) << count | low(*second), 2 * count);
                }
                rest = after;
            }
            _ => {}
        }
        for sample in rest {
            self.writer.bits(low(*sample), count);
        }
    }

    /// Finds the k for which splitting needs the fewest bits. Returns that number of bits.
    ///
    /// The length as a function of k has one minimum, which may be flat. The search starts at the previous block's k
    /// and goes up, then down if that was no improvement. If the part above the low k bits needs fewer zeros than there
    /// are samples, a larger k is not better. If it needs more, a smaller k is not better.
    fn choose_split(&mut self, block: &[u32], coded: u64) -> u64 {
        // The mapped samples of up to 16 bits of a block of up to 32 have a sum of 32 bits.
        let is_small = self.bits_per_sample <= 16;
        let zeros_of = |k: u32| {
            let above = block.iter().map(|sample| sample >> k);
            match is_small {
                true => above.fold(0, u32::wrapping_add).into(),
                false => above.map(u64::from).sum::<u64>(),
            }
        };
        let length = |k: u32, zeros: u64| zeros + coded * u64::from(k + 1);
        let highest = (1 << self.identifier_bits) - 3;
        let start = self.split;

        let mut zeros = zeros_of(start);
        let mut best = length(start, zeros);
        while zeros >= coded && self.split < highest {
            zeros = zeros_of(self.split + 1);
            let next = length(self.split + 1, zeros);
            if next >= best {
                break;
            }
            best = next;
            self.split += 1;
        }
        if self.split > start {
            return best;
        }
        while self.split > 0 {
            zeros = zeros_of(self.split - 1);
            let next = length(self.split - 1, zeros);
            if next >= best {
                break;
            }
            best = next;
            self.split -= 1;
            if zeros >= coded {
                break;
            }
        }
        best
    }
}

/// Number of bits of the second extension; `None` if above `limit`.
fn pairs_length(block: &[u32], limit: u64) -> Option<u64> {
    let mut length = 1u64;
    for pair in block.as_chunks::<2>().0 {
        length = length.saturating_add(pair_number(pair[0], pair[1]) + 1);
        if length > limit {
            return None;
        }
    }
    Some(length)
}
