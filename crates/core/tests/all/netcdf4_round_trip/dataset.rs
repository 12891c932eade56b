//! A dataset for each seed, in a space that holds every part of the data model.

use ncutils_core::model::{
    CodecSpec, DimId, Encoding, Endian, Field, FillTime, GroupId, Kind, Schema, Slot, Storage, Type,
    TypeClass, TypeId, UserType, Values, Variable,
};

use super::random::Random;
use crate::support::whole_variables::{Dataset, attribute};

/// One dataset in a space that holds every part of the data model.
pub fn dataset(seed: u64) -> Dataset {
    let mut random = Random(seed);
    let classic = random.one_in(5);
    let mut d = Dataset::new(if classic {
        Kind::Netcdf4Classic
    } else {
        Kind::Netcdf4
    });
    let groups = if classic { 0 } else { random.below(4) };
    for i in 0..groups {
        let parent = GroupId(random.below(i + 1));
        d.schema.add_group(parent, format!("g{}", groups - i));
    }
    let mut unlimited_left = if classic { 1 } else { usize::MAX };
    for group in (0..=groups).map(GroupId) {
        let mut names = vec!["x", "time", "y", "lat"];
        for _ in 0..random.below(5) {
            let name = names.swap_remove(random.below(names.len()));
            let unlimited = random.one_in(2) && unlimited_left > 0;
            unlimited_left -= usize::from(unlimited);
            let length = if unlimited {
                random.below(6)
            } else {
                1 + random.below(5)
            };
            d.dim(group, name, length as u64, unlimited);
        }
        if !classic {
            for _ in 0..random.below(4) {
                user_type(&mut d, group, &mut random);
            }
        }
    }
    for group in (0..=groups).map(GroupId) {
        let mut names = vec!["x", "time", "y", "lat", "a", "zeta", "Ü"];
        for _ in 0..random.below(7) {
            let name = names.swap_remove(random.below(names.len()));
            variable(&mut d, group, name, &mut random);
        }
        for i in 0..random.below(12) {
            let (ty, length, values) = attribute_values(&d.schema, group, &mut random);
            d.group_attribute(group, &format!("att{}", 100 - i), ty, length, values);
        }
    }
    shorten_dimensions(&mut d);
    d
}

/// netCDF-4 knows no length of an unlimited dimension but that of its variables: makes those without coordinate variable
/// as long as their longest.
fn shorten_dimensions(d: &mut Dataset) {
    for i in 0..d.schema.dims.len() {
        let dim = d.schema.dims[i].clone();
        let vars = d.schema.vars.iter().zip(&d.plans);
        let has_coordinate =
            |v: &Variable| v.group == dim.group && v.name == dim.name && v.dims.first() == Some(&DimId(i));
        if !dim.unlimited || vars.clone().any(|(v, _)| has_coordinate(v)) {
            continue;
        }
        let lengths = vars.flat_map(|(v, plan)| v.dims.iter().zip(&plan.layout.extent));
        let longest = lengths
            .filter(|(dim, _)| **dim == DimId(i))
            .map(|(_, n)| *n)
            .max();
        d.schema.dims[i].length = longest.unwrap_or(0);
    }
}

/// Whether netCDF looks for names in `of` from `at`.
fn visible(schema: &Schema, of: GroupId, at: GroupId) -> bool {
    let mut group = Some(at);
    while let Some(g) = group {
        if g == of {
            return true;
        }
        group = schema.group(g).parent;
    }
    false
}

fn any_type(schema: &Schema, group: GroupId, random: &mut Random) -> Type {
    let types: Vec<_> = (0..schema.types.len())
        .filter(|t| visible(schema, schema.types[*t].group, group))
        .collect();
    if schema.kind == Kind::Netcdf4Classic {
        return *random.pick(Type::CLASSIC);
    }
    if !types.is_empty() && random.one_in(2) {
        return Type::User(TypeId(*random.pick(&types)));
    }
    *random.pick(&Type::ATOMIC)
}

/// Adds a type. No two are of one structure: a part of a type or a big-endian enum bears no name in the file, so that the
/// first type of its structure is taken for it, here as in netcdf-c.
fn user_type(d: &mut Dataset, group: GroupId, random: &mut Random) {
    let count = d.schema.types.len();
    let mut class = match random.below(4) {
        0 => {
            let base = *random.pick(&[
                Type::Byte,
                Type::UByte,
                Type::Short,
                Type::UInt,
                Type::Int64,
                Type::UInt64,
            ]);
            let start = if base == Type::UByte { 0 } else { -3 };
            let members = (0..1 + random.below(4) as i64).map(|i| (format!("m{count}_{i}"), start + i * 7));
            let unsigned = |v: i64| match base {
                Type::UInt => i64::from(v as u32),
                _ => v,
            };
            TypeClass::Enum {
                base,
                members: members.map(|(name, v)| (name, unsigned(v))).collect(),
            }
        }
        1 => TypeClass::Opaque { size: count + 1 },
        2 => TypeClass::Vlen {
            base: any_type(&d.schema, group, random),
        },
        _ => {
            let mut fields = Vec::new();
            let mut end = 0;
            for i in 0..1 + random.below(3) {
                let ty = any_type(&d.schema, group, random);
                let dims: Vec<usize> = (0..random.below(3)).map(|_| 1 + random.below(2)).collect();
                let offset = end + random.below(3);
                end = offset + d.schema.type_size(ty) * dims.iter().product::<usize>();
                fields.push(Field {
                    name: format!("f{i}"),
                    offset,
                    ty,
                    dims,
                });
            }
            TypeClass::Compound {
                size: end + random.below(3),
                fields,
            }
        }
    };
    if d.schema.types.iter().any(|t| t.class == class) {
        class = TypeClass::Opaque { size: count + 1 };
    }
    let name = format!("t{}", 100 - count);
    d.schema.add_type(UserType { name, group, class });
}

