//! Finds addresses within elements, so that references lead to the copies, and variable-length data goes to the copy's heap.
//!
//! ```text
//! element: │ a: int │ length │ collection, index │ object address │ collection, index │
//!                     └─ sequence: its content      └─ object        └─ region: dataset, selection
//! ```

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_hdf5::{Class, Data, Datatype, File, GlobalHeapReader, ObjectId, ReferenceKind};

use crate::error::{Error, Result};

/// Most addresses in one element.
const MOST_HOLES: usize = 1 << 20;

/// Where objects of the input are in the copy.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    /// The input.
    pub(super) file: &'a File,
    /// The copies of its objects, by their addresses in the input.
    pub(super) objects: &'a HashMap<u64, ObjectId>,
    /// Counts references to what is not copied.
    pub(super) lost: &'a AtomicU64,
}

/// The positions of addresses in an element.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    size: usize,
    holes: Vec<(usize, Hole)>,
}

#[derive(Debug, Clone)]
enum Hole {
    Object,
    Region,
    Sequence(Box<Shape>),
}

impl Shape {
    /// The shape of an element of a type, in a file whose addresses take `offset_size` bytes.
    ///
    /// # Errors
    /// The type holds addresses that are not understood, or that are narrower than those of the copy.
    pub(super) fn new(datatype: &Datatype, offset_size: u8) -> Result<Self> {
        let mut shape = Self {
            size: datatype.size as usize,
            holes: Vec::new(),
        };
        collect(datatype, 0, &mut shape.holes)?;
        if !shape.holes.is_empty() && offset_size != 8 {
            return Err(Error::Unsupported(format!(
                "elements that hold addresses of {offset_size} bytes, which take 8 in the copy"
            )));
        }
        Ok(shape)
    }

    /// True if elements hold addresses.
    pub(super) fn has_addresses(&self) -> bool {
        !self.holes.is_empty()
    }

    /// Converts elements for the copy.
    ///
    /// # Errors
    /// An element refers to a heap object that does not exist, or is damaged.
    pub(super) fn data(&self, bytes: Vec<u8>, places: &Places<'_>) -> Result<Data> {
        self.convert(bytes, places, &places.file.global_heap())
    }

    fn convert(&self, bytes: Vec<u8>, places: &Places<'_>, heap: &GlobalHeapReader<'_>) -> Result<Data> {
        let mut data = Data::plain(bytes);
        if self.holes.is_empty() || self.size == 0 {
            return Ok(data);
        }
        for start in (0..data.bytes.len()).step_by(self.size) {
            for (offset, hole) in &self.holes {
                hole.convert(&mut data, start + offset, places, heap)?;
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
    fn convert(
        &self,
        data: &mut Data,
        at: usize,
        places: &Places<'_>,
        heap: &GlobalHeapReader<'_>,
    ) -> Result<()> {
        let stored = data.bytes.get_mut(at..at + self.width());
        let stored = stored.ok_or_else(|| Error::Damaged("an element is cut short".to_owned()))?;
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
                let content = heap.object(collection, uint(8, 4) as u32)?;
                let Some((address, selection)) = content.split_first_chunk::<8>() else {
                    return Err(Error::Damaged("a region reference is cut short".to_owned()));
                };
                let id = found(u64::from_le_bytes(*address));
                data.regions.extend(id.map(|id| (at, id, selection.to_vec())));
            }
            Self::Sequence(base) => {
                let (length, collection) = (uint(0, 4), uint(4, 8));
                if matches!(collection, 0 | u64::MAX) {
                    return Ok(());
                }
                let content = heap.object(collection, uint(12, 4) as u32)?;
                let size = usize::try_from(length)
                    .ok()
                    .and_then(|n| n.checked_mul(base.size));
                let content = size.and_then(|size| content.get(..size)).ok_or_else(|| {
                    Error::Damaged(format!(
                        "a sequence of {length} members is longer than its heap object"
                    ))
                })?;
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

fn collect(datatype: &Datatype, at: usize, holes: &mut Vec<(usize, Hole)>) -> Result<()> {
    if holes.len() > MOST_HOLES {
        return Err(Error::Unsupported(format!(
            "elements with more than {MOST_HOLES} addresses each"
        )));
    }
    if !datatype.holds_addresses() {
        return Ok(());
    }
    match &datatype.class {
        Class::Reference { kind } => holes.push((
            at,
            match kind {
                ReferenceKind::Object => Hole::Object,
                ReferenceKind::DatasetRegion => Hole::Region,
                ReferenceKind::Standard => {
                    return Err(Error::Unsupported(
                        "references of HDF5 1.12 cannot be copied as they are".to_owned(),
                    ));
                }
            },
        )),
        Class::VariableString { .. } => {
            let byte = Shape {
                size: 1,
                holes: Vec::new(),
            };
            holes.push((at, Hole::Sequence(Box::new(byte))));
        }
        Class::VariableLength { base } => {
            let mut shape = Shape {
                size: base.size as usize,
                holes: Vec::new(),
            };
            collect(base, 0, &mut shape.holes)?;
            holes.push((at, Hole::Sequence(Box::new(shape))));
        }
        Class::Compound { members } => {
            for member in members {
                collect(&member.datatype, at.saturating_add(member.offset as usize), holes)?;
            }
        }
        Class::Array { dims, base } => {
            let count = dims.iter().fold(1usize, |n, dim| n.saturating_mul(*dim as usize));
            for n in 0..count {
                collect(
                    base,
                    at.saturating_add(n.saturating_mul(base.size as usize)),
                    holes,
                )?;
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
        let shape = Shape::new(&compound, 8).unwrap();
        let at: Vec<usize> = shape.holes.iter().map(|(at, _)| *at).collect();
        assert_eq!(at, [8, 16, 24]);
        assert!(Shape::new(&compound, 4).is_err());
        assert!(!Shape::new(&int, 4).unwrap().has_addresses());
        let standard = Datatype {
            size: 64,
            class: Class::Reference {
                kind: ReferenceKind::Standard,
            },
        };
        assert!(Shape::new(&standard, 8).is_err());
    }
}
