//! [`ReferenceText`]: the conversion of a reference to text.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_hdf5::{Class, Datatype, ElementSelection, GlobalHeapObject, ReferenceKind};

use super::object_names::ObjectNames;
use super::region_text::push_region;
use crate::error::{Error, Result};
use crate::format::netcdf4::hdf5_error::hdf5_error;

/// The address of a null reference, which no object has.
const NULL: u64 = u64::MAX;

/// Converts references of one kind. Clones share the lowest unknown address.
#[derive(Debug, Clone)]
pub struct ReferenceText {
    is_region: bool,
    /// The lowest address without a known object; `NULL` for none.
    unknown: Arc<AtomicU64>,
}

/// Conversions are equal by what they do.
impl PartialEq for ReferenceText {
    fn eq(&self, other: &Self) -> bool {
        self.is_region == other.is_region
    }
}

/// True if elements hold references, in any part.
pub fn has_references(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Reference { .. } => true,
        Class::Compound { members } => members.iter().any(|member| has_references(&member.datatype)),
        Class::Array { base, .. } | Class::VariableLength { base } => has_references(base),
        _ => false,
    }
}

impl ReferenceText {
    /// The conversion of a datatype; `None` if it is no reference, or one of HDF5 1.12.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let is_region = match datatype.class {
            Class::Reference {
                kind: ReferenceKind::Object,
            } => false,
            Class::Reference {
                kind: ReferenceKind::DatasetRegion,
            } => true,
            _ => return None,
        };
        Some(Self {
            is_region,
            unknown: Arc::new(AtomicU64::new(NULL)),
        })
    }

    /// Appends the text of an element; none for a null reference. `heap` gives the objects of the global heap.
    ///
    /// # Errors
    /// The element or its object of the heap is damaged.
    pub fn push(
        &self,
        element: &[u8],
        offset_size: usize,
        names: &ObjectNames,
        heap: impl FnOnce(u64, u32) -> Result<GlobalHeapObject>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let address = |bytes: &[u8]| {
            let bytes = bytes.get(..offset_size).ok_or_else(ends_early)?;
            let number = bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
            Ok::<_, Error>((number != 0 && bytes.iter().any(|byte| *byte != 0xff)).then_some(number))
        };
        let Some(first) = address(element)? else {
            return Ok(());
        };
        if !self.is_region {
            self.push_object(first, names, out);
            return Ok(());
        }
        let index = element
            .get(offset_size..)
            .and_then(|rest| rest.first_chunk::<4>());
        let index = u32::from_le_bytes(*index.ok_or_else(ends_early)?);
        let object = heap(first, index)?;
        let Some(dataset) = address(&object)? else {
            return Ok(());
        };
        let selection = object.get(offset_size..).ok_or_else(ends_early)?;
        let selection = ElementSelection::parse(selection).map_err(hdf5_error)?;
        self.push_object(dataset, names, out);
        push_region(&selection, out);
        Ok(())
    }

    fn push_object(&self, address: u64, names: &ObjectNames, out: &mut Vec<u8>) {
        if !names.push_path(address, out) {
            // Only one is told, the same for any number of threads.
            self.unknown.fetch_min(address, Ordering::Relaxed);
            // Writing to memory does not fail.
            let _ = write!(out, "unknown@{address}");
        }
    }

    /// The lowest address at which no object is known, of all elements converted so far.
    pub fn unknown(&self) -> Option<u64> {
        Some(self.unknown.load(Ordering::Relaxed)).filter(|address| *address != NULL)
    }
}

fn ends_early() -> Error {
    Error::Damaged("a reference ends early".to_owned())
}

/// The warning about references in `what` to an object that is not known.
pub fn unknown_object(what: &str, address: u64) -> String {
    format!("{what} refers to what is no object of the dataset, shown as unknown@{address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(element: &[u8], offset_size: usize) -> Result<(String, Option<u64>)> {
        let reference = ReferenceText::of(&Datatype::object_reference()).unwrap();
        let mut out = Vec::new();
        let no_heap = |_, _| Err(Error::Internal("a heap".to_owned()));
        reference.push(element, offset_size, &ObjectNames::of_test(), no_heap, &mut out)?;
        Ok((String::from_utf8(out).unwrap(), reference.unknown()))
    }

    #[test]
    fn addresses_become_paths() {
        for (address, path, unknown) in [
            (48, "/", None),
            (96, "/g", None),
            (800, "/g/d", None),
            (0, "", None),
            (u64::MAX, "", None),
            (801, "unknown@801", Some(801)),
            (u64::MAX - 1, "unknown@18446744073709551614", Some(u64::MAX - 1)),
        ] {
            let found = text(&u64::to_le_bytes(address), 8).unwrap();
            assert_eq!(found, (path.to_owned(), unknown));
        }
        assert_eq!(text(&[96, 0, 0, 0, 1, 1, 1, 1], 4).unwrap().0, "/g");
        assert_eq!(text(&[0xff, 0xff, 0xff, 0xff], 4).unwrap().0, "");
        assert!(text(&[96, 0], 8).is_err());
    }
}
