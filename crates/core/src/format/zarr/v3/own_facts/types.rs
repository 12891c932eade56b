//! User-defined types: names, groups, and what the data types of Zarr do not say.

use std::collections::{HashMap, HashSet};

use super::super::super::json::Json;
use super::super::super::structure_limits::MAX_STRUCT;
use super::super::data_type::DataType;
use super::super::typed_attribute;
use super::dimensions::is_name;
use crate::model::{Field, GroupId, Kind, Schema, Type, TypeClass, TypeId, UserType, Values};

/// Deepest nesting of types.
const DEEPEST: usize = 32;

/// Largest element of an opaque type, in bytes.
const MAX_SIZE: usize = i32::MAX as usize;

/// The name of a type: as in CDL, or its path.
pub fn path(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => schema.path_in(schema.user_type(id).group, &schema.user_type(id).name),
        atomic => atomic.cdl_name().unwrap_or_default().to_owned(),
    }
}

/// The member `types` of the facts: all user-defined types of a dataset.
pub fn json(schema: &Schema) -> Json {
    let class = |class: &TypeClass| match class {
        TypeClass::Enum { base, members } => {
            let is_unsigned = *base == Type::UInt64;
            let value = |value: i64| match is_unsigned {
                true => Json::from(value as u64),
                false => value.into(),
            };
            let member = |(name, n): &(String, i64)| Json::Array(vec![name.as_str().into(), value(*n)]);
            vec![
                ("enum", path(schema, *base).into()),
                ("members", Json::Array(members.iter().map(member).collect())),
            ]
        }
        TypeClass::Opaque { size } => vec![("opaque", Json::from(*size as u64))],
        TypeClass::Vlen { base } => vec![("vlen", path(schema, *base).into())],
        TypeClass::Compound { fields, .. } => {
            let field = |field: &Field| {
                let mut members = vec![Json::from(&*field.name), path(schema, field.ty).into()];
                if !field.dims.is_empty() {
                    let dims = field.dims.iter().map(|n| Json::from(*n as u64));
                    members.push(Json::Array(dims.collect()));
                }
                Json::Array(members)
            };
            vec![("compound", Json::Array(fields.iter().map(field).collect()))]
        }
    };
    let one = |ty: &UserType| {
        let mut members = vec![
            ("name", Json::from(&*ty.name)),
            ("group", schema.group_path(ty.group).into()),
        ];
        members.extend(class(&ty.class));
        Json::from_iter(members)
    };
    Json::Array(schema.types.iter().map(one).collect())
}

/// The types that the facts tell. They are not part of the dataset yet.
pub struct Told {
    /// A schema that has these types alone.
    schema: Schema,
    by_path: HashMap<String, TypeId>,
    depths: Vec<usize>,
}

impl Told {
    /// Parses the list. Types that are wrong are left out.
    pub fn parse(list: Option<&Json>, groups: &HashMap<String, GroupId>) -> Self {
        let mut told = Self {
            schema: Schema::new(Kind::Zarr3),
            by_path: HashMap::new(),
            depths: Vec::new(),
        };
        for json in list.and_then(Json::as_array).unwrap_or_default() {
            told.add(json, groups);
        }
        told
    }

    fn add(&mut self, json: &Json, groups: &HashMap<String, GroupId>) -> Option<()> {
        let name = json.get("name")?.as_str().filter(|name| is_name(name))?;
        let group_path = json.get("group")?.as_str()?;
        let group = *groups.get(group_path)?;
        let (class, depth) = self.class(json)?;
        let path = format!("{}/{name}", group_path.trim_end_matches('/'));
        if self.by_path.contains_key(&path) {
            return None;
        }
        self.by_path.insert(path, TypeId(self.schema.types.len()));
        self.depths.push(depth);
        self.schema.types.push(UserType {
            name: name.to_owned(),
            group,
            class,
        });
        Some(())
    }

    /// A type that was told before, or an atomic one.
    fn ty(&self, json: &Json) -> Option<Type> {
        let name = json.as_str()?;
        match self.by_path.get(name) {
            Some(id) => Some(Type::User(*id)),
            None => Type::from_cdl_name(name),
        }
    }

