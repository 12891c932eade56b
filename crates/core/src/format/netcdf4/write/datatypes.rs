//! The HDF5 datatypes of netCDF's types, and the groups that link the committed ones.
//!
//! User types are committed. netcdf-c reads a group's links in order, then its child groups one after
//! another. It must read a type before anything that uses it, and [`homes`] ensures this.

use ncutils_hdf5::{
    ByteOrder, CharacterSet, Class, CompoundMember, Datatype, DatatypeSpec, ObjectId, StringPadding,
};

use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::model::{Encoding, Endian, GroupId, Schema, Type, TypeClass, TypeId};

/// The datatypes of a file's user types.
#[derive(Debug)]
pub struct Datatypes<'a> {
    schema: &'a Schema,
    /// The committed datatype of each user type.
    committed: Vec<Datatype>,
    /// The object of each user type.
    objects: Vec<ObjectId>,
}

impl<'a> Datatypes<'a> {
    /// Converts every user type.
    ///
    /// # Errors
    /// Names a type that HDF5 cannot hold.
    pub fn new(schema: &'a Schema) -> Result<Self> {
        let mut all = Self {
            schema,
            committed: Vec::with_capacity(schema.types.len()),
            objects: vec![ObjectId(0); schema.types.len()],
        };
        for (i, ty) in schema.types.iter().enumerate() {
            let datatype = all
                .user(TypeId(i), ByteOrder::Little)
                .map_err(|why| Error::Unsupported(format!("type {}: {why}", ty.name)))?;
            all.committed.push(datatype);
        }
        Ok(all)
    }

    /// Sets the object of a type.
    pub fn set_object(&mut self, ty: TypeId, object: ObjectId) {
        self.objects[ty.0] = object;
    }

    /// The object of a type.
    pub fn object(&self, ty: TypeId) -> ObjectId {
        self.objects[ty.0]
    }

    /// The committed datatype of a user type.
    pub fn committed(&self, ty: TypeId) -> &Datatype {
        &self.committed[ty.0]
    }

    /// The datatype of elements in this byte order. `Char` is a string of one byte. A big-endian enum cannot
    /// use the committed datatype, which netcdf-c opens as little-endian. It gets an inline datatype, which
    /// netcdf-c accepts as the same type because the members are equal.
    pub fn element(&self, ty: Type, order: ByteOrder) -> Result<DatatypeSpec> {
        let Type::User(id) = ty else {
            return Ok(DatatypeSpec::Inline(atomic(ty, order)));
        };
        let is_enum = matches!(self.schema.user_type(id).class, TypeClass::Enum { .. });
        if is_enum && order == ByteOrder::Big {
            let datatype = self.user(id, order).map_err(Error::Unsupported)?;
            return Ok(DatatypeSpec::Inline(datatype));
        }
        Ok(DatatypeSpec::Committed(
            self.objects[id.0],
            self.committed[id.0].clone(),
        ))
    }

    /// The little-endian datatype of a part of a user type.
    fn part(&self, ty: Type) -> Result<Datatype, String> {
        let Type::User(id) = ty else {
            return Ok(atomic(ty, ByteOrder::Little));
        };
        let datatype = self.committed.get(id.0);
        datatype
            .cloned()
            .ok_or_else(|| "it is made of a type that comes after it".to_owned())
    }

