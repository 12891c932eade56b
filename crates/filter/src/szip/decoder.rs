//! Decodes coded data sets to blocks of samples.

use crate::szip::bit_reader::BitReader;
use crate::szip::code::{REST_OF_SEGMENT, SEGMENT, identifier_bits, max_sample, pair};
use crate::szip::parameters::Parameters;
use crate::szip::{predictor, samples};

/// Fills `out`, which holds whole samples, from coded data sets.
pub(super) fn decode(parameters: &Parameters, bits: &[u8], out: &mut [u8]) -> Result<(), &'static str> {
    let bits_per_sample = parameters.bits_per_sample();
    let mut interval = vec![0; parameters.interval()];
    let mut decoder = Decoder {
        bits_per_sample,
        identifier_bits: identifier_bits(bits_per_sample),
        block: parameters.block,
        reader: BitReader::new(bits),
    };
    for scanline in out.chunks_mut(parameters.scanline * parameters.sample_size()) {
        let pixels = scanline.len() / parameters.sample_size();
        decoder.interval(&mut interval, pixels, parameters.nearest_neighbour)?;
        let present = &mut interval[..pixels];
        if parameters.nearest_neighbour {
            predictor::reverse(present, max_sample(bits_per_sample));
        }
        samples::write(parameters, present, scanline);
    }
    Ok(())
}

struct Decoder<'a> {
    bits_per_sample: u32,
    identifier_bits: u32,
    block: usize,
    reader: BitReader<'a>,
}

impl Decoder<'_> {
    /// Reads the blocks of one interval, up to the `wanted` samples. That is the whole interval, except in the last
    /// scanline, whose padding is not needed. With prediction, the first sample is the reference sample.
    fn interval(
        &mut self,
        interval: &mut [u32],
        wanted: usize,
        has_reference: bool,
    ) -> Result<(), &'static str> {
        let uncompressed = (1 << self.identifier_bits) - 1;
        let whole = interval.len();
        let mut at = 0;
        while at < wanted {
            let skip = usize::from(has_reference && at == 0);
            let identifier = self.reader.bits(self.identifier_bits)?;
            if identifier == 0 {
                let pairs = self.reader.bits(1)? == 1;
                self.reference(interval, skip)?;
                if pairs {
                    self.pairs(&mut interval[at..at + self.block], skip)?;
                    at += self.block;
                } else {
                    let blocks = self.run_length(at / self.block, whole / self.block)?;
                    let end = at + blocks * self.block;
                    let run = interval
                        .get_mut(at + skip..end)
                        .ok_or("a run of zeros passes the scanline's end")?;
                    run.fill(0);
                    at = end;
                }
                continue;
            }
            let block = &mut interval[at..at + self.block];
            if identifier == uncompressed {
                for sample in block {
                    *sample = self.reader.bits(self.bits_per_sample)?;
                }
            } else {
                self.reference(block, skip)?;
                self.split(&mut block[skip..], identifier - 1)?;
            }
            at += self.block;
        }
        Ok(())
    }

    /// Reads the reference sample to the front of `samples`, if `count` is 1.
    fn reference(&mut self, samples: &mut [u32], count: usize) -> Result<(), &'static str> {
        for sample in samples.iter_mut().take(count) {
            *sample = self.reader.bits(self.bits_per_sample)?;
        }
        Ok(())
    }

    fn split(&mut self, block: &mut [u32], k: u32) -> Result<(), &'static str> {
        for sample in block.iter_mut() {
            *sample = self.reader.fundamental_sequence()?.wrapping_shl(k);
        }
        if k > 0 {
            for sample in block {
                *sample |= self.reader.bits(k)?;
            }
        }
        Ok(())
    }

    /// Reads a block of pairs. The first `skip` samples are part of a pair, but are not stored.
    fn pairs(&mut self, block: &mut [u32], skip: usize) -> Result<(), &'static str> {
        for (number, place) in block.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let code = self.reader.fundamental_sequence()?;
            let (first, second) = pair(code).ok_or("a pair of samples is out of range")?;
            if number > 0 || skip == 0 {
                place[0] = first;
            }
            place[1] = second;
        }
        Ok(())
    }

    /// Reads the length of a run of zero blocks that begins at block `at` of `blocks`.
    fn run_length(&mut self, at: usize, blocks: usize) -> Result<usize, &'static str> {
        let code = self.reader.fundamental_sequence()?;
        let length = match code {
            code if code < REST_OF_SEGMENT => code as usize + 1,
            REST_OF_SEGMENT => (blocks - at).min(SEGMENT - at % SEGMENT),
            code => code as usize,
        };
        if length > blocks - at {
            return Err("a run of zeros passes the scanline's end");
        }
        Ok(length)
    }
}
