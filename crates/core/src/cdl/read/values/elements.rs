//! Parses elements of any type, one at a time.
//!
//! ```text
//! { 1, "a", {2, 3}, Clear }  ─►  fields at their offsets in an element; strings and sequences on the heap
//! ```
//!
//! Elements missing at the end of a list in braces (fields of a compound, members of an array field) are filled, as by
//! `_`.

use crate::error::Result;
use crate::model::{
    Field, SLOT_SIZE, Schema, Slot, Type, TypeClass, TypeId, Values, default_fill_value, move_heap,
};

use super::altered::Altered;
use super::char_array;
use super::depth::MAX_DEPTH;
use super::miscount::{Amount, Miscount, Miscounts, Unit};
use crate::cdl::read::constant::convert::{opaque, store};
use crate::cdl::read::constant::enum_members::EnumConstants;
use crate::cdl::read::constant::escapes::unescape_string;
use crate::cdl::read::constant::lexer::{Constant, Lexer};
use crate::cdl::read::constant::number;
use crate::print::number::general::push_general;

/// Maximum size, in bytes, of the member in the fill value of a sequence. As in netCDF-C, a sequence is filled with one
/// member. Above this size, it is filled with none.
const LARGEST_FILL: usize = 4096;

/// Parses elements of any type.
#[derive(Clone, Copy)]
pub struct Elements<'s> {
    /// The dataset's schema.
    pub schema: &'s Schema,
    /// The members of the schema's enums, by name.
    pub enums: &'s EnumConstants,
    /// Collects values that do not fit in a field of a compound.
    pub miscounts: &'s Miscounts,
    /// Collects numbers that their type cannot hold as written.
    pub altered: &'s Altered,
    /// Position of the list in the text, by which `altered` knows it.
    pub list: u64,
}

