//! User-defined types: parses their declarations, and computes their layout in memory.
//!
//! ```text
//! opaque(5) o ;   T(*) v ;   byte enum e { a = 1, b = 2 } ;   compound c { T x, y(2, 3) ; } ;
//!      text ─► TypeText (types of bases and fields by name) ─► TypeTable::make ─► UserType (by id, with offsets)
//! ```
//!
//! A declaration may use types that are declared later. So parsing is one step, and resolving the names is another.

use std::collections::HashSet;

use crate::error::Result;
use crate::model::{Field, GroupId, Schema, SizesInC, Type, TypeClass, UserType};

use super::scopes::Scopes;
use crate::cdl::read::constant::integer;
use crate::cdl::read::constant::integer::fits;
use crate::cdl::read::syntax::grammar::{
    Rule, attempt, parse, spelled_name, spelled_path, wrong, wrong_with,
};
use crate::cdl::read::syntax::names::Path;
use crate::cdl::read::syntax::statements::{Segment, Statements};
use crate::cdl::read::syntax::text::Text;

/// Maximum nesting of types.
const MAX_DEPTH: u32 = 32;
/// Maximum size of an element, in bytes. It is the limit for reading HDF5 types, too. A few bytes of text can claim any
/// size.
const MAX_SIZE: u64 = 16 << 20;
/// Maximum number of fields or members. HDF5 counts them in 16 bits.
const MAX_MEMBERS: usize = u16::MAX as usize;
/// Maximum rank of a field, as in HDF5.
const MAX_RANK: usize = 32;

/// How type declarations are written; appended to messages.
const SPELLINGS: &str = ": a type is T(*) name, opaque(bytes) name, T enum name { … } or compound name { … }";

/// Message for a declaration that begins with `enum`.
const NO_BASE: &str = "an enum needs the type of its members before it, as in 'int enum name { … }'";

/// A type's name, and its position.
#[derive(Debug)]
struct Reference {
    path: Path,
    at: u64,
}

/// A position in the text, and the error there. It is not yet an `Error`, which would count lines: a name may still be
/// declared later.
pub type Problem = (u64, String);

/// A parsed declaration of a type, before its names are resolved.
#[derive(Debug)]
pub struct TypeText {
    /// The type's name.
    pub name: String,
    /// Position of the name.
    pub at: u64,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Opaque(usize),
    Vlen(Reference),
    Enum(Reference, Vec<(String, i128, u64)>),
    Compound(Vec<(String, Reference, Vec<usize>)>),
}

/// Result of [`read`].
#[derive(Debug)]
pub enum Read {
    /// Parsed declarations.
    Types(Vec<TypeText>),
    /// Not a type but an attribute; the segment is the part before its colon.
    Attribute(Segment),
}

/// Parses a declaration, or several without semicolons between them. Any text may follow.
///
/// # Errors
/// [`crate::error::Error::Cdl`] if there is neither a type nor an attribute.
pub fn read(statements: &mut Statements<'_>, text: &Text) -> Result<Read> {
    let segment = statements.segment(b";{}:")?;
    let mut offset = 0;
    let mut types = Vec::new();
    loop {
        let head = match attempt(Rule::type_head, &segment, offset, "'{'") {
            Ok(mut pairs) => pairs.next().expect("a type"),
            // A type without semicolon precedes an attribute or the next section.
            Err(_) if segment.stop == Some(b':') && offset > 0 => {
                statements.seek(segment.place(offset));
                return Ok(Read::Types(types));
            }
            Err(_) if segment.stop == Some(b':') => return Ok(Read::Attribute(segment)),
            Err(_) if segment.text[offset..].split_ascii_whitespace().next() == Some("enum") => {
                let at = segment.text[offset..].find("enum").map_or(offset, |n| offset + n);
                return Err(text.error(segment.place(at), NO_BASE));
            }
            Err((at, expected)) => return Err(wrong_with(&segment, at, &expected, SPELLINGS, text)),
        };
        let rule = head.as_rule();
        let end = offset + head.as_span().end();
        let last = segment.text[end..].trim_ascii().is_empty();
        let mut name = None;
        let mut base = None;
        let mut size = 0;
        for part in head.into_inner() {
            match part.as_rule() {
                Rule::name => {
                    let at = segment.place(offset + part.as_span().start());
                    name = Some((spelled_name(&part, &segment, offset, text)?, at));
                }
                Rule::path => {
                    let (path, at) = spelled_path(&part, &segment, offset, text)?;
                    base = Some(Reference { path, at });
                }
                Rule::integer => {
                    let at = segment.place(offset + part.as_span().start());
                    size = length(part.as_str(), "the size of an opaque type", at, text)?;
                }
                _ => {}
            }
        }
        let (name, at) = name.expect("each type has a name");
        let body = match (rule, base) {
            (Rule::opaque, _) => Body::Opaque(size),
            (Rule::vlen, Some(base)) => Body::Vlen(base),
            _ if last && segment.stop == Some(b':') && offset == 0 => return Ok(Read::Attribute(segment)),
            _ if !last || segment.stop != Some(b'{') => return Err(wrong(&segment, end, "'{'", text)),
            (_, Some(base)) => Body::Enum(base, members(statements, text)?),
            (_, None) => Body::Compound(fields(statements, text)?),
        };
        let braces = matches!(body, Body::Enum(..) | Body::Compound(_));
        types.push(TypeText { name, at, body });
        if braces {
            statements.take(b';')?;
            return Ok(Read::Types(types));
        }
        offset = end;
        if last {
            return match segment.stop {
                Some(b';') => Ok(Read::Types(types)),
                Some(b'}') => {
                    statements.seek(segment.end);
                    Ok(Read::Types(types))
                }
                _ => Err(wrong(&segment, end, "';'", text)),
            };
        }
    }
}

