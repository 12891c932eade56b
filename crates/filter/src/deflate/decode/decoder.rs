//! The decoder of deflate streams: what is written here as literals and runs by a decoder of our own, the rest by libdeflate.
//!
//! ```text
//! │ one byte repeated, literals │ blocks of libdeflate │ mark │ one byte repeated │
//! └─ decode_literals ──────────┘└─ libdeflate ──────────────┘└─ decode_literals ┘
//! ```
//!
//! The planes of numbers' upper bytes are often the last block. libdeflate takes four times as long for it.

use std::cell::RefCell;

use libdeflater::Decompressor;

use crate::deflate::decode::literals::{Decoded, decode_literals};

/// Least bytes of content that are worth a look. A table for smaller ones takes longer than it saves.
const LEAST: usize = 16 << 10;

/// What precedes a block that begins at a byte: an empty stored block.
const MARK: [u8; 4] = [0, 0, 0xff, 0xff];

/// An empty stored block that ends a stream.
const END: [u8; 5] = [1, 0, 0, 0xff, 0xff];

/// Most bytes at the end of a stream in which the mark before a block of one byte is looked for: about 1 MiB of content.
const LAST: usize = 1 << 10;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
    static BEFORE_LAST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `decode` with libdeflate's decoder of this thread.
pub(crate) fn with_libdeflate<T>(decode: impl FnOnce(&mut Decompressor) -> T) -> T {
    DECOMPRESSOR.with_borrow_mut(|decompressor| decode(decompressor.get_or_insert_default()))
}

/// Decodes a stream that begins with blocks of ours, and returns the length of the content. `None` if it does not, or if something is
/// wrong. A stream of such blocks alone ends with its last byte. Where libdeflate decodes the rest, bytes behind its end are left out. A
/// checksum of the content has to tell that it is right.
pub(crate) fn decode_ours(stream: &[u8], out: &mut [u8]) -> Option<usize> {
    if out.len() < LEAST {
        return None;
    }
    let Decoded {
        read,
        written,
        is_all,
    } = decode_literals(stream, out);
    if is_all {
        return (read == stream.len()).then_some(written);
    }
    if written == 0 {
        return None;
    }
    let (stream, out) = (stream.get(read..)?, out.get_mut(written..)?);
    let rest = match decode_before_last(stream, out) {
        Some(rest) => rest,
        None => with_libdeflate(|decompressor| decompressor.deflate_decompress(stream, out)).ok()?,
    };
    Some(written + rest)
}

/// Decodes blocks of libdeflate, and a last block of ours behind them. `None` if there is no such block, or if something is wrong.
fn decode_before_last(stream: &[u8], out: &mut [u8]) -> Option<usize> {
    let (before, last) = stream.split_at(last_marked(stream)?);
    let size = BEFORE_LAST.with_borrow_mut(|joined| {
        joined.clear();
        joined.extend_from_slice(before);
        joined.extend_from_slice(&END);
        with_libdeflate(|decompressor| decompressor.deflate_decompress(joined, out)).ok()
    })?;
    let decoded = decode_literals(last, out.get_mut(size..)?);
    (decoded.is_all && decoded.read == last.len()).then_some(size + decoded.written)
}

/// Where the last block of a stream begins, if a mark precedes it and it has codes of its own.
fn last_marked(stream: &[u8]) -> Option<usize> {
    const LAST_WITH_CODES: u8 = 1 | 2 << 1;
    let from = stream.len().saturating_sub(LAST);
    let mark = stream[from..]
        .windows(MARK.len())
        .rposition(|bytes| bytes == MARK)?;
    let at = from + mark + MARK.len();
    (stream.get(at)? & 7 == LAST_WITH_CODES).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::blocks::last_block::reopen;
    use crate::deflate::blocks::literal_blocks::append_literals;
    use crate::deflate::blocks::repeated_byte::append_repeated;
    use libdeflater::{CompressionLvl, Compressor};

    /// A deflate stream of libdeflate.
    fn of_libdeflate(content: &[u8]) -> Vec<u8> {
        let mut compressor = Compressor::new(CompressionLvl::default());
        let mut stream = vec![0; compressor.deflate_compress_bound(content.len())];
        let length = compressor.deflate_compress(content, &mut stream).unwrap();
        stream.truncate(length);
        stream
    }

    #[test]
    fn what_begins_with_our_blocks_is_decoded_here() {
        let mostly_zero: Vec<u8> = (0..20_000u32).map(|n| u8::from(n * n % 11 == 3)).collect();
        let text = b"hello, hello, hello".repeat(100);
        let mut out = vec![0; 30_000];

        let mut alone = Vec::new();
        append_literals(&mostly_zero, true, &mut alone);
        assert_eq!(decode_ours(&alone, &mut out), Some(20_000));
        assert!(out.starts_with(&mostly_zero));
        alone.push(0);
        assert_eq!(decode_ours(&alone, &mut out), None);

        let mut mixed = Vec::new();
        append_repeated(7, 5000, false, &mut mixed);
        mixed.extend(of_libdeflate(&text));
        assert_eq!(decode_ours(&mixed, &mut out), Some(5000 + text.len()));
        assert!(out[..5000].iter().all(|byte| *byte == 7));
        assert!(out[5000..].starts_with(&text));

        assert_eq!(decode_ours(&of_libdeflate(&text), &mut out), None);
    }

    #[test]
    fn a_last_block_behind_those_of_libdeflate_is_decoded_here() {
        let text = b"hello, hello, hello".repeat(1000);
        let mut stream = Vec::new();
        append_repeated(7, 5000, false, &mut stream);
        let theirs = stream.len();
        stream.extend(of_libdeflate(&text));
        reopen(theirs, &mut stream).unwrap();
        let at = stream.len();
        append_repeated(9, 70_000, true, &mut stream);
        assert_eq!(last_marked(&stream), Some(at));
        let mut out = vec![0; 100_000];
        let size = 5000 + text.len() + 70_000;
        assert_eq!(decode_before_last(&stream[theirs..], &mut out), Some(size - 5000));
        assert_eq!(decode_ours(&stream, &mut out), Some(size));
        assert!(out[5000..].starts_with(&text));
        assert!(out[..5000].iter().all(|byte| *byte == 7));
        assert!(out[5000 + text.len()..size].iter().all(|byte| *byte == 9));

        // Without room, and with bytes behind the end.
        assert_eq!(decode_ours(&stream, &mut out[..size - 1]), None);
        stream.push(0);
        assert_eq!(decode_before_last(&stream[theirs..], &mut out), None);
    }

    #[test]
    fn a_last_block_of_others_behind_a_mark_is_left_to_libdeflate() {
        let text = b"hello, hello, hello".repeat(1000);
        let mut stream = Vec::new();
        append_repeated(7, 5000, false, &mut stream);
        for is_last in [false, true] {
            let start = stream.len();
            stream.extend(of_libdeflate(&text));
            if !is_last {
                reopen(start, &mut stream).unwrap();
            }
        }
        let mut out = vec![0; 100_000];
        assert_eq!(decode_ours(&stream, &mut out), Some(5000 + 2 * text.len()));
        assert!(out[5000..].starts_with(&text.repeat(2)));
    }
}
