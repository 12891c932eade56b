//! Random datasets over the whole model.
//!
//! proptest generates a recipe, which it can shrink: lists of dimensions, types, variables and attributes. References
//! between them are numbers, taken modulo the length of the list. Values come from a pool of bytes. [`build`] follows
//! the recipe and repairs impossible parts: repeated names, types that the kind lacks, and lengths that no value
//! implies.

use std::collections::HashSet;

use proptest::prelude::*;

use super::values::Pool;
use crate::format::in_memory::InMemoryReader;
use crate::model::{
    Attribute, DimId, Dimension, FILL_VALUE_ATTRIBUTE, Field, GroupId, Kind, Schema, Type, TypeClass, TypeId,
    UserType, VarId, Variable,
};

/// Description of a random dataset.
#[derive(Debug, Clone)]
pub struct Recipe {
    kind: Kind,
    groups: Vec<GroupRecipe>,
    pool: Vec<u8>,
}

#[derive(Debug, Clone)]
struct GroupRecipe {
    name: String,
    parent: usize,
    dims: Vec<(String, u64, bool)>,
    types: Vec<(String, TypeRecipe)>,
    vars: Vec<VarRecipe>,
    attributes: Vec<AttributeRecipe>,
}

#[derive(Debug, Clone)]
enum TypeRecipe {
    Enum(usize, Vec<(String, i64)>),
    Opaque(usize),
    Vlen(usize),
    Compound(Vec<(String, usize, Vec<usize>)>),
}

#[derive(Debug, Clone)]
struct VarRecipe {
    name: String,
    ty: usize,
    dims: Vec<usize>,
    fill: bool,
    attributes: Vec<AttributeRecipe>,
}

#[derive(Debug, Clone)]
struct AttributeRecipe {
    name: String,
    ty: usize,
    length: usize,
}

/// Recipes for datasets of any kind.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    let kinds = prop_oneof![
        6 => Just(Kind::Netcdf4),
        1 => Just(Kind::Data64),
        1 => Just(Kind::Classic),
        1 => Just(Kind::Netcdf4Classic),
    ];
    let groups = prop::collection::vec(group(), 1..4);
    let pool = prop::collection::vec(any::<u8>(), 0..200);
    (kinds, groups, pool).prop_map(|(kind, groups, pool)| Recipe { kind, groups, pool })
}

/// Recipes for netCDF-4 datasets whose text does not name their kind.
pub fn netcdf4_recipes() -> impl Strategy<Value = Recipe> {
    recipes().prop_map(|recipe| Recipe {
        kind: Kind::Netcdf4,
        ..recipe
    })
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-d]",
        2 => "[a-zA-Z_][a-zA-Z0-9_.@+-]{0,3}",
        2 => "[a-z0-9_é€𝄞][ -.:-~é]{0,3}[!-.:-~]",
        // Control characters occur in names of HDF5 files.
        1 => "a\u{1}b|a\\\\n|b\u{7f}c|%0a|\\\\%41",
        1 => prop::sample::select(vec![
            "int", "string", "byte", "unlimited", "netcdf", "types", "group", "data", "variables", "dimensions",
            "enum", "compound", "opaque", "_", "NaN", "NIL", "Infinity", "nan", "inff", "_UNDEFINED", "1", "0x12", "1e5",
        ])
        .prop_map(str::to_owned),
    ]
}

/// Names of attributes, fields and enum members. HDF5 allows a slash in them, since no path leads to them.
fn inner_names() -> impl Strategy<Value = String> {
    prop_oneof![9 => names(), 1 => "[a-b/]{1,3}|[a-b]//[*]?[a-b]"]
}

/// Names of enum members. CDL has the name `_UNDEFINED` for zero in an enum without such a member.
fn member_names() -> impl Strategy<Value = String> {
    prop_oneof![9 => inner_names(), 1 => Just("_UNDEFINED".to_owned())]
}

fn number() -> impl Strategy<Value = usize> {
    // The atomic types come first, so that any type is as likely as char.
    prop_oneof![0usize..12, 0usize..40]
}

fn attribute() -> impl Strategy<Value = AttributeRecipe> {
    (inner_names(), number(), 0usize..4).prop_map(|(name, ty, length)| AttributeRecipe { name, ty, length })
}

