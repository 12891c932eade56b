//! Stored blocks of a deflate stream (RFC 1951, 3.2.4).

/// Bytes of the header of a block that begins at a byte.
pub(crate) const HEADER: usize = 5;

/// Most bytes of a stored block.
const MOST: usize = 0xffff;

/// Adds stored blocks with `content` to `out`, which ends at a byte. The last of them is the last of the stream if
/// `is_last`.
pub(crate) fn store(content: &[u8], is_last: bool, out: &mut Vec<u8>) {
    let count = content.len().div_ceil(MOST);
    for (n, block) in content.chunks(MOST).enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(is_last && n + 1 == count));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
}
