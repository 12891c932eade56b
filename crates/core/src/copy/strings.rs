//! Lengths of strings, and strings that are cut to a length.

use crate::model::{SLOT_SIZE, Slot, Values};

/// Cuts strings to at most `most` bytes, never within a UTF-8 character. Text that is not UTF-8 is cut anywhere.
pub fn cut_strings(values: &mut Values, most: u64) {
    let Values { bytes, heap } = values;
    for slot in bytes.chunks_exact_mut(SLOT_SIZE) {
        let mut cut = Slot::read(slot);
        if cut.length <= most {
            continue;
        }
        let text = usize::try_from(cut.offset)
            .ok()
            .and_then(|start| heap.get(start..));
        cut.length = text.map_or(most, |text| boundary(text, most));
        slot.copy_from_slice(&cut.to_bytes());
    }
}

/// The last place, at most `most`, that is not within a UTF-8 character of `text`.
fn boundary(text: &[u8], most: u64) -> u64 {
    let is_inside = |at: u64| {
        let byte = usize::try_from(at).ok().and_then(|at| text.get(at));
        byte.is_some_and(|byte| byte & 0xC0 == 0x80)
    };
    // A character has at most three bytes after its first.
    let found = (most.saturating_sub(3)..=most).rev().find(|at| !is_inside(*at));
    found.unwrap_or(most)
}

/// The length of the longest string of `values`, in bytes.
pub fn longest_string(values: &Values) -> u64 {
    let slots = values.bytes.chunks_exact(SLOT_SIZE);
    slots.map(|slot| Slot::read(slot).length).max().unwrap_or(0)
}
