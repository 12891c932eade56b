//! A file with user types.

use ncutils_core::model::{Endian, Field, Kind, Type, TypeClass, UserType, Values};

use crate::storage::deflate;
use crate::whole_variables::Dataset;
use crate::{ROOT, ints};

fn add_type(d: &mut Dataset, name: &str, class: TypeClass) -> Type {
    Type::User(d.schema.add_type(UserType {
        name: name.into(),
        group: ROOT,
        class,
    }))
}

fn field(name: &str, offset: usize, ty: Type, dims: &[usize]) -> Field {
    Field {
        name: name.into(),
        offset,
        ty,
        dims: dims.to_vec(),
    }
}

/// User types of every class, as variables and attributes, contiguous, chunked and filtered, and one within the other.
pub(super) fn types() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let x = d.dim(ROOT, "x", 3, false);
    let time = d.dim(ROOT, "time", 3, true);
    let both = [[x], [time]];

    let members = vec![
        ("clear".into(), 0),
        ("cloudy".into(), 300),
        ("missing".into(), -1),
    ];
    let cloud = add_type(
        &mut d,
        "cloud",
        TypeClass::Enum {
            base: Type::Short,
            members: members.clone(),
        },
    );
    let clouds = Values::from_bytes(vec![0, 0, 44, 1, 255, 255]);
    let base = Type::Short;
    let big_cloud = add_type(&mut d, "big_cloud", TypeClass::Enum { base, members });
    let raw = add_type(&mut d, "raw", TypeClass::Opaque { size: 5 });
    let raws = Values::from_bytes((1..16).collect());
    let point = add_type(
        &mut d,
        "point",
        TypeClass::Compound {
            size: 24,
            fields: vec![
                field("id", 0, Type::Byte, &[]),
                field("xy", 4, Type::Float, &[2]),
                field("state", 12, cloud, &[]),
                field("z", 16, Type::Double, &[]),
            ],
        },
    );
    let mut points = Vec::new();
    for i in 0..3u8 {
        points.extend([i, 0, 0, 0]);
        points.extend((f32::from(i) + 0.5).to_le_bytes());
        points.extend((f32::from(i) - 0.5).to_le_bytes());
        points.extend([44, 1, 0, 0]);
        points.extend((f64::from(i) * 10.0).to_le_bytes());
    }
    let points = Values::from_bytes(points);
    let list = add_type(&mut d, "list", TypeClass::Vlen { base: Type::Int });
    let mut lists = Values::default();
    for n in [2, 0, 3] {
        let slot = match n {
            0 => ncutils_core::model::Slot::NIL,
            n => lists.push_heap(n as u64, &ints(n).bytes),
        };
        lists.bytes.extend(slot.to_bytes());
    }
    let named = add_type(
        &mut d,
        "named",
        TypeClass::Compound {
            size: 40,
            fields: vec![
                field("n", 0, Type::Int, &[]),
                field("name", 8, Type::String, &[]),
                field("values", 24, list, &[]),
            ],
        },
    );
    let mut nameds = Values::default();
    for (i, name) in ["ann", "", "bob"].into_iter().enumerate() {
        nameds.bytes.extend((i as u64).to_le_bytes());
        let name = nameds.push_heap(name.len() as u64, name.as_bytes());
        let list = nameds.push_heap(i as u64 + 1, &ints(i as i32 + 1).bytes);
        nameds.bytes.extend(name.to_bytes());
        nameds.bytes.extend(list.to_bytes());
    }
    let strings = Values::from_strings([Some(&b"a"[..]), Some(b"bb"), Some(b"ccc")]);
    let points_of = add_type(&mut d, "points", TypeClass::Vlen { base: point });
    let mut sequences = Values::default();
    for n in [1usize, 2, 3] {
        let slot = sequences.push_heap(n as u64, &points.bytes[..24 * n]);
        sequences.bytes.extend(slot.to_bytes());
    }

    let all = [
        ("cloud", cloud, clouds.clone()),
        ("raw", raw, raws),
        ("point", point, points),
        ("list", list, lists),
        ("named", named, nameds),
        ("string", Type::String, strings),
        ("points", points_of, sequences),
    ];
    for (name, ty, values) in all {
        for (dims, kind) in both.into_iter().zip(["fixed", "records"]) {
            let values = Some(values.clone());
            let chunk: Option<&[u64]> = if dims == [time] { Some(&[2]) } else { None };
            let var = d.var(ROOT, &format!("{name}_{kind}"), ty, &dims, chunk, values);
            if chunk.is_some() {
                d.layout(var).filters = vec![deflate(4)];
            }
        }
        d.group_attribute(ROOT, name, ty, 3, values);
    }
    let big = d.var(ROOT, "big_endian", big_cloud, &[x], None, Some(clouds.clone()));
    d.layout(big).endian = Endian::Big;
    d.attribute(
        big,
        "_FillValue",
        big_cloud,
        1,
        Values::from_bytes(vec![255, 255]),
    );
    d.attribute(big, "three", big_cloud, 3, clouds);

    // Defined below the variable that uses it, as plain HDF5 may do.
    let g = d.schema.add_group(ROOT, "g");
    let below = d.schema.add_type(UserType {
        name: "below".into(),
        group: g,
        class: TypeClass::Vlen { base: cloud },
    });
    d.var(ROOT, "uses_below", Type::User(below), &[x], None, None);
    d
}
