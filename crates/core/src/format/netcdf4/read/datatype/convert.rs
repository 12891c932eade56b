//! Converts elements in a file's form to [`Values`].
//!
//! A [`Conversion`] is compiled once, for a datatype and its netCDF type, and then run over elements:
//!
//! ```text
//! Datatype, Type ─► compile ─► Step tree ─┐
//! element bytes ──────────────────────────┼─► run ─► Values { bytes, heap }
//! GlobalHeapReader ───────────────────────┘
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ncutils_hdf5::{Class, Datatype, GlobalHeapObject, GlobalHeapReader, StringPadding};

use super::number::Number;
use super::types::{Member, is_canonical, is_text};
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::format::netcdf4::hdf5_error::hdf5_error;
use crate::format::netcdf4::heap_limit::HeapLimit;
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::format::netcdf4::read::reference::object_names::ObjectNames;
use crate::format::netcdf4::read::reference::reference_text::ReferenceText;
use crate::model::{Endian, SLOT_SIZE, Schema, Slot, Type, TypeClass, Values};

/// Most levels of nested steps. Types may have half as many levels: an array in a compound takes two steps.
const DEPTH: usize = 80;

/// The conversion of elements of one datatype.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    step: Step,
    /// Bytes of an element in the file.
    pub file_size: usize,
    /// Bytes of an element in memory.
    pub memory_size: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// Copy this many bytes unchanged.
    Copy(usize),
    /// Convert a number. The sizes are those in the file and in memory, in bytes.
    Number(Number, usize, usize),
    /// Convert a string of fixed size to one of any length. It ends at the first NUL.
    Text(usize, Cut),
    /// Read a string from the heap.
    String,
    /// Convert a reference to text.
    Reference(ReferenceText),
    /// Read a sequence from the heap.
    Sequence(Box<Conversion>),
    /// Convert the fields of a compound: offset in the file, offset in memory.
    Fields(Vec<(usize, usize, Conversion)>),
    /// Convert several elements, one after another.
    Repeat(usize, Box<Conversion>),
}

/// Tells whether text behind a NUL of a fixed string was left out. The copies of a conversion have it in common.
#[derive(Debug, Clone, Default)]
struct Cut(Option<Arc<AtomicBool>>);

impl Cut {
    /// Of strings with this padding. A string that a NUL terminates has no text behind it.
    fn of(datatype: &Datatype) -> Self {
        let is_padded = matches!(
            datatype.class,
            Class::String {
                padding: StringPadding::NullPad | StringPadding::SpacePad,
                ..
            }
        );
        Self(is_padded.then(Arc::default))
    }

    /// The text before the first NUL.
    fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let kept = until_nul(text);
        if let Some(cut) = &self.0
            && text[kept.len()..].iter().any(|byte| *byte != 0)
        {
            cut.store(true, Ordering::Relaxed);
        }
        kept
    }
}

/// Conversions are equal by what they do.
impl PartialEq for Cut {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The source of variable-length data, and a limit on how much it may still return.
pub struct Heap<'a> {
    objects: GlobalHeapReader<'a>,
    offset_size: usize,
    limit: HeapLimit,
    /// The objects of the file, if references are read as paths.
    names: Option<&'a ObjectNames>,
    /// True if an element whose content cannot be read is NIL.
    loses_elements: bool,
}

impl<'a> Heap<'a> {
    /// The heap of a file, with the limit for one call.
    pub fn new(file: &'a OpenFile) -> Self {
        Self {
            objects: file.file.global_heap(),
            offset_size: usize::from(file.file.offset_size()).min(8),
            limit: HeapLimit::of_file(file.size),
            names: file.names.as_deref(),
            loses_elements: file.loses_elements,
        }
    }

    /// The slot of an element; NIL if it cannot be read and such elements are not errors.
    fn slot(&self, read: Result<Slot>) -> Result<Slot> {
        match read {
            Err(error) if self.loses_elements && !error.is_failure() => Ok(Slot::NIL),
            read => read,
        }
    }

    fn take(&self, bytes: u64) -> Result<()> {
        self.limit.take(bytes)
    }
}

impl Conversion {
    /// Compiles the conversion from `datatype` to `ty`, the type that [`super::types::TypeTable`] returned
    /// for it.
    pub fn compile(schema: &Schema, datatype: &Datatype, ty: Type) -> Result<Self> {
        Self::element(schema, datatype, ty, 0)
    }

    /// Compiles the conversion of an attribute's element, which may be an array.
    pub fn compile_array(schema: &Schema, member: &Member<'_>, ty: Type) -> Result<Self> {
        let element = Self::element(schema, member.base, ty, 0)?;
        Self::repeat(element, member)
    }

