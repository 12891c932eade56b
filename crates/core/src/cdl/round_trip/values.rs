//! Random values, from a pool of bytes.

use crate::model::{FILL_DOUBLE, FILL_FLOAT, Schema, Slot, Type, TypeClass, Values, default_fill_value};

/// Bytes from which values are made. After the last byte, zeros follow, so that shrinking leads to zero.
pub struct Pool<'a> {
    bytes: &'a [u8],
}

impl<'a> Pool<'a> {
    /// A pool of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn take(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => 0,
        }
    }

    fn wide(&mut self) -> u64 {
        (0..8).fold(0, |n, _| n << 8 | u64::from(self.take()))
    }

    /// Text without NULs.
    fn text(&mut self) -> Vec<u8> {
        let length = self.take() % 6;
        (0..length).map(|_| self.character().max(1)).collect()
    }

    fn character(&mut self) -> u8 {
        const ODD: &[u8] = b"\n\t\x0b\x07\\\"'%/0123\x7f\xe9\xc3\xa9\0\0";
        match self.take() {
            c @ 0..64 => ODD[usize::from(c) % ODD.len()],
            c @ 64..200 => b'a' + c % 26,
            c => c,
        }
    }

    /// `count` elements of a type.
    pub fn values(&mut self, schema: &Schema, ty: Type, count: usize) -> Values {
        let mut values = Values::default();
        for _ in 0..count {
            let element = self.element(schema, ty, &mut values, 0);
            values.bytes.extend_from_slice(&element);
        }
        values
    }

    fn element(&mut self, schema: &Schema, ty: Type, values: &mut Values, depth: usize) -> Vec<u8> {
        match ty {
            Type::Char => vec![self.character()],
            Type::Float => {
                let special = [0.0, -0.0, 0.1, f32::NAN, f32::INFINITY, -1e-40, 1e10, FILL_FLOAT];
                let value = match self.take() {
                    n @ 0..128 => special[usize::from(n) % special.len()],
                    n @ 128..160 => f32::from(n),
                    _ => f32::from_bits(self.wide() as u32),
                };
                value.to_le_bytes().to_vec()
            }
            Type::Double => {
                let special = [
                    0.0,
                    -0.0,
                    0.1,
                    f64::NAN,
                    f64::NEG_INFINITY,
                    1e-310,
                    1e16,
                    FILL_DOUBLE,
                ];
                let value = match self.take() {
                    n @ 0..128 => special[usize::from(n) % special.len()],
                    n @ 128..160 => f64::from(n),
                    _ => f64::from_bits(self.wide()),
                };
                value.to_le_bytes().to_vec()
            }
            Type::String => {
                let slot = match self.take() {
                    0..32 => Slot::NIL,
                    _ => {
                        let text = self.text();
                        values.push_heap(text.len() as u64, &text)
                    }
                };
                slot.to_bytes().to_vec()
            }
            Type::User(id) => self.user(schema, &schema.user_type(id).class, values, depth),
            integer => {
                let size = integer.atomic_size();
                match self.take() {
                    0..32 => default_fill_value(integer)
                        .map(|fill| fill.bytes)
                        .unwrap_or_default(),
                    n @ 32..160 => u64::from(n - 32).to_le_bytes()[..size].to_vec(),
                    _ => self.wide().to_le_bytes()[..size].to_vec(),
                }
            }
        }
    }

    fn user(&mut self, schema: &Schema, class: &TypeClass, values: &mut Values, depth: usize) -> Vec<u8> {
        match class {
            TypeClass::Enum { base, members } => {
                let size = base.atomic_size();
                match self.take() {
                    n @ 0..210 => members[usize::from(n) % members.len()].1.to_le_bytes()[..size].to_vec(),
                    // CDL has a name for zero, even if no member has that value.
                    210..230 => vec![0; size],
                    // The value may belong to no member.
                    _ => self.wide().to_le_bytes()[..size].to_vec(),
                }
            }
            TypeClass::Opaque { size } => (0..*size).map(|_| self.take()).collect(),
            TypeClass::Vlen { base } => {
                let count = if depth > 3 { 0 } else { self.take() % 4 };
                let mut content = Vec::new();
                for _ in 0..count {
                    let element = self.element(schema, *base, values, depth + 1);
                    content.extend_from_slice(&element);
                }
                match count {
                    0 => Slot::NIL,
                    count => values.push_heap(count.into(), &content),
                }
                .to_bytes()
                .to_vec()
            }
            TypeClass::Compound { fields, .. } => {
                let mut bytes = Vec::new();
                for field in fields {
                    for _ in 0..field.dims.iter().product::<usize>() {
                        let element = self.element(schema, field.ty, values, depth + 1);
                        bytes.extend_from_slice(&element);
                    }
                }
                bytes
            }
        }
    }
}
