//! Finds addresses within elements, so that references lead to the copies, and variable-length data goes to the copy's heap.
//!
//! ```text
//! element: │ a: int │ length │ collection, index │ object address │ collection, index │
//!                     └─ sequence: its content      └─ object        └─ region: dataset, selection
//! ```

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_hdf5::{Class, Data, Datatype, File, GlobalHeapReader, ObjectId, ReferenceKind};

use super::lost_elements::LostElements;
use crate::error::{Error, Result};
use crate::format::netcdf4::heap_limit::HeapLimit;

/// Most addresses in one element.
const MOST_HOLES: usize = 1 << 20;

/// Where objects of the input are in the copy.
#[derive(Clone, Copy)]
pub(in crate::format::netcdf4::verbatim) struct CopiedObjects<'a> {
    /// The input.
    pub(in crate::format::netcdf4::verbatim) file: &'a File,
    /// The copies of its objects, by their addresses in the input.
    pub(in crate::format::netcdf4::verbatim) objects: &'a HashMap<u64, ObjectId>,
    /// Counts references to what is not copied.
    pub(in crate::format::netcdf4::verbatim) lost: &'a AtomicU64,
    /// Bytes of the input.
    pub(in crate::format::netcdf4::verbatim) size: u64,
    /// Where elements that cannot be read are noted, which become null; `None` if they are errors.
    pub(in crate::format::netcdf4::verbatim) lost_elements: Option<&'a LostElements>,
}

/// Where variable-length data is read, and how much of it may still come.
struct Heap<'a> {
    objects: GlobalHeapReader<'a>,
    limit: HeapLimit,
}

/// The positions of addresses in an element.
#[derive(Debug, Clone)]
pub(in crate::format::netcdf4::verbatim) struct VerbatimShape {
    size: usize,
    holes: Vec<(usize, Hole)>,
}

#[derive(Debug, Clone)]
enum Hole {
    Object,
    Region,
    Sequence(Arc<VerbatimShape>),
}

impl VerbatimShape {
    /// The shape of an element of a type, in a file whose addresses take `offset_size` bytes.
    ///
    /// # Errors
    /// The type holds addresses that are not understood, or that are narrower than those of the copy.
    pub(in crate::format::netcdf4::verbatim) fn new(datatype: &Datatype, offset_size: u8) -> Result<Self> {
        let mut shape = Self {
            size: datatype.size as usize,
            holes: Vec::new(),
        };
        let mut left = MOST_HOLES;
        collect(datatype, 0, &mut shape.holes, &mut left)?;
        if !shape.holes.is_empty() && offset_size != 8 {
            return Err(Error::Unsupported(format!(
                "elements that hold addresses of {offset_size} bytes, which take 8 in the copy"
            )));
        }
        Ok(shape)
    }

    /// True if elements hold addresses.
    pub(in crate::format::netcdf4::verbatim) fn has_addresses(&self) -> bool {
        !self.holes.is_empty()
    }

    /// True if elements hold references to objects, at any depth.
    pub(in crate::format::netcdf4::verbatim) fn has_references(&self) -> bool {
        self.holes.iter().any(|(_, hole)| match hole {
            Hole::Object | Hole::Region => true,
            Hole::Sequence(base) => base.has_references(),
        })
    }

    /// Converts elements for the copy.
    ///
    /// # Errors
    /// An element refers to a heap object that does not exist, or is damaged; elements that hold many times more than the file.
    pub(in crate::format::netcdf4::verbatim) fn data(
        &self,
        bytes: Vec<u8>,
        places: &CopiedObjects<'_>,
    ) -> Result<Data> {
        let heap = Heap {
            objects: places.file.global_heap(),
            limit: HeapLimit::of_file(places.size),
        };
        self.convert(bytes, places, &heap)
    }