/// Appends one element of type `ty` to `out`, with its contents on `heap`.
fn element(schema: &Schema, ty: Type, random: &mut Random, out: &mut Vec<u8>, heap: &mut Vec<u8>) {
    match ty {
        Type::String => {
            let slot = if random.one_in(4) {
                Slot::NIL
            } else {
                let text = vec![b'a' + random.below(26) as u8; random.below(6)];
                push(heap, text.len(), &text)
            };
            out.extend(slot.to_bytes());
        }
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Enum { base, members } => {
                let value = random.pick(members).1;
                out.extend(&value.to_le_bytes()[..base.atomic_size()]);
            }
            TypeClass::Opaque { size } => out.extend(random.bytes(*size)),
            TypeClass::Vlen { base } => {
                let n = random.below(4);
                let mut content = Vec::new();
                (0..n).for_each(|_| element(schema, *base, random, &mut content, heap));
                let slot = if n == 0 {
                    Slot::NIL
                } else {
                    push(heap, n, &content)
                };
                out.extend(slot.to_bytes());
            }
            TypeClass::Compound { size, fields } => {
                let start = out.len();
                for field in fields {
                    out.resize(start + field.offset, 0);
                    for _ in 0..field.dims.iter().product::<usize>() {
                        element(schema, field.ty, random, out, heap);
                    }
                }
                out.resize(start + size, 0);
            }
        },
        ty => out.extend(random.bytes(ty.atomic_size())),
    }
}

fn push(heap: &mut Vec<u8>, length: usize, content: &[u8]) -> Slot {
    let offset = heap.len() as u64;
    heap.extend_from_slice(content);
    Slot {
        length: length as u64,
        offset,
    }
}

fn elements(schema: &Schema, ty: Type, n: usize, random: &mut Random) -> Values {
    let mut values = Values::default();
    for _ in 0..n {
        element(schema, ty, random, &mut values.bytes, &mut values.heap);
    }
    values
}

fn attribute_values(schema: &Schema, group: GroupId, random: &mut Random) -> (Type, usize, Values) {
    let ty = any_type(schema, group, random);
    let length = random.below(4);
    (ty, length, elements(schema, ty, length, random))
}

fn variable(d: &mut Dataset, group: GroupId, name: &str, random: &mut Random) {
    let ty = any_type(&d.schema, group, random);
    // Dimensions of any group now and then: netCDF looks for those that scales name in all.
    let anywhere = random.one_in(4);
    let dims: Vec<DimId> = (0..d.schema.dims.len())
        .map(DimId)
        .filter(|i| anywhere || visible(&d.schema, d.schema.dim(*i).group, group))
        .collect();
    let rank = if dims.is_empty() { 0 } else { random.below(4) };
    let dims: Vec<DimId> = (0..rank).map(|_| *random.pick(&dims)).collect();
    let extent: Vec<u64> = dims
        .iter()
        .map(|id| {
            let dim = d.schema.dim(*id);
            let shorter = if dim.unlimited { random.below(3) as u64 } else { 0 };
            dim.length.saturating_sub(shorter)
        })
        .collect();
    let unlimited = dims.iter().any(|i| d.schema.dim(*i).unlimited);
    let chunk: Option<Vec<u64>> = (rank > 0 && (unlimited || random.one_in(2))).then(|| {
        let lengths = extent.iter().zip(&dims);
        lengths
            .map(|(n, dim)| {
                let most = if d.schema.dim(*dim).unlimited {
                    4
                } else {
                    *n as usize
                };
                1 + random.below(most) as u64
            })
            .collect()
    });
    let n: u64 = extent.iter().product();
    let values = random.one_in(5);
    let values = (!values && n > 0).then(|| elements(&d.schema, ty, n as usize, random));
    let var = d.var(group, name, ty, &dims, chunk.as_deref(), values);
    let is_enum = matches!(d.schema.vars[var.0].ty, Type::User(id)
        if matches!(d.schema.user_type(id).class, TypeClass::Enum { .. }));
    let layout = d.layout(var);
    layout.extent = extent;
    if chunk.is_none() && random.one_in(3) {
        layout.storage = Storage::Compact;
    }
    if matches!(layout.encoding, Encoding::Numbers { unit } if unit > 1) && !is_enum && random.one_in(3) {
        layout.endian = Endian::Big;
    }
    if chunk.is_some() {
        let pipelines: [&[(u32, bool, &[u32])]; 5] = [
            &[],
            &[],
            &[(1, true, &[3])],
            &[(3, false, &[]), (2, true, &[4]), (1, true, &[1])],
            &[(32015, true, &[2])],
        ];
        layout.filters = random
            .pick(&pipelines)
            .iter()
            .map(|(id, optional, parameters)| CodecSpec::hdf5(*id, *parameters).with_optional(*optional))
            .collect();
        let structured = layout.encoding == Encoding::Structured;
        d.unfiltered_edges[var.0] = random.one_in(6) && !structured;
    }
    let layout = d.layout(var);
    layout.fill.time = *random.pick(&[FillTime::Alloc, FillTime::IfSet, FillTime::Never]);
    if random.one_in(4) {
        (layout.fill.no_fill, layout.fill.value) = (true, None);
    } else if random.one_in(3) {
        let value = elements(&d.schema, ty, 1, random);
        d.attribute(var, "_FillValue", ty, 1, value);
    }
    for i in 0..random.below(10) {
        let (ty, length, values) = attribute_values(&d.schema, group, random);
        let attribute = attribute(&format!("b{}", 100 - i), ty, length, values);
        d.schema.vars[var.0].attributes.push(attribute);
    }
}
