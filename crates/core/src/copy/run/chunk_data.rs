//! [`Data`]: a decoded chunk on its way to the writer.

/// The bytes of a chunk to be written.
pub enum Data<'a> {
    /// Bytes of a larger buffer.
    Borrowed(&'a [u8]),
    /// A buffer whose bytes are taken over if they need no encoding.
    Owned(&'a mut Vec<u8>),
}

impl Data<'_> {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}
