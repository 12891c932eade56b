//! Converts HDF5 datatypes to netCDF types.
//!
//! Numbers and strings become netCDF's own types. Enumerations, compounds, opaque and variable-length types
//! become user types. A committed type has the name of its link. A type that is only in a dataset or
//! attribute is taken for an equal committed type. If there is none, it is named `_AnonymousCompound1` and so
//! on ([`super::anonymous_type`]), in the group where it is first used, as in netCDF-C 4.10.
//!
//! This module also decides the layout of elements in memory ([`crate::model::Values`]). A compound keeps its
//! size and offsets if every member has the same size in memory as in the file. Otherwise it is laid out as
//! in C.

use std::collections::HashMap;

use ncutils_hdf5::{Class, Datatype, ReferenceKind};

use super::anonymous_type::AnonymousNumbers;
use super::number::Number;
use crate::format::netcdf4::read::object::links::ObjectId;
use crate::format::netcdf4::read::reference::reference_text::ReferenceText;
use crate::model::{Field, GroupId, Schema, SizesInC, Type, TypeClass, TypeId, UserType};

/// Most levels of nested types.
const DEPTH: usize = 32;

/// Largest element, in bytes. A reader of an element holds it in memory, and a few damaged bytes can claim 4
/// GiB.
const ELEMENT_BYTES: u32 = 16 << 20;

/// A committed type.
struct Committed {
    name: String,
    group: GroupId,
    id: ObjectId,
    datatype: Datatype,
}

/// The user types of a file.
#[derive(Default)]
pub struct TypeTable {
    committed: Vec<Committed>,
    by_object: HashMap<ObjectId, TypeId>,
    by_datatype: HashMap<Datatype, TypeId>,
    by_signature: HashMap<String, TypeId>,
    /// Sizes and alignments of the schema's types in C.
    in_c: SizesInC,
    /// For each committed type, true once its definition has started, so that none becomes a part of itself.
    begun: Vec<bool>,
    by_committed_object: HashMap<ObjectId, usize>,
    by_committed_datatype: HashMap<Datatype, usize>,
    /// Types of datasets that equal no committed type before them.
    by_native: HashMap<Datatype, TypeId>,
    /// True if references are read as paths.
    pub reference_paths: bool,
    /// The numbers of anonymous types.
    pub anonymous: AnonymousNumbers,
}

/// A member of a compound, or the element of an attribute: an array of `base`, or a single one if `dims` is
/// empty.
pub struct Member<'a> {
    /// The datatype inside of all arrays.
    pub base: &'a Datatype,
    /// Shape of the array, slowest dimension first.
    pub dims: Vec<usize>,
}

impl<'a> Member<'a> {
    /// Separates the array dimensions from the base type. Arrays of arrays become one array.
    pub fn of(datatype: &'a Datatype) -> Result<Self, String> {
        let mut base = datatype;
        let mut dims = Vec::new();
        for _ in 0..DEPTH {
            let Class::Array {
                dims: lengths,
                base: inner,
            } = &base.class
            else {
                return Ok(Self { base, dims });
            };
            dims.extend(lengths.iter().map(|n| *n as usize));
            base = inner;
        }
        Err(format!("arrays are nested more than {DEPTH} deep"))
    }

    /// Number of elements of the base type; `None` on overflow.
    pub fn count(&self) -> Option<usize> {
        self.dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d))
    }

    /// The shape of the compound field for this member. A string of fixed size becomes an array of
    /// characters.
    fn field_dims(&self) -> Vec<usize> {
        let mut dims = self.dims.clone();
        if is_text(self.base) && self.base.size > 1 {
            dims.push(self.base.size as usize);
        }
        dims
    }
}

/// True for a string of fixed size.
pub fn is_text(datatype: &Datatype) -> bool {
    matches!(datatype.class, Class::String { .. })
}

impl TypeTable {
    /// Adds a committed type. All must be added before any type is resolved.
    pub fn commit(&mut self, name: &str, group: GroupId, id: ObjectId, datatype: &Datatype) {
        let at = self.committed.len();
        self.committed.push(Committed {
            name: name.to_owned(),
            group,
            id,
            datatype: datatype.clone(),
        });
        self.begun.push(false);
        self.by_committed_object.entry(id).or_insert(at);
        self.by_committed_datatype.entry(datatype.clone()).or_insert(at);
    }

