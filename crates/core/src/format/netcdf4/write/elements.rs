//! Converts elements that hold strings or sequences from [`Values`] to the file's bytes.
//!
//! An element has the same size in the file as in [`Values`]. Only its slots differ:
//!
//! ```text
//! Values: │ a: int │ pad │ length: u64 │ heap offset: u64          │
//! file:   │ a: int │ pad │ length: u32 │ collection: u64 │ index: u32 │ ─► global heap
//! ```
//!
//! NIL strings and empty sequences are zeros. An empty string has a heap object without bytes, as libhdf5
//! writes it.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::sync::Arc;

use ncutils_hdf5::{Data, FileWriter};

use crate::error::{Error, Result};
use crate::model::{SLOT_SIZE, Schema, Slot, Type, TypeClass, Values};

/// The positions of the slots in an element.
#[derive(Debug, Clone)]
pub struct ElementShape {
    /// Bytes of one element, the same in [`Values`] and in the file.
    pub size: usize,
    /// The slots of the element, ascending.
    slots: Vec<SlotShape>,
}

#[derive(Debug, Clone)]
struct SlotShape {
    /// Offset within the element, in bytes.
    offset: usize,
    /// The shape of a member of the sequence; single bytes without slots for a string.
    member: Arc<ElementShape>,
    /// True for a string: an empty one has a heap object, an empty sequence has none.
    string: bool,
}

impl ElementShape {
    /// The shape of an element of type `ty`.
    pub fn new(schema: &Schema, ty: Type) -> Self {
        let mut slots = Vec::new();
        collect(schema, ty, 0, &mut slots);
        Self {
            size: schema.type_size(ty),
            slots,
        }
    }

    /// Converts values for the metadata: attributes and fill values.
    ///
    /// # Errors
    /// If a sequence is too long for HDF5, or a slot points outside the heap.
    pub fn to_data(&self, values: &Values) -> Result<Data> {
        let mut data = Data::plain(values.bytes.clone());
        if self.slots.is_empty() || self.size == 0 {
            return Ok(data);
        }
        self.fill_data(&mut data, &values.heap)?;
        Ok(data)
    }

    fn fill_data(&self, data: &mut Data, heap: &[u8]) -> Result<()> {
        for start in (0..data.bytes.len()).step_by(self.size.max(1)) {
            for slot in &self.slots {
                let at = start + slot.offset;
                let Some((length, content)) = slot.take(&mut data.bytes, at, heap)? else {
                    continue;
                };
                if slot.member.slots.is_empty() {
                    data.sequences.push_plain(at, length, content);
                    continue;
                }
                let mut payload = Data::plain(content.to_vec());
                slot.member.fill_data(&mut payload, heap)?;
                data.sequences.push(at, length, payload);
            }
        }
        Ok(())
    }

    /// Appends the heap of `values` to `heap`. Returns the elements with slots that point there.
    ///
    /// # Errors
    /// If a slot points outside the heap.
    pub fn rebase(&self, values: &Values, heap: &mut Vec<u8>) -> Result<Vec<u8>> {
        let base = heap.len();
        heap.extend_from_slice(&values.heap);
        let mut bytes = values.bytes.clone();
        self.rebase_slots(&mut bytes, heap.get_mut(base..).unwrap_or_default(), base as u64)?;
        Ok(bytes)
    }

    fn rebase_slots(&self, bytes: &mut [u8], own: &mut [u8], base: u64) -> Result<()> {
        if self.slots.is_empty() {
            return Ok(());
        }
        for start in (0..bytes.len()).step_by(self.size.max(1)) {
            for slot in &self.slots {
                let at = start + slot.offset;
                let moved = Slot::read(bytes.get(at..at + SLOT_SIZE).ok_or_else(cut_short)?);
                let Some((_, content)) = slot.take(bytes, at, own)? else {
                    bytes[at..at + SLOT_SIZE].copy_from_slice(&moved.to_bytes());
                    continue;
                };
                if !slot.member.slots.is_empty() {
                    let (from, mut content) = (moved.offset as usize, content.to_vec());
                    slot.member.rebase_slots(&mut content, own, base)?;
                    own[from..from + content.len()].copy_from_slice(&content);
                }
                let offset = moved.offset + base;
                bytes[at..at + SLOT_SIZE].copy_from_slice(&Slot { offset, ..moved }.to_bytes());
            }
        }
        Ok(())
    }