    fn user(&self, id: TypeId, order: ByteOrder) -> Result<Datatype, String> {
        let size = |size: usize| u32::try_from(size).map_err(|_| "elements of 4 GiB or more".to_owned());
        Ok(match &self.schema.user_type(id).class {
            TypeClass::Enum { base, members } => {
                let base = atomic(*base, order);
                if !matches!(base.class, Class::FixedPoint { .. }) {
                    return Err("an enum of a type that is not an integer".to_owned());
                }
                let width = base.size as usize;
                let members = members.iter().map(|(name, value)| {
                    let mut bytes = value.to_le_bytes()[..width].to_vec();
                    if order == ByteOrder::Big {
                        bytes.reverse();
                    }
                    (name.clone(), bytes)
                });
                Datatype {
                    size: base.size,
                    class: Class::Enumeration {
                        members: members.collect(),
                        base: Box::new(base),
                    },
                }
            }
            TypeClass::Opaque { size: bytes } => Datatype {
                size: size(*bytes)?,
                class: Class::Opaque { tag: String::new() },
            },
            TypeClass::Vlen { base } => Datatype::variable_length(self.part(*base)?),
            TypeClass::Compound { size: bytes, fields } => {
                let mut members = Vec::with_capacity(fields.len());
                for field in fields {
                    let mut datatype = self.part(field.ty)?;
                    if !field.dims.is_empty() {
                        datatype = array(datatype, &field.dims)
                            .ok_or_else(|| format!("field {} is too large", field.name))?;
                    }
                    let end = field.offset.checked_add(datatype.size as usize);
                    if end.is_none_or(|end| end > *bytes) {
                        return Err(format!("field {} reaches past the end of an element", field.name));
                    }
                    members.push(CompoundMember {
                        name: field.name.clone(),
                        offset: size(field.offset)?,
                        datatype,
                    });
                }
                Datatype {
                    size: size(*bytes)?,
                    class: Class::Compound { members },
                }
            }
        })
    }
}

/// The datatype of an atomic type, with the element size of [`crate::model::Values`].
///
/// # Panics
/// On user types.
fn atomic(ty: Type, order: ByteOrder) -> Datatype {
    match ty {
        Type::Char => Datatype::string(1, StringPadding::NullTerminate, CharacterSet::Ascii),
        Type::String => Datatype::variable_string(CharacterSet::Utf8),
        // A single byte has no order, but netcdf-c shows the order that the file states.
        Type::Byte => Datatype::integer(1, true, order),
        Type::UByte => Datatype::integer(1, false, order),
        Type::Short => Datatype::integer(2, true, order),
        Type::UShort => Datatype::integer(2, false, order),
        Type::Int => Datatype::integer(4, true, order),
        Type::UInt => Datatype::integer(4, false, order),
        Type::Int64 => Datatype::integer(8, true, order),
        Type::UInt64 => Datatype::integer(8, false, order),
        Type::Float => Datatype::ieee(4, order),
        Type::Double => Datatype::ieee(8, order),
        Type::User(_) => unreachable!("user types are committed"),
    }
}

fn array(base: Datatype, dims: &[usize]) -> Option<Datatype> {
    let dims: Vec<u32> = dims
        .iter()
        .map(|d| u32::try_from(*d).ok())
        .collect::<Option<_>>()?;
    let size = dims.iter().try_fold(base.size, |size, d| size.checked_mul(*d))?;
    Some(Datatype {
        size,
        class: Class::Array {
            dims,
            base: Box::new(base),
        },
    })
}

/// The byte order of a variable's storage.
pub fn byte_order(plan: &VariablePlan) -> ByteOrder {
    match (plan.layout.encoding, plan.layout.endian) {
        (Encoding::Numbers { .. }, Endian::Big) => ByteOrder::Big,
        _ => ByteOrder::Little,
    }
}

/// The group that links each user type. That is its own group, unless netcdf-c reads a user of the type
/// earlier, as can happen in files of plain HDF5. Then it is the innermost group that contains them all.
pub fn homes(schema: &Schema) -> Vec<GroupId> {
    let mut turns = vec![0; schema.groups.len()];
    for (turn, group) in reading_order(schema).into_iter().enumerate() {
        turns[group.0] = turn;
    }
    let mut users: Vec<Vec<GroupId>> = vec![Vec::new(); schema.types.len()];
    let mut uses = |ty: Type, group: GroupId| {
        if let Type::User(id) = ty {
            users[id.0].push(group);
        }
    };
    for (i, group) in schema.groups.iter().enumerate() {
        group.attributes.iter().for_each(|a| uses(a.ty, GroupId(i)));
    }
    for var in &schema.vars {
        uses(var.ty, var.group);
        var.attributes.iter().for_each(|a| uses(a.ty, var.group));
    }
    let mut homes: Vec<GroupId> = schema.types.iter().map(|t| t.group).collect();
    // From last to first, because the parts of a type come before it.
    for (i, ty) in schema.types.iter().enumerate().rev() {
        let own = ty.group;
        if users[i].iter().any(|user| turns[user.0] < turns[own.0]) {
            homes[i] = users[i].iter().fold(own, |a, b| common_group(schema, a, *b));
        }
        for part in parts(&ty.class) {
            if part.0 < i {
                users[part.0].push(homes[i]);
            }
        }
    }
    homes
}