    /// Compiles the conversion of a string of fixed size, or an array of them, to strings of any length.
    pub fn compile_text(member: &Member<'_>) -> Result<Self> {
        let file_size = member.base.size as usize;
        let element = Self {
            step: Step::Text(file_size, Cut::default()),
            file_size,
            memory_size: SLOT_SIZE,
        };
        Self::repeat(element, member)
    }

    fn repeat(element: Self, member: &Member<'_>) -> Result<Self> {
        if member.dims.is_empty() {
            return Ok(element);
        }
        let count = member.count().ok_or_else(inconsistent)?;
        let file_size = element.file_size.checked_mul(count).ok_or_else(inconsistent)?;
        let memory_size = element.memory_size.checked_mul(count).ok_or_else(inconsistent)?;
        let step = match element.step {
            Step::Copy(_) => Step::Copy(file_size),
            _ => Step::Repeat(count, Box::new(element)),
        };
        Ok(Self {
            step,
            file_size,
            memory_size,
        })
    }

    fn element(schema: &Schema, datatype: &Datatype, ty: Type, depth: usize) -> Result<Self> {
        if depth > DEPTH {
            return Err(inconsistent());
        }
        let file_size = datatype.size as usize;
        let memory_size = schema.type_size(ty);
        let step = if is_canonical(schema, datatype, ty) && file_size == memory_size {
            Step::Copy(file_size)
        } else {
            Self::step(schema, datatype, ty, depth)?
        };
        Ok(Self {
            step,
            file_size,
            memory_size,
        })
    }

    fn step(schema: &Schema, datatype: &Datatype, ty: Type, depth: usize) -> Result<Step> {
        let class = match ty {
            Type::User(id) => Some(&schema.user_type(id).class),
            _ => None,
        };
        Ok(match (&datatype.class, class) {
            (Class::FixedPoint { .. } | Class::FloatingPoint(_), None) => number(datatype)?,
            (Class::Enumeration { base, .. }, Some(TypeClass::Enum { .. })) => number(base)?,
            (Class::String { .. }, None) if ty == Type::String => {
                Step::Text(datatype.size as usize, Cut::of(datatype))
            }
            (Class::VariableString { .. }, None) if ty == Type::String => Step::String,
            (Class::Reference { .. }, None) if ty == Type::String => {
                Step::Reference(ReferenceText::of(datatype).ok_or_else(inconsistent)?)
            }
            (Class::VariableLength { base }, Some(TypeClass::Vlen { base: ty })) => {
                Step::Sequence(Box::new(Self::element(schema, base, *ty, depth + 1)?))
            }
            (Class::Compound { members }, Some(TypeClass::Compound { fields, .. }))
                if members.len() == fields.len() =>
            {
                let mut steps = Vec::with_capacity(fields.len());
                for (member, field) in members.iter().zip(fields) {
                    let parts = Member::of(&member.datatype).map_err(Error::Damaged)?;
                    let conversion = if is_text(parts.base) {
                        let size = member.datatype.size as usize;
                        Self {
                            step: Step::Copy(size),
                            file_size: size,
                            memory_size: size,
                        }
                    } else {
                        Self::repeat(Self::element(schema, parts.base, field.ty, depth + 2)?, &parts)?
                    };
                    steps.push((member.offset as usize, field.offset, conversion));
                }
                Step::Fields(steps)
            }
            _ => return Err(inconsistent()),
        })
    }

    /// True if elements have the same bytes in the file and in memory.
    pub fn is_copy(&self) -> bool {
        matches!(self.step, Step::Copy(_))
    }

    /// One element of zeros, with NIL for variable-length data: the value of unwritten storage without a fill
    /// value.
    pub fn zero(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        resize(&mut out, self.memory_size)?;
        self.put_nil(&mut out)?;
        Ok(out)
    }

    fn put_nil(&self, out: &mut [u8]) -> Result<()> {
        match &self.step {
            Step::Copy(_) | Step::Number(..) | Step::Text(..) | Step::Reference(_) => Ok(()),
            Step::String | Step::Sequence(_) => put(out, Slot::NIL),
            Step::Fields(fields) => fields.iter().try_for_each(|(_, to, field)| {
                let part = to
                    .checked_add(field.memory_size)
                    .and_then(|end| out.get_mut(*to..end))
                    .ok_or_else(inconsistent)?;
                field.put_nil(part)
            }),
            Step::Repeat(_, element) if element.memory_size > 0 => out
                .chunks_exact_mut(element.memory_size)
                .try_for_each(|part| element.put_nil(part)),
            Step::Repeat(..) => Ok(()),
        }
    }