fn group() -> impl Strategy<Value = GroupRecipe> {
    let attributes = || prop::collection::vec(attribute(), 0..3);
    let ty = prop_oneof![
        (
            0usize..8,
            prop::collection::vec((member_names(), any::<i64>()), 1..4)
        )
            .prop_map(|(base, members)| TypeRecipe::Enum(base, members)),
        (1usize..5).prop_map(TypeRecipe::Opaque),
        number().prop_map(TypeRecipe::Vlen),
        prop::collection::vec(
            (inner_names(), number(), prop::collection::vec(1usize..4, 0..3)),
            1..4
        )
        .prop_map(TypeRecipe::Compound),
    ];
    let var = (
        names(),
        number(),
        prop::collection::vec(0usize..8, 0..4),
        any::<bool>(),
        attributes(),
    )
        .prop_map(|(name, ty, dims, fill, attributes)| VarRecipe {
            name,
            ty,
            dims,
            fill,
            attributes,
        });
    (
        names(),
        0usize..4,
        prop::collection::vec((names(), 0u64..4, any::<bool>()), 0..4),
        prop::collection::vec((names(), ty), 0..4),
        prop::collection::vec(var, 0..4),
        attributes(),
    )
        .prop_map(|(name, parent, dims, types, vars, attributes)| GroupRecipe {
            name,
            parent,
            dims,
            types,
            vars,
            attributes,
        })
}

/// The names in one scope. A repeated name gets a suffix.
#[derive(Default)]
struct Taken(HashSet<String>);

impl Taken {
    fn free(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.0.insert(name.clone()) {
            name.push('x');
        }
        name
    }
}

const INTEGERS: [Type; 8] = [
    Type::Byte,
    Type::Short,
    Type::Int,
    Type::UByte,
    Type::UShort,
    Type::UInt,
    Type::Int64,
    Type::UInt64,
];

/// Builds the dataset of a recipe.
pub fn build(recipe: &Recipe) -> InMemoryReader {
    let mut schema = Schema::new(recipe.kind);
    let mut pool = Pool::new(&recipe.pool);
    let groups: &[GroupRecipe] = match recipe.kind {
        Kind::Netcdf4 => &recipe.groups,
        _ => &recipe.groups[..1],
    };
    let mut spaces: Vec<Taken> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let id = match at {
            0 => Schema::ROOT,
            _ => {
                let parent = group.parent % at;
                let name = spaces[parent].free(&group.name);
                schema.add_group(GroupId(parent), name)
            }
        };
        spaces.push(Taken::default());
        let mut taken = Taken::default();
        for (name, length, unlimited) in &group.dims {
            let unlimited =
                *unlimited && (recipe.kind == Kind::Netcdf4 || !schema.dims.iter().any(|dim| dim.unlimited));
            schema.add_dim(Dimension {
                name: taken.free(name),
                group: id,
                length: if unlimited { *length } else { (*length).max(1) },
                unlimited,
            });
        }
        if recipe.kind == Kind::Netcdf4 {
            for (name, ty) in &group.types {
                add_type(&mut schema, id, spaces[at].free(name), ty);
            }
        }
    }
    for (at, group) in groups.iter().enumerate() {
        for var in &group.vars {
            let name = spaces[at].free(&var.name);
            add_var(&mut schema, GroupId(at), name, var, &mut pool);
        }
        schema.groups[at].attributes =
            attributes(&schema, &group.attributes, &mut Taken::default(), &mut pool).into();
    }
    shorten(&mut schema);
    let values = (0..schema.vars.len()).map(|at| {
        let count = schema.shape(VarId(at)).iter().product::<u64>();
        pool.values(&schema, schema.vars[at].ty, count as usize)
    });
    let values = values.collect();
    InMemoryReader::new(schema, values)
}

/// Type `number`, counting the atomic types of the kind first, then user-defined types.
fn pick(schema: &Schema, number: usize) -> Type {
    let atomic = match schema.kind {
        Kind::Netcdf4 => 12,
        Kind::Data64 => 11,
        _ => 6,
    };
    match number % (atomic + schema.types.len()) {
        at if at < atomic => Type::ATOMIC[at],
        at => Type::User(TypeId(at - atomic)),
    }
}