    /// Converts values for data storage. Their strings and sequences are added to the file's heap.
    ///
    /// # Errors
    /// The errors of [`ElementShape::to_data`], and those of writing to the heap.
    pub fn insert(&self, values: Values, heap: &impl Heap) -> Result<Vec<u8>> {
        let mut bytes = values.bytes;
        self.insert_slots(&mut bytes, &values.heap, heap)?;
        Ok(bytes)
    }

    /// Replaces the slots in `bytes`. Contents are added to the heap in the order of their slots. The
    /// contents of nested slots are added before the content that holds them.
    fn insert_slots(&self, bytes: &mut [u8], source: &[u8], heap: &impl Heap) -> Result<()> {
        if self.slots.is_empty() {
            return Ok(());
        }
        let mut places = Vec::new();
        let mut plain: Vec<&[u8]> = Vec::new();
        for start in (0..bytes.len()).step_by(self.size.max(1)) {
            for slot in &self.slots {
                let at = start + slot.offset;
                let Some((length, content)) = slot.take(bytes, at, source)? else {
                    continue;
                };
                if slot.member.slots.is_empty() {
                    places.push((at, length));
                    plain.push(content);
                } else {
                    // Contents of earlier slots in the element are added first.
                    put(bytes, &mut places, &mut plain, heap)?;
                    let mut content = content.to_vec();
                    slot.member.insert_slots(&mut content, source, heap)?;
                    put(bytes, &mut vec![(at, length)], &mut vec![&content], heap)?;
                }
            }
        }
        put(bytes, &mut places, &mut plain, heap)
    }
}

/// Adds contents to the heap, and writes their lengths and places to `bytes`. Leaves both lists empty.
fn put(
    bytes: &mut [u8],
    places: &mut Vec<(usize, u32)>,
    contents: &mut Vec<&[u8]>,
    heap: &impl Heap,
) -> Result<()> {
    if contents.is_empty() {
        return Ok(());
    }
    let ids = heap.insert(contents)?;
    for ((at, length), id) in places.drain(..).zip(ids) {
        if let Some(element) = bytes.get_mut(at..at + SLOT_SIZE) {
            element[..4].copy_from_slice(&length.to_le_bytes());
            element[4..].copy_from_slice(&id);
        }
    }
    contents.clear();
    Ok(())
}

impl SlotShape {
    /// Reads the slot at `at` and clears it. Returns its length and content, or `None` if it has no heap
    /// object.
    fn take<'h>(&self, bytes: &mut [u8], at: usize, heap: &'h [u8]) -> Result<Option<(u32, &'h [u8])>> {
        let element = bytes.get_mut(at..at + SLOT_SIZE).ok_or_else(cut_short)?;
        let slot = Slot::read(element);
        element.fill(0);
        if slot.offset == Slot::NIL.offset || (slot.length == 0 && !self.string) {
            return Ok(None);
        }
        let too_long = || Error::Unsupported(format!("a sequence of {} elements in HDF5", slot.length));
        let length = u32::try_from(slot.length).map_err(|_| too_long())?;
        let size = self
            .member
            .size
            .checked_mul(length as usize)
            .ok_or_else(too_long)?;
        let content = usize::try_from(slot.offset)
            .ok()
            .and_then(|start| heap.get(start..start.checked_add(size)?))
            .ok_or_else(|| Error::Damaged("a sequence outside its heap".to_owned()))?;
        Ok(Some((length, content)))
    }
}

fn cut_short() -> Error {
    Error::Damaged("values end within an element".to_owned())
}