    /// Converts `count` elements. Appends them to `out.bytes` and `out.heap`.
    ///
    /// # Errors
    /// If `input` is too short, or a reference to variable-length data is wrong.
    pub fn run(&self, input: &[u8], count: usize, heap: &Heap<'_>, out: &mut Values) -> Result<()> {
        let short = || Error::Damaged("fewer bytes than its elements take".into());
        let input = self
            .file_size
            .checked_mul(count)
            .and_then(|n| input.get(..n))
            .ok_or_else(short)?;
        if self.is_copy() {
            out.bytes.extend_from_slice(input);
            return Ok(());
        }
        let start = out.bytes.len();
        let size = self
            .memory_size
            .checked_mul(count)
            .and_then(|n| n.checked_add(start))
            .ok_or_else(short)?;
        out.bytes.resize(size, 0);
        let mut bytes = std::mem::take(&mut out.bytes);
        let result = self.elements(input, &mut bytes[start..], heap, &mut out.heap);
        out.bytes = bytes;
        result
    }

    fn elements(&self, input: &[u8], out: &mut [u8], heap: &Heap<'_>, content: &mut Vec<u8>) -> Result<()> {
        if self.file_size == 0 || self.memory_size == 0 {
            return Ok(());
        }
        for (i, o) in input
            .chunks_exact(self.file_size)
            .zip(out.chunks_exact_mut(self.memory_size))
        {
            self.one(i, o, heap, content)?;
        }
        Ok(())
    }

    fn one(&self, input: &[u8], out: &mut [u8], heap: &Heap<'_>, content: &mut Vec<u8>) -> Result<()> {
        match &self.step {
            Step::Copy(n) => {
                for (o, i) in out.iter_mut().zip(&input[..(*n).min(input.len())]) {
                    *o = *i;
                }
            }
            Step::Number(number, file, memory) => {
                let (Some(i), Some(o)) = (input.get(..*file), out.get_mut(..*memory)) else {
                    return Err(inconsistent());
                };
                number.convert(i, o);
            }
            Step::Text(_, cut) => put(out, append(content, cut.text(input), heap)?)?,
            Step::String => put(out, heap.slot(string(input, heap, content))?)?,
            Step::Reference(text) => put(out, heap.slot(reference(text, input, heap, content))?)?,
            Step::Sequence(element) => put(out, heap.slot(element.sequence(input, heap, content))?)?,
            Step::Fields(fields) => {
                for (from, to, field) in fields {
                    let i = from
                        .checked_add(field.file_size)
                        .and_then(|end| input.get(*from..end))
                        .ok_or_else(inconsistent)?;
                    let o = to
                        .checked_add(field.memory_size)
                        .and_then(|end| out.get_mut(*to..end))
                        .ok_or_else(inconsistent)?;
                    field.one(i, o, heap, content)?;
                }
            }
            Step::Repeat(_, element) => element.elements(input, out, heap, content)?,
        }
        Ok(())
    }

    /// True if text behind a NUL was left out, in any element that was converted.
    pub fn has_cut(&self) -> bool {
        let is_cut =
            |step: &Step| matches!(step, Step::Text(_, Cut(Some(cut))) if cut.load(Ordering::Relaxed));
        self.find(&|step| is_cut(step).then_some(())).is_some()
    }

    /// True if zero bytes in the file are an empty string in memory, and not NIL.
    pub fn has_text(&self) -> bool {
        let is_text = |step: &Step| matches!(step, Step::Text(..) | Step::Reference(_));
        self.find(&|step| is_text(step).then_some(())).is_some()
    }

    /// An address in a reference at which no object is known, of all elements that were converted.
    pub fn unknown_object(&self) -> Option<u64> {
        let unknown = |step: &Step| match step {
            Step::Reference(text) => text.unknown(),
            _ => None,
        };
        self.find(&unknown)
    }

    /// The first answer of the steps that have no parts.
    fn find<T>(&self, answer: &impl Fn(&Step) -> Option<T>) -> Option<T> {
        match &self.step {
            Step::Fields(fields) => fields.iter().find_map(|(.., field)| field.find(answer)),
            Step::Sequence(element) | Step::Repeat(_, element) => element.find(answer),
            step => answer(step),
        }
    }