fn add_type(schema: &mut Schema, group: GroupId, name: String, recipe: &TypeRecipe) {
    let class = match recipe {
        TypeRecipe::Opaque(size) => TypeClass::Opaque { size: *size },
        TypeRecipe::Vlen(base) => TypeClass::Vlen {
            base: pick(schema, *base),
        },
        TypeRecipe::Enum(base, members) => {
            let base = INTEGERS[*base];
            let mut taken = Taken::default();
            let mut values = HashSet::new();
            let members = members.iter().filter_map(|(name, value)| {
                let value = as_integer(base, *value);
                values.insert(value).then(|| (taken.free(name), value))
            });
            TypeClass::Enum {
                base,
                members: members.collect(),
            }
        }
        TypeRecipe::Compound(recipes) => {
            let mut taken = Taken::default();
            let mut fields = Vec::new();
            let mut size = 0;
            for (name, number, dims) in recipes {
                let ty = pick(schema, *number);
                fields.push(Field {
                    name: taken.free(name),
                    offset: size,
                    ty,
                    dims: dims.clone(),
                });
                size += schema.type_size(ty) * dims.iter().product::<usize>();
            }
            TypeClass::Compound { size, fields }
        }
    };
    schema.add_type(UserType { name, group, class });
}

/// `value` truncated to the width of a type.
fn as_integer(ty: Type, value: i64) -> i64 {
    match ty {
        Type::Byte => (value as i8).into(),
        Type::UByte => (value as u8).into(),
        Type::Short => (value as i16).into(),
        Type::UShort => (value as u16).into(),
        Type::Int => (value as i32).into(),
        Type::UInt => (value as u32).into(),
        _ => value,
    }
}

fn add_var(schema: &mut Schema, group: GroupId, name: String, recipe: &VarRecipe, pool: &mut Pool) {
    let ty = pick(schema, recipe.ty);
    let mut dims: Vec<DimId> = Vec::new();
    let all_dims = dims_from(schema, group);
    for number in &recipe.dims {
        if all_dims.is_empty() {
            break;
        }
        let dim = all_dims[number % all_dims.len()];
        // In the classic model, an unlimited dimension comes first.
        if schema.kind == Kind::Netcdf4 || !schema.dim(dim).unlimited || dims.is_empty() {
            dims.push(dim);
        }
    }
    let mut taken = Taken::default();
    let mut all = Vec::new();
    if recipe.fill {
        all.push(Attribute {
            name: taken.free(FILL_VALUE_ATTRIBUTE),
            ty,
            length: 1,
            values: pool.values(schema, ty, 1),
        });
    }
    all.extend(attributes(schema, &recipe.attributes, &mut taken, pool));
    schema.add_var(Variable {
        name,
        group,
        ty,
        dims,
        attributes: all.into(),
    });
}

/// All dimensions: first the ones visible from a group, then the ones that only a path can name.
fn dims_from(schema: &Schema, group: GroupId) -> Vec<DimId> {
    let around = schema.around(group);
    let mut dims: Vec<DimId> = around
        .flat_map(|group| schema.group(group).dims.clone())
        .collect();
    let others: Vec<DimId> = (0..schema.dims.len())
        .map(DimId)
        .filter(|id| !dims.contains(id))
        .collect();
    dims.extend(others);
    dims
}

fn attributes(
    schema: &Schema,
    recipes: &[AttributeRecipe],
    taken: &mut Taken,
    pool: &mut Pool,
) -> Vec<Attribute> {
    let attribute = |recipe: &AttributeRecipe| {
        let ty = pick(schema, recipe.ty);
        Attribute {
            name: taken.free(&recipe.name),
            ty,
            length: recipe.length,
            values: pool.values(schema, ty, recipe.length),
        }
    };
    recipes.iter().map(attribute).collect()
}

/// Shortens unlimited dimensions to the length that values imply: to 0 if no variable has values along them.
fn shorten(schema: &mut Schema) {
    let mut told = HashSet::new();
    for at in 0..schema.vars.len() {
        if !schema.shape(VarId(at)).contains(&0) {
            told.extend(schema.vars[at].dims.iter().copied());
        }
    }
    for (at, dim) in schema.dims.iter_mut().enumerate() {
        if dim.unlimited && !told.contains(&DimId(at)) {
            dim.length = 0;
        }
    }
}
