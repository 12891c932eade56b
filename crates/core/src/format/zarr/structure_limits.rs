//! How large a structured type may be.

/// Most bytes of a structure. The fill value of one has all its bytes, and may be told in a few.
pub const MAX_STRUCT: usize = 1 << 20;

/// Deepest nesting of structures.
pub const DEEPEST: usize = 12;

/// Most fields of a structure.
pub const MOST_FIELDS: usize = 10_000;
