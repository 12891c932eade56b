//! The deflate stream of a chunk, whose blocks are of several kinds.

use crate::Outcome;
use crate::codec::codec::generous_bound;
use crate::codec::room::room;
use crate::deflate::blocks::last_block::reopen;
use crate::deflate::blocks::literal_blocks::append_literals;
use crate::deflate::blocks::repeated_byte::append_repeated;
use crate::deflate::blocks::stored_blocks::store;
use crate::deflate::encoder::{LEVELS, Search, encode_matches};
use crate::deflate::judge::Blocks;
use crate::deflate::libdeflate::libdeflate;
use crate::deflate::runs::{DeflateRun, Planes};

/// Largest chunk and output, in bytes, that are also compressed as a whole: the headers of blocks may be larger than what they save.
const SMALL: usize = 64 << 10;
const SMALL_OUTPUT: usize = 256;

/// Puts `header` and a deflate stream of a chunk into `out`, whose old content is lost. `level` is zlib's.
pub(crate) fn encode_stream(
    level: usize,
    planes: Planes,
    input: &[u8],
    header: &[u8],
    out: &mut Vec<u8>,
) -> Outcome {
    let runs = match level {
        0 => vec![DeflateRun::of_matches(input)],
        _ => planes.runs(level, input),
    };
    if let [run] = &runs[..]
        && run.blocks == Blocks::Matches
    {
        // Keeps the present bytes of `out`, which need not be zeroed again.
        room(out, header.len() + generous_bound(input.len())).map_err(|error| error.to_string())?;
        out.splice(..out.len().min(header.len()), header.iter().copied());
        return encode_matches(level, input, run.search(Search::Usual), header.len(), out);
    }
    out.clear();
    out.extend_from_slice(header);
    let search = match runs.iter().any(|run| run.blocks == Blocks::Stored) {
        true => Search::BesideNoise,
        false => Search::Usual,
    };
    // Where a complete stream begins that is to be continued.
    let mut complete = None;
    for (n, run) in runs.iter().enumerate() {
        if let Some(start) = complete.take() {
            reopen(start, out).ok_or("a deflate stream that cannot be continued")?;
        }
        let part = &input[run.range.clone()];
        match run.blocks {
            Blocks::Matches => {
                let start = out.len();
                encode_matches(level, part, run.search(search), start, out)?;
                complete = Some(start);
            }
            Blocks::Repeated(byte) => append_repeated(byte, part.len(), n + 1 == runs.len(), out),
            Blocks::Literals => append_literals(part, n + 1 == runs.len(), out),
            Blocks::Stored => store(part, n + 1 == runs.len(), out),
        }
    }
    let blocks = out.len() - header.len();
    if input.len() <= SMALL && blocks < SMALL_OUTPUT {
        let mut whole = Vec::new();
        libdeflate(LEVELS[level], input, 0, &mut whole)?;
        if whole.len() < blocks {
            out.truncate(header.len());
            out.extend_from_slice(&whole);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::runs::tests::planes;

    /// A plane of one byte, and one whose few values repeat, in a chunk that a search as a whole takes for one.
    #[test]
    fn a_small_chunk_is_never_larger_than_its_search_as_a_whole() {
        for (count, period) in [(1024, 4), (2048, 64), (4096, 256), (8000, 8), (16_000, 1000)] {
            let values: Vec<u8> = (0..count).map(|n| (n / period % 7) as u8).collect();
            let chunk: Vec<u8> = [values, vec![3; count], vec![0; 2 * count]].concat();
            let mut whole = Vec::new();
            libdeflate(LEVELS[5], &chunk, 0, &mut whole).unwrap();
            let mut out = Vec::new();
            encode_stream(5, planes(4), &chunk, &[], &mut out).unwrap();
            assert!(
                out.len() <= whole.len(),
                "{count} of {period}: {} and {}",
                out.len(),
                whole.len()
            );
            let mut back = vec![0; chunk.len()];
            libdeflater::Decompressor::new()
                .deflate_decompress(&out, &mut back)
                .unwrap();
            assert_eq!(back, chunk);
        }
    }
}