    /// Defines the committed type number `at`, in the order of [`TypeTable::commit`], unless a type with this
    /// one as part has defined it already.
    ///
    /// # Errors
    /// The reason why netCDF cannot hold it.
    pub fn define_committed(&mut self, schema: &mut Schema, at: usize) -> Result<(), String> {
        if self.begun.get(at).is_none_or(|begun| *begun) {
            return Ok(());
        }
        self.define(schema, at, 0).map(|_| ())
    }

    fn define(&mut self, schema: &mut Schema, at: usize, depth: usize) -> Result<TypeId, String> {
        let Committed {
            name,
            group,
            id,
            datatype,
        } = &self.committed[at];
        let (name, group, id, datatype) = (name.clone(), *group, *id, datatype.clone());
        self.begun[at] = true;
        let class = self.class(schema, &datatype, group, depth)?;
        let ty = self.add(schema, name, group, class, datatype);
        self.by_object.entry(id).or_insert(ty);
        Ok(ty)
    }

    /// The type of a dataset's elements.
    pub fn of_dataset(
        &mut self,
        schema: &mut Schema,
        datatype: &Datatype,
        committed: Option<ObjectId>,
        group: GroupId,
    ) -> Result<Type, String> {
        let is_user = matches!(
            datatype.class,
            Class::Enumeration { .. }
                | Class::Compound { .. }
                | Class::Opaque { .. }
                | Class::VariableLength { .. }
        );
        let linked = committed.is_some_and(|id| self.by_committed_object.contains_key(&id));
        if datatype.size > 0
            && is_user
            && !linked
            && let Some((number, native)) = self.anonymous.of_dataset(datatype)
        {
            if let Some(ty) = self.by_native.get(&native) {
                return Ok(Type::User(*ty));
            }
            let class = self.class(schema, datatype, group, 0)?;
            let ty = self.add(
                schema,
                anonymous_name(&class, number),
                group,
                class,
                datatype.clone(),
            );
            self.by_native.insert(native, ty);
            return Ok(Type::User(ty));
        }
        self.resolve(schema, datatype, committed, group, 0)
    }

    /// The type of an attribute's elements.
    pub fn of_attribute(
        &mut self,
        schema: &mut Schema,
        datatype: &Datatype,
        committed: Option<ObjectId>,
        group: GroupId,
    ) -> Result<Type, String> {
        self.resolve(schema, datatype, committed, group, 0)
    }

    fn resolve(
        &mut self,
        schema: &mut Schema,
        datatype: &Datatype,
        committed: Option<ObjectId>,
        group: GroupId,
        depth: usize,
    ) -> Result<Type, String> {
        if depth > DEPTH {
            return Err(format!("its type is nested more than {DEPTH} deep"));
        }
        if datatype.size == 0 {
            return Err("its type has no size".into());
        }
        bounded(datatype)?;
        let unsupported = |what: &str| Err(format!("netCDF has no {what}"));
        match &datatype.class {
            Class::FixedPoint { .. } | Class::FloatingPoint(_) => Number::of(datatype).map(|n| n.ty()),
            Class::String { .. } if datatype.size == 1 => Ok(Type::Char),
            Class::String { .. } | Class::VariableString { .. } => Ok(Type::String),
            Class::Time { .. } => unsupported("time type"),
            Class::Bitfield { .. } => unsupported("bit fields"),
            Class::Reference { .. } if self.reference_paths && ReferenceText::of(datatype).is_some() => {
                Ok(Type::String)
            }
            Class::Reference {
                kind: ReferenceKind::Standard,
            } => unsupported("references of HDF5 1.12"),
            Class::Reference { .. } => {
                unsupported("references; --references path gives the paths, -k h5 keeps them")
            }
            Class::Complex { .. } => unsupported("complex numbers"),
            Class::Array { .. } => unsupported("elements that are arrays"),
            Class::Enumeration { .. }
            | Class::Compound { .. }
            | Class::Opaque { .. }
            | Class::VariableLength { .. } => self
                .user(schema, datatype, committed, group, depth)
                .map(Type::User),
        }
    }