    fn depth(&self, ty: Type) -> usize {
        match ty {
            Type::User(id) => self.depths.get(id.0).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// The class of a type, and how deep types are nested in it.
    fn class(&self, json: &Json) -> Option<(TypeClass, usize)> {
        if let Some(base) = json.get("enum") {
            let base = Type::from_cdl_name(base.as_str()?)?;
            if matches!(base, Type::Char | Type::String | Type::Float | Type::Double) {
                return None;
            }
            let mut names = HashSet::new();
            let mut members = Vec::new();
            for member in json.get("members")?.as_array()? {
                let [name, value] = member.as_array()? else {
                    return None;
                };
                let name = name
                    .as_str()
                    .filter(|name| !name.is_empty() && names.insert(name.to_string()))?;
                let value = match base {
                    Type::UInt64 => value.as_u64()? as i64,
                    _ => value.as_i64()?,
                };
                let mut fits = Vec::new();
                if base != Type::UInt64
                    && !super::super::super::number::push_number(&mut fits, &value.into(), base)
                {
                    return None;
                }
                members.push((name.to_owned(), value));
            }
            return Some((TypeClass::Enum { base, members }, 0));
        }
        if let Some(size) = json.get("opaque") {
            let size = usize::try_from(size.as_u64()?).ok();
            let size = size.filter(|size| (1..=MAX_SIZE).contains(size))?;
            return Some((TypeClass::Opaque { size }, 0));
        }
        if let Some(base) = json.get("vlen") {
            let base = self.ty(base)?;
            let depth = self.depth(base) + 1;
            return (depth <= DEEPEST).then_some((TypeClass::Vlen { base }, depth));
        }
        let (mut size, mut depth) = (0usize, 0);
        let mut fields: Vec<Field> = Vec::new();
        let mut names = HashSet::new();
        for field in json.get("compound")?.as_array()? {
            let [name, ty, rest @ ..] = field.as_array()? else {
                return None;
            };
            let ty = self.ty(ty)?;
            let dims: Option<Vec<usize>> = match rest.first() {
                None => Some(Vec::new()),
                Some(dims) => {
                    let lengths = dims.as_array()?.iter();
                    lengths
                        .map(|n| usize::try_from(n.as_u64()?).ok().filter(|n| *n > 0))
                        .collect()
                }
            };
            let (name, dims) = (name.as_str()?, dims?);
            if name.is_empty() || !names.insert(name.to_owned()) {
                return None;
            }
            let count = dims.iter().try_fold(1usize, |n, length| n.checked_mul(*length))?;
            let offset = size;
            size = size.checked_add(count.checked_mul(self.schema.type_size(ty))?)?;
            // The types of fields are stored once and may be used often: only their sizes bound what they expand to.
            if size > MAX_STRUCT {
                return None;
            }
            depth = depth.max(self.depth(ty) + 1);
            fields.push(Field {
                name: name.to_owned(),
                offset,
                ty,
                dims,
            });
        }
        let is_type = !fields.is_empty() && depth <= DEEPEST;
        is_type.then_some((TypeClass::Compound { size, fields }, depth))
    }

    /// The type at a path, if its elements are stored as those of another type are.
    pub fn like(&self, path: &str, schema: &Schema, ty: Type) -> Option<TypeId> {
        let id = *self.by_path.get(path)?;
        same_form((&self.schema, Type::User(id)), (schema, ty)).then_some(id)
    }

    /// Adds the types to the dataset, before those that it has. `of_variables` are the told types of variables; types that
    /// nothing has any more are left out.
    pub fn apply(self, schema: &mut Schema, of_variables: &[Option<TypeId>]) {
        if self.schema.types.is_empty() {
            return;
        }
        let mut used = vec![false; schema.types.len()];
        for (var, told) in schema.vars.iter().zip(of_variables) {
            if let (Type::User(id), None) = (var.ty, told) {
                used[id.0] = true;
            }
        }
        // A type comes after those that it is made of.
        for n in (0..used.len()).rev() {
            if !used[n] {
                continue;
            }
            match &schema.types[n].class {
                TypeClass::Compound { fields, .. } => fields.iter().for_each(|field| {
                    if let Type::User(id) = field.ty {
                        used[id.0] = true;
                    }
                }),
                TypeClass::Vlen {
                    base: Type::User(id), ..
                } => used[id.0] = true,
                _ => {}
            }
        }
        let old = std::mem::take(&mut schema.types);
        schema.groups.iter_mut().for_each(|group| group.types.clear());
        for ty in self.schema.types {
            schema.add_type(ty);
        }
        let mut names: HashSet<(GroupId, String)> = schema
            .types
            .iter()
            .map(|ty| (ty.group, ty.name.clone()))
            .collect();
        let mut new = vec![None; old.len()];
        for (n, mut ty) in old.into_iter().enumerate().filter(|(n, _)| used[*n]) {
            let renumbered = |ty: Type, new: &[Option<TypeId>]| match ty {
                Type::User(id) => new[id.0].map_or(ty, Type::User),
                atomic => atomic,
            };
            match &mut ty.class {
                TypeClass::Compound { fields, .. } => {
                    fields
                        .iter_mut()
                        .for_each(|field| field.ty = renumbered(field.ty, &new));
                }
                TypeClass::Vlen { base } => *base = renumbered(*base, &new),
                _ => {}
            }
            while !names.insert((ty.group, ty.name.clone())) {
                ty.name.push('_');
            }
            new[n] = Some(schema.add_type(ty));
        }
        for (var, told) in schema.vars.iter_mut().zip(of_variables) {
            let before = var.ty;
            var.ty = match (told, before) {
                (Some(id), _) => Type::User(*id),
                (None, Type::User(id)) => new[id.0].map_or(before, Type::User),
                (None, atomic) => atomic,
            };
            if var.ty != before && var.attributes.iter().any(|a| a.ty == before && is_fill(a)) {
                let fill = var.attributes.iter_mut().find(|a| is_fill(a));
                if let Some(fill) = fill {
                    fill.ty = var.ty;
                }
            }
        }
    }

    /// The enum at a path whose integers are of a type.
    pub fn enumeration(&self, path: &str, integers: Type) -> Option<TypeId> {
        let id = *self.by_path.get(path)?;
        let is_like =
            matches!(self.schema.user_type(id).class, TypeClass::Enum { base, .. } if base == integers);
        is_like.then_some(id)
    }

    /// The elements of an attribute of the type at a path, and their number, given its value in JSON.
    pub fn elements(&self, path: &str, json: &str) -> Option<(Type, usize, Values)> {
        let ty = Type::User(*self.by_path.get(path)?);
        let (length, values) = typed_attribute::read(json, &self.schema, ty)?;
        Some((ty, length, values))
    }

    /// The type of the integers of the enum at a path.
    pub fn integers(&self, path: &str) -> Option<Type> {
        match self.schema.user_type(*self.by_path.get(path)?).class {
            TypeClass::Enum { base, .. } => Some(base),
            _ => None,
        }
    }
}

/// True if elements of two types are stored alike. Stops at the first difference, because a type whose fields are
/// structures may expand to many more fields than it was told in.
fn same_form((a_schema, a): (&Schema, Type), (b_schema, b): (&Schema, Type)) -> bool {
    let fields = |schema: &'_ Schema, ty| match ty {
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Compound { fields, .. } => Some((schema.user_type(id).complex_part(), fields.clone())),
            _ => None,
        },
        _ => None,
    };
    if a_schema.type_size(a) != b_schema.type_size(b) {
        return false;
    }
    match (fields(a_schema, a), fields(b_schema, b)) {
        (Some((a_part, a)), Some((b_part, b))) => {
            let same = |(a, b): (&Field, &Field)| {
                let is_same = || a.dims == b.dims && same_form((a_schema, a.ty), (b_schema, b.ty));
                a.name == b.name && (is_same() || is_bytes_of(a_schema, a, b_schema, b))
            };
            a_part == b_part && a.len() == b.len() && a.iter().zip(&b).all(same)
        }
        (None, None) => {
            // Booleans were written as the integers of their enum once.
            let of = |schema: &Schema, ty| match DataType::of(schema, ty) {
                Ok(DataType::Bool | DataType::Number(Type::Byte)) => Ok(DataType::Number(Type::UByte)),
                other => other,
            };
            let of_a = of(a_schema, a);
            of_a.is_ok() && of_a == of(b_schema, b)
        }
        _ => false,
    }
}

/// True if a field is stored as an array of another type: its bytes are those of all elements.
fn is_bytes_of(told: &Schema, array: &Field, schema: &Schema, field: &Field) -> bool {
    let is_opaque =
        matches!(field.ty, Type::User(id) if matches!(schema.user_type(id).class, TypeClass::Opaque { .. }));
    let count = array
        .dims
        .iter()
        .try_fold(told.type_size(array.ty), |n, dim| n.checked_mul(*dim));
    let is_array = !array.dims.is_empty() && !told.has_heap(array.ty);
    is_array && is_opaque && field.dims.is_empty() && count == Some(schema.type_size(field.ty))
}

fn is_fill(attribute: &crate::model::Attribute) -> bool {
    attribute.name == crate::model::FILL_VALUE_ATTRIBUTE
}
