//! The decoder of deflate streams: what is written here as literals and runs by a decoder of our own, the rest by libdeflate.

use std::cell::RefCell;

use libdeflater::Decompressor;

use crate::deflate::blocks::decode_literals::{Decoded, decode_literals};

/// Least bytes of content that are worth a look. Smaller planes are written by libdeflate alone.
const LEAST: usize = 16 << 10;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
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
    let rest = with_libdeflate(|decompressor| decompressor.deflate_decompress(stream, out));
    Some(written + rest.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
