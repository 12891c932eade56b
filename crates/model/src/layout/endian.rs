//! [`Endian`]: the byte order of numbers.

/// The byte order of numbers in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}
