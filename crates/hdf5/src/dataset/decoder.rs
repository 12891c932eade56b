//! [`FilterDecoder`]: undoes filters for this crate, which runs none itself.
//!
//! The caller supplies a decoder when opening a file. It decodes the chunks of datasets, and structure of the file: if
//! a group has filters, the blocks and huge objects of the [fractal heap](crate::heap::fractal) with its links are
//! stored filtered.

use crate::dataset::Filter;

/// Bytes stored through filters.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Encoded<'a> {
    /// The filters in the order of encoding. They are undone from last to first.
    pub filters: &'a [Filter],
    /// Bit i set: filter i was not applied.
    pub mask: u32,
    /// The stored bytes.
    pub stored: &'a [u8],
    /// Size before the first filter, in bytes, which decoding must give.
    pub size: usize,
    /// Size of an element, in bytes; 1 for parts of the file's structure.
    pub element_size: usize,
}

/// Undoes filters. Set by [`OpenOptions::decoder`](crate::OpenOptions::decoder).
///
/// A function is a decoder:
///
/// ```
/// use ncutils_hdf5::{Encoded, OpenOptions};
///
/// let options = OpenOptions::new().decoder(|encoded: &Encoded<'_>| {
///     let applied = (0..).zip(encoded.filters).filter(|(i, _)| encoded.mask >> i & 1 == 0);
///     match applied.last() {
///         None => Ok(encoded.stored.to_vec()),
///         Some((_, filter)) => Err(format!("filter {} is not known", filter.id)),
///     }
/// });
/// ```
pub trait FilterDecoder: Send + Sync {
    /// Undoes the filters. The result has exactly [`Encoded::size`] bytes.
    ///
    /// # Errors
    /// The reason, in words for the user: an unknown filter, or input that is damaged or of the wrong size.
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String>;
}

impl<F: Fn(&Encoded<'_>) -> Result<Vec<u8>, String> + Send + Sync> FilterDecoder for F {
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String> {
        self(encoded)
    }
}