/// The user types that are parts of a type.
fn parts(class: &TypeClass) -> Vec<TypeId> {
    let user = |ty: &Type| match ty {
        Type::User(id) => Some(*id),
        _ => None,
    };
    match class {
        TypeClass::Vlen { base } => user(base).into_iter().collect(),
        TypeClass::Compound { fields, .. } => fields.iter().filter_map(|f| user(&f.ty)).collect(),
        _ => Vec::new(),
    }
}

/// The groups in the order in which netcdf-c reads them: depth first, a group before its children.
pub fn reading_order(schema: &Schema) -> Vec<GroupId> {
    let mut order = Vec::with_capacity(schema.groups.len());
    let mut stack = vec![Schema::ROOT];
    while let Some(group) = stack.pop() {
        order.push(group);
        stack.extend(schema.group(group).children.iter().rev());
    }
    order
}

/// The innermost group that contains both. A child has a greater id than its parent.
fn common_group(schema: &Schema, mut a: GroupId, mut b: GroupId) -> GroupId {
    while a != b {
        let lower = if a > b { &mut a } else { &mut b };
        *lower = schema.group(*lower).parent.unwrap_or(Schema::ROOT);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, UserType, Variable};

    fn schema_with_type_in_g() -> (Schema, GroupId) {
        let mut schema = Schema::new(Kind::Netcdf4);
        let g = schema.add_group(Schema::ROOT, "g");
        schema.add_type(UserType {
            name: "e".into(),
            group: g,
            class: TypeClass::Enum {
                base: Type::Short,
                members: vec![("minus".into(), -2), ("one".into(), 1)],
            },
        });
        (schema, g)
    }

    fn var(group: GroupId) -> Variable {
        Variable {
            name: "v".into(),
            group,
            ty: Type::User(TypeId(0)),
            dims: vec![],
            attributes: vec![].into(),
        }
    }

    #[test]
    fn a_type_moves_only_where_it_is_used_earlier() {
        let (mut schema, g) = schema_with_type_in_g();
        let later = schema.add_group(Schema::ROOT, "later");
        schema.add_var(var(g));
        schema.add_var(var(later));
        assert_eq!(homes(&schema), [g]);
        schema.add_var(var(Schema::ROOT));
        assert_eq!(homes(&schema), [Schema::ROOT]);
    }

    #[test]
    fn enum_values_take_the_base_types_bytes_and_order() {
        let (schema, _) = schema_with_type_in_g();
        let types = Datatypes::new(&schema).unwrap();
        let Class::Enumeration { members, .. } = &types.committed(TypeId(0)).class else {
            panic!("not an enum");
        };
        assert_eq!(members[0].1, [0xfe, 0xff]);
        let DatatypeSpec::Inline(big) = types.element(Type::User(TypeId(0)), ByteOrder::Big).unwrap() else {
            panic!("a big-endian enum is not the committed one");
        };
        let Class::Enumeration { members, .. } = &big.class else {
            panic!("not an enum");
        };
        assert_eq!(members[1].1, [0, 1]);
    }

    #[test]
    fn a_field_past_the_end_is_refused() {
        let mut schema = Schema::new(Kind::Netcdf4);
        schema.add_type(UserType {
            name: "c".into(),
            group: Schema::ROOT,
            class: TypeClass::Compound {
                size: 8,
                fields: vec![crate::model::Field {
                    name: "f".into(),
                    offset: 4,
                    ty: Type::Short,
                    dims: vec![3],
                }],
            },
        });
        let why = Datatypes::new(&schema).unwrap_err().to_string();
        assert!(why.contains("type c: field f"), "{why}");
    }
}