    fn convert(&self, bytes: Vec<u8>, places: &CopiedObjects<'_>, heap: &Heap<'_>) -> Result<Data> {
        let mut data = Data::plain(bytes);
        if self.holes.is_empty() || self.size == 0 {
            return Ok(data);
        }
        for start in (0..data.bytes.len()).step_by(self.size) {
            for (offset, hole) in &self.holes {
                let converted = hole.convert(&mut data, start + offset, places, heap);
                match (converted, places.lost_elements) {
                    // The hole is null by now.
                    (Err(error), Some(lost)) if !error.is_failure() => lost.add(&error),
                    (converted, _) => converted?,
                }
            }
        }
        Ok(data)
    }
}

impl Hole {
    fn width(&self) -> usize {
        match self {
            Self::Object => 8,
            Self::Region => 12,
            Self::Sequence(_) => 16,
        }
    }

    /// Moves the hole at byte `at` of the data to its list.
    fn convert(&self, data: &mut Data, at: usize, places: &CopiedObjects<'_>, heap: &Heap<'_>) -> Result<()> {
        let stored = data.bytes.get_mut(at..at + self.width());
        let stored = stored.ok_or_else(|| Error::Damaged("an element ends early".to_owned()))?;
        let place = stored.to_vec();
        stored.fill(0);
        let uint = |from: usize, size: usize| {
            let bytes = place.iter().skip(from).take(size).rev();
            bytes.fold(0u64, |n, byte| n << 8 | u64::from(*byte))
        };
        let found = |address: u64| match address {
            0 | u64::MAX => None,
            address => {
                let id = places.objects.get(&address).copied();
                if id.is_none() {
                    places.lost.fetch_add(1, Ordering::Relaxed);
                }
                id
            }
        };
        match self {
            Self::Object => data.references.extend(found(uint(0, 8)).map(|id| (at, id))),
            Self::Region => {
                let collection = uint(0, 8);
                if matches!(collection, 0 | u64::MAX) {
                    return Ok(());
                }
                let content = heap
                    .objects
                    .object(collection, uint(8, 4) as u32)
                    .map_err(hdf5_error)?;
                let Some((address, selection)) = content.split_first_chunk::<8>() else {
                    return Err(Error::Damaged("a region reference ends early".to_owned()));
                };
                heap.limit.take(content.len() as u64)?;
                let id = found(u64::from_le_bytes(*address));
                data.regions.extend(id.map(|id| (at, id, selection.to_vec())));
            }
            Self::Sequence(base) => {
                let (length, collection) = (uint(0, 4), uint(4, 8));
                if matches!(collection, 0 | u64::MAX) {
                    return Ok(());
                }
                let content = heap
                    .objects
                    .object(collection, uint(12, 4) as u32)
                    .map_err(hdf5_error)?;
                let size = usize::try_from(length)
                    .ok()
                    .and_then(|n| n.checked_mul(base.size));
                let content = size.and_then(|size| content.get(..size)).ok_or_else(|| {
                    Error::Damaged(format!(
                        "a sequence of {length} members is longer than its heap object"
                    ))
                })?;
                heap.limit.take(content.len() as u64)?;
                if base.holes.is_empty() {
                    data.sequences.push_plain(at, length as u32, content);
                } else {
                    let nested = base.convert(content.to_vec(), places, heap)?;
                    data.sequences.push(at, length as u32, nested);
                }
            }
        }
        Ok(())
    }
}

/// Counts `more` addresses, of which the whole type may still have `left`.
fn count(more: usize, left: &mut usize) -> Result<()> {
    *left = left
        .checked_sub(more)
        .ok_or_else(|| Error::Unsupported(format!("elements with more than {MOST_HOLES} addresses each")))?;
    Ok(())
}