/// Parses a length from 1 to [`MAX_SIZE`].
fn length(spelled: &str, what: &str, at: u64, text: &Text) -> Result<usize> {
    let value = integer::declared(spelled).map_err(|why| text.error(at, why))?;
    usize::try_from(value)
        .ok()
        .filter(|n| *n > 0 && *n as u64 <= MAX_SIZE)
        .ok_or_else(|| text.error(at, format!("{what} must be from 1 to {MAX_SIZE}")))
}

/// Parses the members of an enum and the closing `}`.
fn members(statements: &mut Statements<'_>, text: &Text) -> Result<Vec<(String, i128, u64)>> {
    let mut members = Vec::new();
    let mut names = HashSet::new();
    let mut values = HashSet::new();
    loop {
        let segment = statements.segment(b",;}{:")?;
        let mut parts = parse(Rule::member, &segment, "',' or '}'", text)?
            .next()
            .expect("a member")
            .into_inner();
        let spelled = parts.next().expect("a name");
        let at = segment.place(spelled.as_span().start());
        let name = spelled_name(&spelled, &segment, 0, text)?;
        if !names.insert(name.clone()) {
            return Err(text.error(at, format!("this enum has a member '{name}' already")));
        }
        let spelled = parts.nth(1).expect("an integer behind the '='");
        let at = segment.place(spelled.as_span().start());
        let value = integer::declared(spelled.as_str()).map_err(|why| text.error(at, why))?;
        if !values.insert(value) {
            return Err(text.error(
                at,
                format!("this enum has a member with the value {value} already"),
            ));
        }
        members.push((name, value, at));
        if members.len() > MAX_MEMBERS {
            return Err(text.error(at, format!("an enum cannot have more than {MAX_MEMBERS} members")));
        }
        match segment.stop {
            Some(b',') => {}
            Some(b'}') => return Ok(members),
            _ => return Err(wrong(&segment, segment.text.len(), "',' or '}'", text)),
        }
    }
}

/// Parses the fields of a compound and the closing `}`.
fn fields(statements: &mut Statements<'_>, text: &Text) -> Result<Vec<(String, Reference, Vec<usize>)>> {
    let mut fields = Vec::new();
    let mut names = HashSet::new();
    while fields.is_empty() || !statements.take(b'}')? {
        let mut rule = Rule::first_field;
        let mut ty: Option<(Path, u64)> = None;
        loop {
            let segment = statements.segment(b",;}{:=")?;
            let mut parts = parse(rule, &segment, "',' or ';'", text)?
                .next()
                .expect("a field")
                .into_inner();
            if rule == Rule::first_field {
                ty = Some(spelled_path(&parts.next().expect("a type"), &segment, 0, text)?);
            }
            let spelled = parts.next().expect("a name");
            let at = segment.place(spelled.as_span().start());
            let name = spelled_name(&spelled, &segment, 0, text)?;
            if !names.insert(name.clone()) {
                return Err(text.error(at, format!("this compound has a field '{name}' already")));
            }
            let mut dims = Vec::new();
            for part in parts
                .filter(|p| p.as_rule() == Rule::lengths)
                .flat_map(|p| p.into_inner())
            {
                if part.as_rule() == Rule::integer {
                    let at = segment.place(part.as_span().start());
                    dims.push(length(part.as_str(), "a length of a field", at, text)?);
                    if dims.len() > MAX_RANK {
                        return Err(
                            text.error(at, format!("a field cannot have more than {MAX_RANK} dimensions"))
                        );
                    }
                }
            }
            let (path, type_at) = ty.clone().expect("the first field has a type");
            fields.push((name, Reference { path, at: type_at }, dims));
            if fields.len() > MAX_MEMBERS {
                return Err(text.error(
                    at,
                    format!("a compound cannot have more than {MAX_MEMBERS} fields"),
                ));
            }
            match segment.stop {
                Some(b',') => rule = Rule::next_field,
                Some(b';') => break,
                _ => return Err(wrong(&segment, segment.text.len(), "',' or ';'", text)),
            }
        }
    }
    Ok(fields)
}

