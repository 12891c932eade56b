//! The decoder of deflate streams: what is written here as literals and runs by a decoder of our own, the rest by libdeflate.

use std::cell::RefCell;

use libdeflater::Decompressor;

use crate::deflate::blocks::decode_literals::{Decoded, decode_literals};

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
