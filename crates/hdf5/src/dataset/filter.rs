//! [`Filter`]: one filter of a pipeline (specification section IV.A.2.l).

/// One filter of a pipeline (specification section IV.A.2.l). The first of a pipeline is applied first in writing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Filter {
    /// The registered filter identification number.
    pub id: u16,
    /// Bit 0 of the flags: a chunk that the filter fails on is stored without it.
    pub optional: bool,
    /// The filter's name; empty if the file has none.
    pub name: String,
    /// The client data values, as stored.
    pub parameters: Vec<u32>,
}