/// Properties of types that the schema does not hold, by type id.
#[derive(Debug, Default)]
pub struct TypeTable {
    in_c: SizesInC,
    depths: Vec<u32>,
}

impl TypeTable {
    fn depth(&self, ty: Type) -> u32 {
        match ty {
            Type::User(id) => self.depths[id.0],
            _ => 0,
        }
    }

    /// Resolves the names in `declared` and makes the type. Also records its depth and C layout: the caller must add
    /// the type to the schema next.
    ///
    /// # Errors
    /// A name means no type, or the type is too large or nested too deep.
    pub fn make(
        &mut self,
        declared: &TypeText,
        group: GroupId,
        scopes: &Scopes,
        schema: &Schema,
    ) -> Result<UserType, Problem> {
        let ty = |r: &Reference| scopes.ty(group, &r.path).map_err(|what| (r.at, what.to_string()));
        let mut depth = 1;
        let class = match &declared.body {
            Body::Opaque(size) => TypeClass::Opaque { size: *size },
            Body::Vlen(base) => {
                let base = ty(base)?;
                depth = self.depth(base) + 1;
                TypeClass::Vlen { base }
            }
            Body::Enum(base, members) => {
                let at = base.at;
                let base = ty(base)?;
                enumeration(base, at, members)?
            }
            Body::Compound(fields) => {
                let mut laid = Vec::with_capacity(fields.len());
                let (mut end, mut alignment) = (0_u64, 1);
                for (name, reference, dims) in fields {
                    let ty = ty(reference)?;
                    let align = self.in_c.of(ty).align as u64;
                    alignment = align.max(alignment);
                    depth = depth.max(self.depth(ty) + 1);
                    let offset = end.next_multiple_of(align);
                    end = dims
                        .iter()
                        .try_fold(schema.type_size(ty) as u64, |size, n| size.checked_mul(*n as u64))
                        .and_then(|size| size.checked_add(offset))
                        .filter(|end| *end <= MAX_SIZE)
                        .ok_or_else(|| {
                            let what =
                                format!("an element of '{}' has more than {MAX_SIZE} bytes", declared.name);
                            (declared.at, what)
                        })?;
                    laid.push(Field {
                        name: name.clone(),
                        offset: offset as usize,
                        ty,
                        dims: dims.clone(),
                    });
                }
                TypeClass::Compound {
                    size: end.next_multiple_of(alignment) as usize,
                    fields: laid,
                }
            }
        };
        if depth > MAX_DEPTH {
            let what = format!("'{}' is made of types more than {MAX_DEPTH} deep", declared.name);
            return Err((declared.at, what));
        }
        self.in_c.push(&class);
        self.depths.push(depth);
        Ok(UserType {
            name: declared.name.clone(),
            group,
            class,
        })
    }
}

/// Makes an enum over `base`, whose name is at `at`.
fn enumeration(base: Type, at: u64, members: &[(String, i128, u64)]) -> Result<TypeClass, Problem> {
    use Type::*;
    if !matches!(base, Byte | Short | Int | Int64 | UByte | UShort | UInt | UInt64) {
        return Err((at, "an enum must be of an integer type".into()));
    }
    let bits = 8 * base.atomic_size() as u32;
    let mut taken = Vec::with_capacity(members.len());
    let mut values = HashSet::with_capacity(members.len());
    for (name, value, at) in members {
        if !fits(*value, bits) {
            let what = format!("{value} does not fit in the {bits} bits of this enum's type");
            return Err((*at, what));
        }
        // Keep the low bits, and read them in the base type's sign.
        let value = match base {
            Byte => i64::from(*value as i8),
            Short => i64::from(*value as i16),
            Int => i64::from(*value as i32),
            UByte => i64::from(*value as u8),
            UShort => i64::from(*value as u16),
            UInt => i64::from(*value as u32),
            _ => *value as i64,
        };
        if !values.insert(value) {
            return Err((
                *at,
                format!("this enum has a member with the value {value} already"),
            ));
        }
        taken.push((name.clone(), value));
    }
    Ok(TypeClass::Enum { base, members: taken })
}
