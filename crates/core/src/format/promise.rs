//! [`Promised`]: how much of a variable will be written.

/// How much of a variable will be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Promised {
    /// Nothing: the variable reads as fill values.
    Nothing,
    /// This many chunks of a chunked variable.
    Chunks(u64),
    /// This many bytes of decoded storage of a contiguous or compact variable.
    Bytes(u64),
}

impl Promised {
    /// Number of chunks to be written.
    pub fn chunks(self) -> u64 {
        match self {
            Self::Chunks(n) => n,
            Self::Nothing | Self::Bytes(_) => 0,
        }
    }

    /// True if nothing will be written.
    pub fn is_nothing(self) -> bool {
        matches!(self, Self::Nothing | Self::Chunks(0) | Self::Bytes(0))
    }
}
