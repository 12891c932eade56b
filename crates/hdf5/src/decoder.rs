//! What undoes filters.
//!
//! This crate runs no filter, so whoever opens a file brings what does. It serves the chunks of datasets, and a file's own
//! structure: a group may have filters, too, and then the blocks and huge objects of the [fractal heap](crate::heap::fractal)
//! that holds its links are stored filtered.

use crate::dataset::Filter;

/// Bytes that went through filters.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Encoded<'a> {
    /// The filters in the order of encoding: they are undone from the last to the first.
    pub filters: &'a [Filter],
    /// Bit i set: filter i was not applied.
    pub mask: u32,
    /// What is stored.
    pub stored: &'a [u8],
    /// How many bytes it was before the first filter, and must become.
    pub size: usize,
    /// Bytes of one element; 1 for parts of the file's structure.
    pub element_size: usize,
}

/// What undoes filters, given to [`OpenOptions::decoder`](crate::OpenOptions::decoder).
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
    /// Why it cannot be done, in words for the user: a filter that is not known, input that is damaged or of another size.
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String>;
}

impl<F: Fn(&Encoded<'_>) -> Result<Vec<u8>, String> + Send + Sync> FilterDecoder for F {
    fn decode(&self, encoded: &Encoded<'_>) -> Result<Vec<u8>, String> {
        self(encoded)
    }
}
