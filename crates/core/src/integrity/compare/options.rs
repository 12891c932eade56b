//! [`CompareOptions`]: when elements count as equal, and which of them are compared.

use super::elements::Equality;
use crate::integrity::options::CheckOptions;

/// How two datasets are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompareOptions {
    /// When two numbers count as equal.
    pub equality: Equality,
    /// True to decode chunks of equal bytes too, once, to find out whether they can be decoded.
    pub decodes_equal: bool,
    /// True to leave out elements of the first dataset that have no defined value: never written, and without a fill
    /// value.
    pub only_defined: bool,
    /// Threads and memory.
    pub work: CheckOptions,
}