    fn user(
        &mut self,
        schema: &mut Schema,
        datatype: &Datatype,
        committed: Option<ObjectId>,
        group: GroupId,
        depth: usize,
    ) -> Result<TypeId, String> {
        if let Some(id) = committed {
            if let Some(ty) = self.by_object.get(&id) {
                return Ok(*ty);
            }
            if let Some(at) = self.by_committed_object.get(&id)
                && !self.begun[*at]
            {
                return self.define(schema, *at, depth + 1);
            }
        }
        if let Some(ty) = self.by_datatype.get(datatype) {
            return Ok(*ty);
        }
        if let Some(at) = self.by_committed_datatype.get(datatype)
            && !self.begun[*at]
        {
            return self.define(schema, *at, depth + 1);
        }
        let class = self.class(schema, datatype, group, depth)?;
        if let Some(ty) = self.by_signature.get(&signature(&class)) {
            self.by_datatype.insert(datatype.clone(), *ty);
            return Ok(*ty);
        }
        let name = anonymous_name(&class, self.anonymous.next());
        Ok(self.add(schema, name, group, class, datatype.clone()))
    }

    fn add(
        &mut self,
        schema: &mut Schema,
        name: String,
        group: GroupId,
        class: TypeClass,
        datatype: Datatype,
    ) -> TypeId {
        let signature = signature(&class);
        self.in_c.push(&class);
        let ty = schema.add_type(UserType { name, group, class });
        self.by_datatype.entry(datatype).or_insert(ty);
        self.by_signature.entry(signature).or_insert(ty);
        ty
    }

    /// The netCDF class of a user type.
    fn class(
        &mut self,
        schema: &mut Schema,
        datatype: &Datatype,
        group: GroupId,
        depth: usize,
    ) -> Result<TypeClass, String> {
        bounded(datatype)?;
        match &datatype.class {
            Class::Enumeration { base, members } => {
                let number = Number::of(base)?;
                let ty = number.ty();
                if matches!(ty, Type::Float | Type::Double) || base.size != datatype.size {
                    return Err("its enumeration is not one of integers".into());
                }
                let members = members
                    .iter()
                    .map(|(name, value)| {
                        let mut out = vec![0; ty.atomic_size()];
                        number.convert(value, &mut out);
                        (name.clone(), widen(ty, &out))
                    })
                    .collect();
                Ok(TypeClass::Enum { base: ty, members })
            }
            Class::Opaque { .. } => Ok(TypeClass::Opaque {
                size: datatype.size as usize,
            }),
            Class::VariableLength { base } => Ok(TypeClass::Vlen {
                base: self.resolve(schema, base, None, group, depth + 1)?,
            }),
            Class::Compound { members } => {
                let mut fields = Vec::with_capacity(members.len());
                let mut file_sizes = Vec::with_capacity(members.len());
                for member in members {
                    let parts = Member::of(&member.datatype)?;
                    let end = u64::from(member.offset) + u64::from(member.datatype.size);
                    if end > u64::from(datatype.size) || member.datatype.size == 0 {
                        return Err(format!("its member {} is not inside of it", member.name));
                    }
                    let ty = if is_text(parts.base) {
                        Type::Char
                    } else {
                        self.resolve(schema, parts.base, None, group, depth + 1)?
                    };
                    fields.push(Field {
                        name: member.name.clone(),
                        offset: member.offset as usize,
                        ty,
                        dims: parts.field_dims(),
                    });
                    file_sizes.push(member.datatype.size as usize);
                }
                if fields.is_empty() {
                    return Err("its compound has no members".into());
                }
                let size = lay_out(
                    schema,
                    &self.in_c,
                    &mut fields,
                    &file_sizes,
                    datatype.size as usize,
                )?;
                Ok(TypeClass::Compound { size, fields })
            }
            _ => Err("it is not a type that netCDF lets users define".into()),
        }
    }
}

/// True if the type contains floating-point numbers that are rounded to doubles.
pub fn is_rounded(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::FloatingPoint(_) => Number::of(datatype).is_ok_and(|number| number.is_rounded()),
        Class::Compound { members } => members.iter().any(|member| is_rounded(&member.datatype)),
        Class::Array { base, .. } | Class::VariableLength { base } => is_rounded(base),
        _ => false,
    }
}

/// Rejects elements larger than [`ELEMENT_BYTES`].
fn bounded(datatype: &Datatype) -> Result<(), String> {
    if datatype.size > ELEMENT_BYTES {
        return Err(format!("an element of {} bytes is not supported", datatype.size));
    }
    Ok(())
}

