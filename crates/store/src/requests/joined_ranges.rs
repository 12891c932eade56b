//! Neighbouring ranges as one request.

use crate::ByteRange;

/// Upper limit, in bytes, of a request for several neighbouring ranges.
const MOST_JOINED: u64 = 8 << 20;

/// Length, in bytes, of a range that gains nothing from sharing a request with another one as long: two connections bring both sooner.
const LONG: usize = 2 << 20;

/// Joins neighbouring ranges into requests. Each request lists the positions in `ranges` that it covers. Two ranges are
/// joined if at most `gap` bytes lie between them, unless both are long. The gaps of a request are never longer than its ranges together, so
/// at most twice the wanted bytes are read.
pub fn join(ranges: &[ByteRange], gap: u64) -> Vec<(ByteRange, Vec<usize>)> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by_key(|n| (ranges[*n].offset, ranges[*n].length));
    let mut joined: Vec<(ByteRange, Vec<usize>)> = Vec::new();
    // Bytes of the last request that are not in a gap.
    let mut wanted = 0u64;
    for n in order {
        let range = ranges[n];
        if let (Some((whole, members)), Some(end)) = (joined.last_mut(), range.end()) {
            let whole_end = whole.end().unwrap_or(end);
            let near = range.offset <= whole_end.saturating_add(gap);
            let length = end.max(whole_end) - whole.offset;
            let more = end.saturating_sub(range.offset.max(whole_end));
            let dense = length <= wanted.saturating_add(more).saturating_mul(2);
            let apart = range.offset >= whole_end && whole.length.min(range.length) >= LONG;
            if near && dense && !apart && length <= MOST_JOINED.max(whole.length as u64) {
                whole.length = length as usize;
                wanted += more;
                members.push(n);
                continue;
            }
        }
        wanted = range.length as u64;
        joined.push((range, vec![n]));
    }
    joined
}