impl Elements<'_> {
    /// Parses one element of type `ty` into `out`, which has the size of one element. `fill` is the value of `_`;
    /// `None` stands for the type's fill value.
    ///
    /// # Errors
    /// [`crate::error::Error::Cdl`] at the first error.
    pub fn element(
        &self,
        lexer: &mut Lexer,
        ty: Type,
        fill: Option<&Values>,
        out: &mut [u8],
        heap: &mut Vec<u8>,
    ) -> Result<()> {
        self.nested(lexer, ty, fill, out, heap, 0)
    }

    fn nested(
        &self,
        lexer: &mut Lexer,
        ty: Type,
        fill: Option<&Values>,
        out: &mut [u8],
        heap: &mut Vec<u8>,
        depth: usize,
    ) -> Result<()> {
        let braced = match ty {
            Type::User(id) => matches!(
                self.schema.user_type(id).class,
                TypeClass::Vlen { .. } | TypeClass::Compound { .. }
            ),
            _ => false,
        };
        let next = lexer.peek()?;
        let start = lexer.at;
        if depth > MAX_DEPTH {
            return Err(lexer.error(start, format!("types may be {MAX_DEPTH} deep in each other")));
        }
        if let (Type::User(id), Some(b'{'), true) = (ty, next, braced) {
            lexer.at += 1;
            return match &self.schema.user_type(id).class {
                TypeClass::Vlen { base } => {
                    let slot = self.sequence(lexer, *base, heap, depth)?;
                    out[..SLOT_SIZE].copy_from_slice(&slot.to_bytes());
                    Ok(())
                }
                TypeClass::Compound { fields, .. } => self.compound(lexer, fields, out, heap, depth),
                _ => Ok(()),
            };
        }
        if let Some(length) = number::plain(ty, lexer.rest(), out) {
            lexer.at += length;
            return Ok(());
        }
        let mut constant = lexer.constant()?;
        // An enum may have a member named NIL.
        if constant == Constant::Nil && self.is_enum(ty) {
            constant = Constant::Name(&lexer.bytes()[start..lexer.at]);
        }
        if matches!(constant, Constant::Fill) {
            self.fill_with(ty, fill, out, heap);
            return Ok(());
        }
        self.simple(ty, &constant, out, heap)
            .map_err(|what| lexer.error(start, what))?;
        if ty.is_number() {
            let spelled = &lexer.bytes()[start..lexer.at];
            self.altered
                .check(self.list, lexer.place(start), spelled, &constant, ty, out);
        }
        Ok(())
    }

    fn is_enum(&self, ty: Type) -> bool {
        matches!(ty, Type::User(id) if matches!(self.schema.user_type(id).class, TypeClass::Enum { .. }))
    }

    /// Stores a constant in an element that is neither a sequence nor a compound.
    fn simple(
        &self,
        ty: Type,
        constant: &Constant,
        out: &mut [u8],
        heap: &mut Vec<u8>,
    ) -> Result<(), String> {
        match ty {
            Type::Char => {
                out[0] = match constant {
                    Constant::String(spelled) => {
                        let mut text = Vec::new();
                        unescape_string(spelled, &mut text);
                        match text[..] {
                            [] => 0,
                            [byte] => byte,
                            _ => return Err("expected one character".into()),
                        }
                    }
                    other => char_array::character(other)?,
                };
                Ok(())
            }
            Type::String => {
                let slot = string(constant, heap)?;
                out.copy_from_slice(&slot.to_bytes());
                Ok(())
            }
            Type::User(id) => self.user(id, constant, out),
            _ => store(constant, ty, out),
        }
    }

    fn user(&self, id: TypeId, constant: &Constant, out: &mut [u8]) -> Result<(), String> {
        let ty = self.schema.user_type(id);
        match (&ty.class, constant) {
            (TypeClass::Enum { .. }, Constant::Name(spelled)) => {
                let (value, _) = self.enums.value(self.schema, id, spelled)?;
                let length = out.len();
                out.copy_from_slice(&value.to_le_bytes()[..length]);
                Ok(())
            }
            // ncgen takes only names, but a file may hold an integer that no member has.
            (TypeClass::Enum { base, .. }, Constant::Integer(_)) => store(constant, *base, out),
            (TypeClass::Opaque { .. }, Constant::Opaque(digits)) => {
                opaque(digits, out);
                Ok(())
            }
            (class, other) => {
                let expected = match class {
                    TypeClass::Enum { .. } => "a member of the enum",
                    TypeClass::Opaque { .. } => "0x and hexadecimal digits for the opaque type",
                    TypeClass::Vlen { .. } => "a list in braces for the sequence",
                    TypeClass::Compound { .. } => "a list in braces for the compound",
                };
                Err(format!(
                    "expected {expected} '{}', and this is {}",
                    ty.name,
                    other.kind()
                ))
            }
        }
    }

    /// Parses the items of a list after its opening brace, up to and including the closing one. Returns their number.
    fn items(
        &self,
        lexer: &mut Lexer,
        mut item: impl FnMut(&mut Lexer, usize) -> Result<()>,
    ) -> Result<usize> {
        if lexer.take(b'}')? {
            return Ok(0);
        }
        // netCDF-C's grammar allows a comma before the first item.
        lexer.take(b',')?;
        let mut count = 0;
        loop {
            item(lexer, count)?;
            count += 1;
            if lexer.take(b'}')? {
                return Ok(count);
            }
            if !lexer.take(b',')? {
                return Err(lexer.expected("',' or '}'"));
            }
        }
    }

    fn sequence(&self, lexer: &mut Lexer, base: Type, heap: &mut Vec<u8>, depth: usize) -> Result<Slot> {
        let mut values = Values::default();
        let size = self.schema.type_size(base);
        let count = if base == Type::Char {
            values.bytes = char_array::text(lexer, 1, None, Some(0))?.bytes;
            if !lexer.take(b'}')? {
                return Err(lexer.expected("'}'"));
            }
            values.bytes.len()
        } else {
            self.items(lexer, |lexer, n| {
                values.bytes.resize((n + 1) * size, 0);
                self.nested(lexer, base, None, &mut values.bytes[n * size..], heap, depth + 1)
            })?
        };
        if count == 0 {
            return Ok(Slot::NIL);
        }
        let offset = heap.len() as u64;
        heap.append(&mut values.bytes);
        Ok(Slot {
            length: count as u64,
            offset,
        })
    }

    fn compound(
        &self,
        lexer: &mut Lexer,
        fields: &[Field],
        out: &mut [u8],
        heap: &mut Vec<u8>,
        depth: usize,
    ) -> Result<()> {
        let count = self.items(lexer, |lexer, n| {
            let Some(field) = fields.get(n) else {
                lexer.peek()?;
                let what = match fields.len() {
                    1 => "too many values: the compound has 1 field".to_owned(),
                    count => format!("too many values: the compound has {count} fields"),
                };
                return Err(lexer.error(lexer.at, what));
            };
            let part = self.part(field, out);
            if field.dims.is_empty() {
                self.nested(lexer, field.ty, None, part, heap, depth + 1)
            } else {
                self.array(lexer, field, part, heap, depth)
            }
        })?;
        self.check_count(lexer, count, fields.len());
        for field in fields.iter().skip(count) {
            let part = self.part(field, out);
            self.fill_array(field.ty, part, heap);
        }
        Ok(())
    }

    /// The bytes of a field within an element.
    fn part<'o>(&self, field: &Field, element: &'o mut [u8]) -> &'o mut [u8] {
        let count = field.dims.iter().product::<usize>();
        let end = field.offset + count * self.schema.type_size(field.ty);
        &mut element[field.offset..end]
    }

    fn array(
        &self,
        lexer: &mut Lexer,
        field: &Field,
        out: &mut [u8],
        heap: &mut Vec<u8>,
        depth: usize,
    ) -> Result<()> {
        let next = lexer.peek()?;
        let start = lexer.at;
        if next != Some(b'{') {
            // A string needs no braces to be the value of a `char` array.
            let constant = lexer.constant()?;
            return match constant {
                Constant::Fill => {
                    self.fill_array(field.ty, out, heap);
                    Ok(())
                }
                Constant::String(spelled) if field.ty == Type::Char => {
                    let mut text = Vec::new();
                    unescape_string(spelled, &mut text);
                    self.put_text(lexer, start, &text, out)
                }
                other => {
                    let what = format!(
                        "expected a list in braces for the array '{}', and this is {}",
                        field.name,
                        other.kind()
                    );
                    Err(lexer.error(start, what))
                }
            };
        }
        lexer.at += 1;
        if field.ty == Type::Char {
            let row = match field.dims[..] {
                [.., last] if field.dims.len() > 1 => last.max(1),
                _ => 1,
            };
            let text = char_array::text(lexer, row as u64, Some(out.len()), Some(0))?;
            if !lexer.take(b'}')? {
                return Err(lexer.expected("'}'"));
            }
            if let Some(excess) = text.excess {
                self.miscounts.add(excess);
            }
            return self.put_text(lexer, start, &text.bytes, out);
        }
        let size = self.schema.type_size(field.ty);
        let room = out.len() / size.max(1);
        let mut excess = None;
        let mut left_out = Vec::new();
        let count = self.items(lexer, |lexer, n| {
            if n < room {
                let part = &mut out[n * size..(n + 1) * size];
                return self.nested(lexer, field.ty, None, part, heap, depth + 1);
            }
            lexer.peek()?;
            excess.get_or_insert(lexer.place(lexer.at));
            left_out.resize(size, 0);
            let before = heap.len();
            self.nested(lexer, field.ty, None, &mut left_out, heap, depth + 1)?;
            heap.truncate(before);
            Ok(())
        })?;
        if let Some(at) = excess {
            self.miscounts.add(Miscount {
                at,
                unit: Unit::Values,
                room: room as u64,
                amount: Amount::LeftOut((count - room) as u64),
            });
        }
        self.check_count(lexer, count, room);
        self.fill_array(field.ty, &mut out[count.min(room) * size..], heap);
        Ok(())
    }

    /// Notes that a list which was just closed gives fewer values than its compound or array has. An empty list asks for
    /// fill values, as `_` does.
    fn check_count(&self, lexer: &Lexer, count: usize, room: usize) {
        if (1..room).contains(&count) {
            self.miscounts.add(Miscount {
                at: lexer.place(lexer.at.saturating_sub(1)),
                unit: Unit::Values,
                room: room as u64,
                amount: Amount::Missing((room - count) as u64),
            });
        }
    }

    fn put_text(&self, lexer: &Lexer, start: usize, text: &[u8], out: &mut [u8]) -> Result<()> {
        if text.len() > out.len() {
            let what = format!("too many characters: there is room for {}", out.len());
            return Err(lexer.error(start, what));
        }
        out[..text.len()].copy_from_slice(text);
        out[text.len()..].fill(0);
        Ok(())
    }

    /// Stores `fill`, or the type's fill value, in an element.
    pub fn fill_with(&self, ty: Type, fill: Option<&Values>, out: &mut [u8], heap: &mut Vec<u8>) {
        match fill {
            Some(fill) if fill.bytes.len() == out.len() => {
                out.copy_from_slice(&fill.bytes);
                if self.schema.has_heap(ty) {
                    move_heap(self.schema, ty, out, &fill.heap, heap);
                }
            }
            _ => self.fill(ty, out, heap, false, 0),
        }
    }

    fn fill_array(&self, ty: Type, out: &mut [u8], heap: &mut Vec<u8>) {
        let size = self.schema.type_size(ty).max(1);
        for element in out.chunks_exact_mut(size) {
            self.fill(ty, element, heap, false, 0);
        }
    }

    /// The fill value of a type: netCDF's for atomic types, zeros for enum and opaque types. That of a compound or a
    /// sequence is made of its parts' fill values.
    fn fill(&self, ty: Type, out: &mut [u8], heap: &mut Vec<u8>, in_sequence: bool, depth: usize) {
        out.fill(0);
        let Type::User(id) = ty else {
            if let Some(value) = default_fill_value(ty) {
                out.copy_from_slice(&value.bytes);
            }
            return;
        };
        match &self.schema.user_type(id).class {
            TypeClass::Enum { .. } | TypeClass::Opaque { .. } => {}
            TypeClass::Compound { fields, .. } => {
                if depth > MAX_DEPTH {
                    return;
                }
                for field in fields {
                    let size = self.schema.type_size(field.ty).max(1);
                    for element in self.part(field, out).chunks_exact_mut(size) {
                        self.fill(field.ty, element, heap, in_sequence, depth + 1);
                    }
                }
            }
            TypeClass::Vlen { base } => {
                let size = self.schema.type_size(*base);
                let slot = if in_sequence || size > LARGEST_FILL {
                    Slot::NIL
                } else {
                    let mut member = vec![0; size];
                    self.fill(*base, &mut member, heap, true, depth + 1);
                    let offset = heap.len() as u64;
                    heap.extend_from_slice(&member);
                    Slot { length: 1, offset }
                };
                out.copy_from_slice(&slot.to_bytes());
            }
        }
    }
}

/// Puts a constant on the heap as a string.
fn string(constant: &Constant, heap: &mut Vec<u8>) -> Result<Slot, String> {
    let offset = heap.len() as u64;
    match constant {
        Constant::Nil => return Ok(Slot::NIL),
        Constant::String(spelled) => unescape_string(spelled, heap),
        Constant::Integer(integer) => heap.extend_from_slice(integer.value.to_string().as_bytes()),
        Constant::Character(byte) => heap.extend_from_slice(byte.to_string().as_bytes()),
        Constant::Real { spelled, .. } => push_general(heap, spelled.parse().unwrap_or(f64::NAN), 8),
        other => return Err(format!("expected a string, and this is {}", other.kind())),
    }
    Ok(Slot {
        length: heap.len() as u64 - offset,
        offset,
    })
}
