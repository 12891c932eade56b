//! The overlay of a metadata cache image: entries that replace the bytes of the file at their addresses.

use std::collections::BTreeMap;

/// Puts what `image` has of the bytes at `address` into `buf`. Its entries, by address, do not overlap.
pub(super) fn overlay_image(image: &BTreeMap<u64, Vec<u8>>, address: u64, buf: &mut [u8]) {
    let end = address + buf.len() as u64;
    // At most one entry that begins before `address` extends into the bytes read.
    let first = image
        .range(..=address)
        .next_back()
        .map_or(address, |(start, _)| *start);
    for (&start, entry) in image.range(first..end) {
        let skipped_entry = address.saturating_sub(start) as usize;
        let skipped_buf = start.saturating_sub(address) as usize;
        let (Some(from), Some(to)) = (entry.get(skipped_entry..), buf.get_mut(skipped_buf..)) else {
            continue;
        };
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
    }
}
