//! [`ShortBytes`]: bytes of which a few take no allocation.

use std::fmt;
use std::ops::Deref;

/// Most bytes that take no allocation: the value is as large as a `Vec` then.
const SHORT: usize = 22;

/// Some bytes. There are very many short ones, such as datatypes of attributes.
#[derive(Clone, PartialEq, Eq)]
pub struct ShortBytes(ShortOrHeap);

#[derive(Clone, PartialEq, Eq)]
enum ShortOrHeap {
    Here(u8, [u8; SHORT]),
    Heap(Box<[u8]>),
}

impl Default for ShortBytes {
    fn default() -> Self {
        Self(ShortOrHeap::Here(0, [0; SHORT]))
    }
}

impl From<&[u8]> for ShortBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut here = [0; SHORT];
        match here.get_mut(..bytes.len()) {
            Some(start) => {
                start.copy_from_slice(bytes);
                Self(ShortOrHeap::Here(bytes.len() as u8, here))
            }
            None => Self(ShortOrHeap::Heap(bytes.into())),
        }
    }
}

impl Deref for ShortBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            ShortOrHeap::Here(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            ShortOrHeap::Heap(bytes) => bytes,
        }
    }
}

impl fmt::Debug for ShortBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_length_are_kept() {
        let bytes: Vec<u8> = (1..=50).collect();
        for length in 0..bytes.len() {
            let kept = ShortBytes::from(&bytes[..length]);
            assert_eq!(*kept, bytes[..length]);
            assert_eq!(kept, kept.clone());
            assert_eq!(format!("{kept:?}"), format!("{:?}", &bytes[..length]));
        }
        assert!(ShortBytes::default().is_empty());
        assert_eq!(size_of::<ShortBytes>(), size_of::<Vec<u8>>());
    }
}