    /// Reads a sequence of elements of this conversion from the heap.
    fn sequence(&self, input: &[u8], heap: &Heap<'_>, content: &mut Vec<u8>) -> Result<Slot> {
        let (length, object) = match heap_object(input, heap)? {
            None | Some((0, _)) => return Ok(Slot::NIL),
            Some(found) => found,
        };
        let object = object.as_deref().unwrap_or_default();
        let need = length.checked_mul(self.file_size).ok_or_else(short_object)?;
        let bytes = object.get(..need).ok_or_else(short_object)?;
        if self.is_copy() {
            let slot = append(content, bytes, heap)?;
            return Ok(Slot {
                length: length as u64,
                ..slot
            });
        }
        let size = length.checked_mul(self.memory_size).ok_or_else(short_object)?;
        heap.take(size as u64)?;
        let mut members = vec![0; size];
        self.elements(bytes, &mut members, heap, content)?;
        let offset = content.len() as u64;
        content.extend_from_slice(&members);
        Ok(Slot {
            length: length as u64,
            offset,
        })
    }
}

/// Reads a string from the heap.
fn string(input: &[u8], heap: &Heap<'_>, content: &mut Vec<u8>) -> Result<Slot> {
    let Some((length, object)) = heap_object(input, heap)? else {
        return Ok(Slot::NIL);
    };
    let object = object.as_deref().unwrap_or_default();
    let text = object.get(..length).ok_or_else(short_object)?;
    append(content, until_nul(text), heap)
}

/// The text of a reference.
fn reference(text: &ReferenceText, input: &[u8], heap: &Heap<'_>, content: &mut Vec<u8>) -> Result<Slot> {
    let names = heap.names.ok_or_else(inconsistent)?;
    let region = |address, index| {
        let region = heap.objects.object(address, index).map_err(hdf5_error)?;
        heap.take(region.len() as u64).map(|()| region)
    };
    let offset = content.len() as u64;
    text.push(input, heap.offset_size, names, region, content)?;
    let length = content.len() as u64 - offset;
    heap.take(length)?;
    Ok(Slot { length, offset })
}

fn inconsistent() -> Error {
    Error::Damaged("a datatype that contradicts itself".into())
}

fn short_object() -> Error {
    Error::Damaged("a global heap object is shorter than the element that it belongs to says".into())
}

/// The step for an integer or float.
fn number(datatype: &Datatype) -> Result<Step> {
    let number = Number::of(datatype).map_err(Error::Damaged)?;
    let memory = number.ty().atomic_size();
    Ok(match number {
        Number::Plain(_, Endian::Little) => Step::Copy(memory),
        number => Step::Number(number, datatype.size as usize, memory),
    })
}

fn until_nul(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    &text[..end]
}

/// Appends bytes to the heap of values.
fn append(content: &mut Vec<u8>, bytes: &[u8], heap: &Heap<'_>) -> Result<Slot> {
    heap.take(bytes.len() as u64)?;
    let offset = content.len() as u64;
    content.extend_from_slice(bytes);
    Ok(Slot {
        length: bytes.len() as u64,
        offset,
    })
}

fn put(out: &mut [u8], slot: Slot) -> Result<()> {
    out.get_mut(..SLOT_SIZE)
        .ok_or_else(inconsistent)?
        .copy_from_slice(&slot.to_bytes());
    Ok(())
}

/// Decodes a variable-length element (specification section IV.B, "Variable-length Data"): 4 bytes of length,
/// the address of the collection, and 4 bytes of index. `None` for NIL, which has no address.
pub fn heap_reference(element: &[u8], offset_size: usize) -> Option<(usize, u64, u32)> {
    let word = |at: usize, n: usize| {
        let mut wide = [0u8; 8];
        for (w, b) in wide.iter_mut().zip(element.get(at..at + n)?) {
            *w = *b;
        }
        Some(u64::from_le_bytes(wide))
    };
    let length = usize::try_from(word(0, 4)?).ok()?;
    let address = word(4, offset_size)?;
    let index = u32::try_from(word(4 + offset_size, 4)?).ok()?;
    let undefined = u64::MAX >> (64 - 8 * offset_size.clamp(1, 8));
    (address != 0 && address != undefined).then_some((length, address, index))
}

fn heap_object(element: &[u8], heap: &Heap<'_>) -> Result<Option<(usize, Option<GlobalHeapObject>)>> {
    match heap_reference(element, heap.offset_size) {
        None => Ok(None),
        // Old versions of libhdf5 write an empty sequence with an address but no object.
        Some((0, _, 0)) => Ok(Some((0, None))),
        Some((length, address, index)) => Ok(Some((
            length,
            Some(heap.objects.object(address, index).map_err(hdf5_error)?),
        ))),
    }
}
