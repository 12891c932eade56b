//! Prints elements as initialized C arrays.
//!
//! A sequence is an array of its own, to which an `nc_vlen_t` points. So arrays are printed before the arrays that use
//! them.

use std::io::Write;

use super::literals::{push_number, push_string};
use super::program::Program;
use crate::model::{Slot, Type, TypeClass, Values};

/// Column after which a list continues on a new line.
const WIDTH: usize = 110;

/// Maximum number of characters of text on a line.
const TEXT_WIDTH: usize = 80;

/// The arrays of one block, in the order of their declarations.
pub struct Arrays<'a> {
    program: &'a Program<'a>,
    indent: &'static str,
    /// The C text of the declarations.
    pub text: Vec<u8>,
    count: usize,
}

impl<'a> Arrays<'a> {
    /// Starts without arrays. Each line will begin with `indent`.
    pub fn new(program: &'a Program<'a>, indent: &'static str) -> Self {
        Self {
            program,
            indent,
            text: Vec::new(),
            count: 0,
        }
    }

    /// Declares an array of the elements in `bytes`, of type `ty`, and returns its name. `values` owns their heap.
    pub fn elements(&mut self, ty: Type, bytes: &[u8], values: &Values) -> String {
        self.count += 1;
        let name = format!("data_{}", self.count);
        let schema = self.program.schema;
        let size = schema.type_size(ty).max(1);
        let length = bytes.len() / size;
        if length == 0 {
            // C has no empty arrays, and some calls do not accept NULL instead.
            let _ = writeln!(
                self.text,
                "{}static {};",
                self.indent,
                self.program.declarator(ty, &name, &[1])
            );
            return name;
        }
        let mut list = Vec::new();
        if ty == Type::Char {
            for line in bytes.chunks(TEXT_WIDTH) {
                list.extend_from_slice(b"\n");
                list.extend_from_slice(self.indent.as_bytes());
                list.extend_from_slice(b"    ");
                push_string(&mut list, line);
            }
        } else {
            list.push(b'{');
            let mut line_start = list.len();
            for (at, element) in bytes.chunks_exact(size).enumerate() {
                if at > 0 {
                    list.extend_from_slice(b", ");
                }
                if list.len() - line_start > WIDTH {
                    list.push(b'\n');
                    line_start = list.len();
                    list.extend_from_slice(self.indent.as_bytes());
                    list.extend_from_slice(b"    ");
                }
                self.push(&mut list, ty, element, values);
            }
            list.push(b'}');
        }
        let declarator = self.program.declarator(ty, &name, &[length]);
        let _ = write!(self.text, "{}static {declarator} = ", self.indent);
        self.text.extend_from_slice(&list);
        self.text.extend_from_slice(b";\n");
        name
    }

    /// Appends one element. The recursion ends, because types use only earlier types.
    fn push(&mut self, out: &mut Vec<u8>, ty: Type, bytes: &[u8], values: &Values) {
        let schema = self.program.schema;
        match ty {
            Type::String => match values.slot_content(Slot::read(bytes), 1) {
                Some(text) => push_string(out, text),
                None => out.extend_from_slice(b"NULL"),
            },
            Type::User(id) => match &schema.user_type(id).class {
                TypeClass::Enum { base, .. } => push_number(out, *base, bytes),
                TypeClass::Opaque { .. } => {
                    self.list(out, bytes.chunks_exact(1), |out, byte, _| {
                        let _ = write!(out, "0x{:02x}", byte[0]);
                    });
                }
                TypeClass::Vlen { base } => {
                    let slot = Slot::read(bytes);
                    match values.slot_content(slot, schema.type_size(*base)) {
                        Some(content) if slot.length > 0 => {
                            let name = self.elements(*base, content, values);
                            let _ = write!(out, "{{{}, (void *)&{name}}}", slot.length);
                        }
                        _ => out.extend_from_slice(b"{0, NULL}"),
                    }
                }
                TypeClass::Compound { fields, .. } => {
                    out.push(b'{');
                    for (at, field) in fields.iter().enumerate() {
                        if at > 0 {
                            out.extend_from_slice(b", ");
                        }
                        let size = schema.type_size(field.ty);
                        let content = &bytes[field.offset..];
                        self.push_array(
                            out,
                            field.ty,
                            &field.dims,
                            &content[..size * field.dims.iter().product::<usize>()],
                            values,
                        );
                    }
                    out.push(b'}');
                }
            },
            atomic => push_number(out, atomic, bytes),
        }
    }

    /// Appends a field: nested braces for its dimensions, or a single element.
    fn push_array(&mut self, out: &mut Vec<u8>, ty: Type, dims: &[usize], bytes: &[u8], values: &Values) {
        match dims.split_first() {
            None => self.push(out, ty, bytes, values),
            Some((&length, inner)) => {
                let piece = (bytes.len() / length.max(1)).max(1);
                self.list(out, bytes.chunks_exact(piece), |out, piece, arrays| {
                    arrays.push_array(out, ty, inner, piece, values);
                });
            }
        }
    }

    fn list<'b>(
        &mut self,
        out: &mut Vec<u8>,
        pieces: impl Iterator<Item = &'b [u8]>,
        each: impl Fn(&mut Vec<u8>, &[u8], &mut Self),
    ) {
        out.push(b'{');
        for (at, piece) in pieces.enumerate() {
            if at > 0 {
                out.extend_from_slice(b", ");
            }
            each(out, piece, self);
        }
        out.push(b'}');
    }
}
