//! Requests for data.

use crate::format::dap::dap2::names::sent;
use crate::format::dap::limits::MOST_OF_A_HEADER;
use crate::store::Question;

/// The question for a projection and selections, which are escaped already. The data of the answer has at most `most` bytes.
pub fn question(projection: &str, selections: &str, most: u64) -> Question {
    Question {
        suffix: ".dods",
        query: sent(projection) + selections,
        most: most.saturating_add(MOST_OF_A_HEADER),
    }
}

/// Most bytes of the data of `count` elements, each of which has `size` bytes as it is sent.
pub fn most_bytes(count: u64, size: u64) -> u64 {
    // Arrays of structures have lengths of their own in between.
    count.saturating_mul(size.max(4) * 3).saturating_add(64)
}
