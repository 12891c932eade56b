//! The deflate stream of a chunk, whose blocks are of several kinds.

use crate::Outcome;
use crate::codec::codec::generous_bound;
use crate::codec::room::room;
use crate::deflate::blocks::last_block::reopen;
use crate::deflate::blocks::literal_blocks::append_literals;
use crate::deflate::blocks::repeated_byte::append_repeated;
use crate::deflate::blocks::stored_blocks::store;
use crate::deflate::encoder::{Search, encode_matches};
use crate::deflate::judge::Blocks;
use crate::deflate::runs::{Planes, Run};

/// Puts `header` and a deflate stream of a chunk into `out`, whose old content is lost. `level` is zlib's.
pub(crate) fn encode_stream(
    level: usize,
    planes: Planes,
    input: &[u8],
    header: &[u8],
    out: &mut Vec<u8>,
) -> Outcome {
    let runs = match level {
        0 => vec![Run::of_matches(input)],
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
    Ok(())
}