/// Adds the addresses of a type whose elements begin at byte `at`.
fn collect(datatype: &Datatype, at: usize, holes: &mut Vec<(usize, Hole)>, left: &mut usize) -> Result<()> {
    if !datatype.holds_addresses() {
        return Ok(());
    }
    let is_one = matches!(
        datatype.class,
        Class::Reference { .. } | Class::VariableString { .. } | Class::VariableLength { .. }
    );
    count(usize::from(is_one), left)?;
    match &datatype.class {
        Class::Reference { kind } => holes.push((
            at,
            match kind {
                ReferenceKind::Object => Hole::Object,
                ReferenceKind::DatasetRegion => Hole::Region,
                ReferenceKind::Standard => {
                    return Err(Error::Unsupported(
                        "copying references of HDF5 1.12 as they are".to_owned(),
                    ));
                }
            },
        )),
        Class::VariableString { .. } => {
            let byte = VerbatimShape {
                size: 1,
                holes: Vec::new(),
            };
            holes.push((at, Hole::Sequence(Arc::new(byte))));
        }
        Class::VariableLength { base } => {
            let mut shape = VerbatimShape {
                size: base.size as usize,
                holes: Vec::new(),
            };
            collect(base, 0, &mut shape.holes, left)?;
            holes.push((at, Hole::Sequence(Arc::new(shape))));
        }
        Class::Compound { members } => {
            for member in members {
                collect(
                    &member.datatype,
                    at.saturating_add(member.offset as usize),
                    holes,
                    left,
                )?;
            }
        }
        Class::Array { dims, base } => {
            let elements = dims.iter().fold(1usize, |n, dim| n.saturating_mul(*dim as usize));
            if dims.contains(&0) {
                return Ok(());
            }
            let mut of_base = Vec::new();
            collect(base, 0, &mut of_base, left)?;
            count(of_base.len().saturating_mul(elements - 1), left)?;
            for n in 0..elements {
                let start = at.saturating_add(n.saturating_mul(base.size as usize));
                let moved = of_base.iter();
                holes.extend(moved.map(|(offset, hole)| (start.saturating_add(*offset), hole.clone())));
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncutils_hdf5::{ByteOrder, CompoundMember};

    #[test]
    fn addresses_are_found_at_any_depth() {
        let int = Datatype::integer(4, true, ByteOrder::Little);
        let pair = Datatype {
            size: 16,
            class: Class::Array {
                dims: vec![2],
                base: Box::new(Datatype::object_reference()),
            },
        };
        let member = |name: &str, offset, datatype| CompoundMember {
            name: name.to_owned(),
            offset,
            datatype,
        };
        let compound = Datatype {
            size: 40,
            class: Class::Compound {
                members: vec![
                    member("n", 0, int.clone()),
                    member("r", 8, pair),
                    member("s", 24, Datatype::variable_length(int.clone())),
                ],
            },
        };
        let shape = VerbatimShape::new(&compound, 8).unwrap();
        let at: Vec<usize> = shape.holes.iter().map(|(at, _)| *at).collect();
        assert_eq!(at, [8, 16, 24]);
        assert!(VerbatimShape::new(&compound, 4).is_err());
        assert!(!VerbatimShape::new(&int, 4).unwrap().has_addresses());
        let standard = Datatype {
            size: 64,
            class: Class::Reference {
                kind: ReferenceKind::Standard,
            },
        };
        assert!(VerbatimShape::new(&standard, 8).is_err());
    }
    #[test]
    fn addresses_of_a_type_are_limited_at_any_depth() {
        let array = |length, base: Datatype| Datatype {
            size: base.size.saturating_mul(length),
            class: Class::Array {
                dims: vec![length],
                base: Box::new(base),
            },
        };
        let many = array(1 << 19, Datatype::object_reference());
        assert_eq!(VerbatimShape::new(&many, 8).unwrap().holes.len(), 1 << 19);
        let nested = array(
            1 << 19,
            Datatype::variable_length(array(1 << 20, Datatype::object_reference())),
        );
        assert!(VerbatimShape::new(&nested, 8).is_err());
        let none = array(0, array(u32::MAX, Datatype::object_reference()));
        assert!(!VerbatimShape::new(&none, 8).unwrap().has_addresses());
    }
}
