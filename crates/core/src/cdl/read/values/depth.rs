//! How deep values may be nested.

/// Maximum nesting of types and braces.
pub const MAX_DEPTH: usize = 64;