/// The name of a type without a name in the file.
fn anonymous_name(class: &TypeClass, number: u32) -> String {
    let kind = match class {
        TypeClass::Enum { .. } => "Enum",
        TypeClass::Opaque { .. } => "Opaque",
        TypeClass::Vlen { .. } => "Vlen",
        TypeClass::Compound { .. } => "Compound",
    };
    format!("_Anonymous{kind}{number}")
}

/// Chooses the offsets of fields in memory. Returns the size of the compound.
fn lay_out(
    schema: &Schema,
    in_c: &SizesInC,
    fields: &mut [Field],
    file_sizes: &[usize],
    file_size: usize,
) -> Result<usize, String> {
    let too_large = || "its type is larger than memory".to_owned();
    let mut sizes = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        let count = field
            .dims
            .iter()
            .try_fold(1usize, |n, d| n.checked_mul(*d))
            .ok_or_else(too_large)?;
        sizes.push(
            schema
                .type_size(field.ty)
                .checked_mul(count)
                .filter(|n| *n < u32::MAX as usize)
                .ok_or_else(too_large)?,
        );
    }
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|i| fields[*i].offset);
    let apart = order
        .windows(2)
        .all(|w| fields[w[0]].offset + sizes[w[0]] <= fields[w[1]].offset);
    if apart && sizes == file_sizes {
        return Ok(file_size);
    }
    let (mut at, mut alignment) = (0usize, 1);
    for (field, size) in fields.iter_mut().zip(&sizes) {
        let align = in_c.of(field.ty).align;
        alignment = alignment.max(align);
        field.offset = at.next_multiple_of(align);
        at = field
            .offset
            .checked_add(*size)
            .filter(|n| *n < u32::MAX as usize)
            .ok_or_else(too_large)?;
    }
    Ok(at.next_multiple_of(alignment))
}

/// The little-endian integer in `bytes`, as the value of an enumeration member.
fn widen(ty: Type, bytes: &[u8]) -> i64 {
    let mut wide = [0u8; 8];
    for (w, b) in wide.iter_mut().zip(bytes) {
        *w = *b;
    }
    let value = i64::from_le_bytes(wide);
    match ty {
        Type::Byte => i64::from(value as i8),
        Type::Short => i64::from(value as i16),
        Type::Int => i64::from(value as i32),
        _ => value,
    }
}

/// A key that is equal for types that are the same to netCDF. It ignores names, byte order and offsets of
/// fields.
fn signature(class: &TypeClass) -> String {
    match class {
        TypeClass::Enum { base, members } => format!("enum {base:?} {members:?}"),
        TypeClass::Opaque { size } => format!("opaque {size}"),
        TypeClass::Vlen { base } => format!("vlen {base:?}"),
        TypeClass::Compound { fields, .. } => {
            let fields: Vec<_> = fields.iter().map(|f| (&f.name, f.ty, &f.dims)).collect();
            format!("compound {fields:?}")
        }
    }
}

/// True if an element has the same bytes in the file and in memory.
pub fn is_canonical(schema: &Schema, datatype: &Datatype, ty: Type) -> bool {
    let size = datatype.size as usize;
    match &datatype.class {
        Class::FixedPoint { .. } | Class::FloatingPoint(_) => {
            matches!(Number::of(datatype), Ok(Number::Plain(t, order))
                if t == ty && (order == crate::model::Endian::Little || size == 1))
        }
        Class::String { .. } => ty == Type::Char,
        Class::Opaque { .. } => true,
        Class::Enumeration { base, .. } => match ty {
            Type::User(id) => match &schema.user_type(id).class {
                TypeClass::Enum { base: b, .. } => is_canonical(schema, base, *b),
                _ => false,
            },
            _ => false,
        },
        Class::Compound { members } => {
            let Type::User(id) = ty else { return false };
            let TypeClass::Compound { size: memory, fields } = &schema.user_type(id).class else {
                return false;
            };
            *memory == size
                && fields.len() == members.len()
                && fields.iter().zip(members).all(|(field, member)| {
                    field.offset == member.offset as usize
                        && Member::of(&member.datatype).is_ok_and(|m| {
                            is_canonical(schema, m.base, field.ty) && m.field_dims() == field.dims
                        })
                })
        }
        _ => false,
    }
}