/// Finds the slots of an element of type `ty` that starts at offset `base`.
fn collect(schema: &Schema, ty: Type, base: usize, slots: &mut Vec<SlotShape>) {
    match ty {
        Type::String => slots.push(SlotShape {
            offset: base,
            member: Arc::new(ElementShape {
                size: 1,
                slots: Vec::new(),
            }),
            string: true,
        }),
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Vlen { base: member } => slots.push(SlotShape {
                offset: base,
                member: Arc::new(ElementShape::new(schema, *member)),
                string: false,
            }),
            TypeClass::Compound { fields, .. } => {
                for field in fields {
                    if !schema.has_heap(field.ty) {
                        continue;
                    }
                    let size = schema.type_size(field.ty);
                    let count: usize = field.dims.iter().product();
                    for i in 0..count {
                        collect(schema, field.ty, base + field.offset + i * size, slots);
                    }
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// The store of the contents of strings and sequences.
pub trait Heap {
    /// Stores contents. Returns the place of each as an element holds it: address of the collection, and
    /// index.
    fn insert(&self, contents: &[&[u8]]) -> Result<Vec<[u8; 12]>>;
}

impl Heap for FileWriter {
    fn insert(&self, contents: &[&[u8]]) -> Result<Vec<[u8; 12]>> {
        Ok(self.insert_sequences(contents).map_err(hdf5_error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, Kind, UserType};
    use ncutils_hdf5::Payload;
    use std::cell::RefCell;

    #[derive(Default)]
    struct Recorder(RefCell<Vec<Vec<u8>>>);

    impl Heap for Recorder {
        fn insert(&self, contents: &[&[u8]]) -> Result<Vec<[u8; 12]>> {
            let mut all = self.0.borrow_mut();
            Ok(contents
                .iter()
                .map(|content| {
                    all.push(content.to_vec());
                    let mut id = [0; 12];
                    id[8..].copy_from_slice(&(all.len() as u32).to_le_bytes());
                    id
                })
                .collect())
        }
    }

    #[test]
    fn nil_is_zeros_and_empty_is_an_object() {
        let schema = Schema::new(Kind::Netcdf4);
        let shape = ElementShape::new(&schema, Type::String);
        let values = Values::from_strings([Some(&b"abc"[..]), None, Some(b"")]);
        let data = shape.to_data(&values).unwrap();
        assert_eq!(data.bytes, [0; 48]);
        let found: Vec<_> = data.sequences.iter().collect();
        let expected: [&[u8]; 2] = [b"abc", b""];
        let [text, empty] = expected.map(Payload::Plain);
        assert_eq!(found, [(0, 3, text), (32, 0, empty)]);

        let heap = Recorder::default();
        let bytes = shape.insert(values, &heap).unwrap();
        assert_eq!(heap.0.borrow().as_slice(), [b"abc".to_vec(), vec![]]);
        assert_eq!(bytes[..16], [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(bytes[16..32], [0; 16]);
        assert_eq!(bytes[32..], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
    }

    #[test]
    fn sequences_nest() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let group = Schema::ROOT;
        let compound = schema.add_type(UserType {
            name: "c".into(),
            group,
            class: TypeClass::Compound {
                size: 40,
                fields: vec![
                    Field {
                        name: "i".into(),
                        offset: 0,
                        ty: Type::Int,
                        dims: vec![],
                    },
                    Field {
                        name: "s".into(),
                        offset: 8,
                        ty: Type::String,
                        dims: vec![2],
                    },
                ],
            },
        });
        let vlen = schema.add_type(UserType {
            name: "v".into(),
            group,
            class: TypeClass::Vlen {
                base: Type::User(compound),
            },
        });
        let mut values = Values::default();
        let strings = [values.push_heap(1, b"x"), values.push_heap(2, b"yz")];
        let mut element = vec![7, 0, 0, 0, 0, 0, 0, 0];
        strings
            .iter()
            .for_each(|s| element.extend_from_slice(&s.to_bytes()));
        let slot = values.push_heap(1, &element);
        values.bytes = slot.to_bytes().to_vec();

        let shape = ElementShape::new(&schema, Type::User(vlen));
        let data = shape.to_data(&values).unwrap();
        let outer: Vec<_> = data.sequences.iter().collect();
        let [(0, 1, Payload::Nested(inner))] = outer[..] else {
            panic!("{outer:?}")
        };
        let places: Vec<_> = inner.sequences.iter().map(|(at, ..)| at).collect();
        assert_eq!(places, [8, 24]);

        let heap = Recorder::default();
        let bytes = shape.insert(values.clone(), &heap).unwrap();
        let contents = heap.0.borrow();
        assert_eq!(contents[..2], [b"x".to_vec(), b"yz".to_vec()]);
        assert_eq!(contents[2][..4], [7, 0, 0, 0]);
        assert_eq!(contents[2][24..28], [2, 0, 0, 0]);
        assert_eq!((contents[2][20], contents[2][36], bytes[12]), (1, 2, 3));
        drop(contents);

        let mut combined = b"what is there".to_vec();
        let rebased = Values {
            bytes: shape.rebase(&values, &mut combined).unwrap(),
            heap: combined,
        };
        let again = Recorder::default();
        assert_eq!(shape.insert(rebased, &again).unwrap(), bytes);
        assert_eq!(again.0.into_inner(), heap.0.into_inner());
    }

    #[test]
    fn a_slot_outside_the_heap_is_refused() {
        let schema = Schema::new(Kind::Netcdf4);
        let shape = ElementShape::new(&schema, Type::String);
        let slot = Slot { length: 5, offset: 1 };
        let values = Values {
            bytes: slot.to_bytes().to_vec(),
            heap: vec![0; 5],
        };
        assert!(shape.to_data(&values).is_err());
        assert!(shape.insert(values, &Recorder::default()).is_err());
    }
}
