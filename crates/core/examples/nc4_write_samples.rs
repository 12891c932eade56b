//! Writes netCDF-4 files that together hold every part of the data model, for other programs to read.
//!
//!     cargo run --example nc4_write_samples FOLDER
//!
//! `tests/interop/netcdf4_writer.py` knows what must be in them.

#[path = "../tests/support/whole_variables.rs"]
mod whole_variables;

use std::path::Path;
use std::sync::Arc;

use ncutils_core::Result;
use ncutils_core::model::{
    Endian, Field, FillTime, FilterSpec, Kind, Schema, Storage, Type, TypeClass, UserType, Values,
};
use ncutils_core::store::FileOutput;
use whole_variables::Dataset;

const ROOT: ncutils_core::model::GroupId = Schema::ROOT;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).expect("a folder");
    let folder = Path::new(&folder);
    let write =
        |name: &str, dataset: Dataset| dataset.write(Arc::new(FileOutput::create(&folder.join(name))?));
    write("empty.nc", Dataset::new(Kind::Netcdf4))?;
    write("order.nc", order())?;
    write("atomic.nc", atomic())?;
    write("classic_model.nc", classic_model())?;
    write("dimensions.nc", dimensions())?;
    write("types.nc", types())?;
    write("storage.nc", storage())?;
    write("fill.nc", fill())?;
    write("many.nc", many(10_000))?;
    write("attributes.nc", attributes())
}

fn ints(n: i32) -> Values {
    Values::from_bytes((0..n).flat_map(i32::to_le_bytes).collect())
}

fn doubles(n: u32) -> Values {
    Values::from_bytes((0..n).flat_map(|i| (f64::from(i) / 2.0).to_le_bytes()).collect())
}

fn text(text: &str) -> (Type, usize, Values) {
    (Type::Char, text.len(), Values::from_text(text))
}

/// Neither dimensions nor variables nor types nor attributes stand in alphabetical order.
fn order() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let time = d.dim(ROOT, "time", 2, true);
    let x = d.dim(ROOT, "x", 3, false);
    let b = d.dim(ROOT, "b", 2, false);
    for name in ["zeta", "alpha", "mid"] {
        d.schema.add_type(UserType {
            name: name.into(),
            group: ROOT,
            class: TypeClass::Opaque { size: name.len() },
        });
    }
    let temp = d.var(ROOT, "temp", Type::Int, &[time, x], None, Some(ints(6)));
    d.var(
        ROOT,
        "time",
        Type::Double,
        &[time],
        Some(&[512]),
        Some(doubles(2)),
    );
    d.var(ROOT, "aaa", Type::Int, &[b, x], None, Some(ints(6)));
    d.var(ROOT, "x", Type::Int, &[x], None, Some(ints(3)));
    for name in ["zz", "units", "a", "m"] {
        let (ty, length, values) = text(name);
        d.attribute(temp, name, ty, length, values.clone());
        d.group_attribute(ROOT, name, ty, length, values);
    }
    for name in ["second", "first"] {
        let group = d.schema.add_group(ROOT, name);
        d.schema.add_group(group, "deeper");
    }
    d
}

const NUMBERS: [(&str, Type); 10] = [
    ("byte", Type::Byte),
    ("short", Type::Short),
    ("int", Type::Int),
    ("float", Type::Float),
    ("double", Type::Double),
    ("ubyte", Type::UByte),
    ("ushort", Type::UShort),
    ("uint", Type::UInt),
    ("int64", Type::Int64),
    ("uint64", Type::UInt64),
];

/// 0, 1, 2 … of a type.
fn ramp(ty: Type, n: usize) -> Values {
    Values::from_bytes(
        (0..n)
            .flat_map(|i| match ty {
                Type::Float => (i as f32).to_le_bytes().to_vec(),
                Type::Double => (i as f64).to_le_bytes().to_vec(),
                ty => (i as u64).to_le_bytes()[..ty.atomic_size()].to_vec(),
            })
            .collect(),
    )
}

/// Every atomic type, as variables of each byte order and attributes of several lengths.
fn atomic() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let x = d.dim(ROOT, "x", 4, false);
    let y = d.dim(ROOT, "y", 2, false);
    for (name, ty) in NUMBERS {
        let var = d.var(ROOT, name, ty, &[y, x], None, Some(ramp(ty, 8)));
        for length in [0, 1, 3] {
            d.attribute(var, &format!("a{length}"), ty, length, ramp(ty, length));
        }
        let big = d.var(
            ROOT,
            &format!("big_{name}"),
            ty,
            &[y, x],
            Some(&[2, 3]),
            Some(ramp(ty, 8)),
        );
        d.layout(big).endian = Endian::Big;
        d.attribute(
            big,
            "_FillValue",
            ty,
            1,
            Values::from_bytes(ramp(ty, 6).bytes.split_off(5 * ty.atomic_size())),
        );
        d.var(ROOT, &format!("scalar_{name}"), ty, &[], None, Some(ramp(ty, 1)));
    }
    let chars = Values::from_text("abcdefg\0");
    let var = d.var(ROOT, "char", Type::Char, &[y, x], None, Some(chars));
    for t in ["", "a", "a longer text", "Grüße"] {
        let (ty, length, values) = text(t);
        d.attribute(var, &format!("t{length}"), ty, length, values);
    }
    let strings = Values::from_strings([Some(&b"one"[..]), Some(b""), None, Some("Grüße".as_bytes())]);
    let var = d.var(ROOT, "string", Type::String, &[x], None, Some(strings.clone()));
    d.attribute(var, "s0", Type::String, 0, Values::default());
    d.attribute(
        var,
        "s1",
        Type::String,
        1,
        Values::from_strings([Some(&b"single"[..])]),
    );
    d.attribute(var, "s4", Type::String, 4, strings);
    d
}

fn classic_model() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4Classic);
    let time = d.dim(ROOT, "time", 3, true);
    let x = d.dim(ROOT, "x", 4, false);
    let v = d.var(ROOT, "v", Type::Int, &[time, x], None, Some(ints(12)));
    let (ty, length, values) = text("K");
    d.attribute(v, "units", ty, length, values);
    d.var(ROOT, "time", Type::Double, &[time], None, Some(doubles(3)));
    let (ty, length, values) = text("a title");
    d.group_attribute(ROOT, "title", ty, length, values);
    // The input's own may not get into the output.
    let (ty, length, values) = text("version=2,netcdf=1");
    d.group_attribute(ROOT, "_NCProperties", ty, length, values);
    d
}

/// Scales of every kind.
fn dimensions() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let record = d.dim(ROOT, "record", 5, true);
    let alone = d.dim(ROOT, "alone", 7, false);
    let two = d.dim(ROOT, "two", 2, false);
    let other = d.dim(ROOT, "other", 3, false);
    let late = d.dim(ROOT, "late", 4, true);
    d.dim(ROOT, "unused", 1_000_000, false);
    d.dim(ROOT, "unused_unlimited", 11, true);
    // Coordinate variables of two dimensions, of strings, and names without being one.
    d.var(ROOT, "two", Type::Int, &[two, other], None, Some(ints(6)));
    let strings = Values::from_strings((0..3).map(|_| Some(&b"label"[..])));
    d.var(ROOT, "other", Type::String, &[other], None, Some(strings));
    d.var(ROOT, "alone", Type::Int, &[two], None, Some(ints(2)));
    d.var(ROOT, "record", Type::Int, &[], None, Some(ints(1)));
    d.var(ROOT, "square", Type::Int, &[two, two], None, Some(ints(4)));
    // Shorter than its dimension, which nothing else reaches.
    let short = d.var(ROOT, "late", Type::Int, &[late], Some(&[2]), None);
    d.layout(short).extent = vec![2];
    d.plans[short.0].chunk_count = 1;
    d.data[short.0] = Some(ints(2));
    let long = d.var(
        ROOT,
        "long",
        Type::Int,
        &[record, alone],
        Some(&[2, 7]),
        Some(ints(35)),
    );
    let short = d.var(ROOT, "short", Type::Int, &[record, two], Some(&[2, 2]), None);
    d.layout(short).extent = vec![3, 2];
    d.plans[short.0].chunk_count = 2;
    d.data[short.0] = Some(ints(6));
    d.attribute(long, "_FillValue", Type::Int, 1, Values::from_bytes(vec![255; 4]));
    // A dimension of the same name below, and one of the root used there.
    let g = d.schema.add_group(ROOT, "g");
    let inner = d.dim(g, "two", 3, false);
    d.var(g, "two", Type::Int, &[inner], None, Some(ints(3)));
    d.var(g, "record", Type::Int, &[record, inner], None, Some(ints(15)));
    let h = d.schema.add_group(g, "h");
    d.var(h, "deep", Type::Int, &[inner, two], None, Some(ints(6)));
    d
}

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
fn types() -> Dataset {
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

fn filter(id: u32, optional: bool, parameters: &[u32]) -> FilterSpec {
    FilterSpec {
        id,
        optional,
        parameters: parameters.to_vec(),
        name: String::new(),
    }
}

fn deflate(level: u32) -> FilterSpec {
    filter(1, true, &[level])
}

/// Every storage, chunk grid and filter that is built in.
fn storage() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let y = d.dim(ROOT, "y", 7, false);
    let x = d.dim(ROOT, "x", 50, false);
    let time = d.dim(ROOT, "time", 9, true);
    let wave = d.dim(ROOT, "wave", 3, true);
    let none = d.dim(ROOT, "none", 0, true);
    let compact = d.var(ROOT, "compact", Type::Int, &[y, x], None, Some(ints(350)));
    d.layout(compact).storage = Storage::Compact;
    let strings = Values::from_strings((0..7).map(|_| Some(&b"compact"[..])));
    let compact = d.var(ROOT, "compact_strings", Type::String, &[y], None, Some(strings));
    d.layout(compact).storage = Storage::Compact;
    d.var(ROOT, "contiguous", Type::Int, &[y, x], None, Some(ints(350)));
    d.var(
        ROOT,
        "chunked",
        Type::Int,
        &[y, x],
        Some(&[3, 16]),
        Some(ints(350)),
    );
    d.var(
        ROOT,
        "two_unlimited",
        Type::Int,
        &[time, wave],
        Some(&[4, 2]),
        Some(ints(27)),
    );
    d.var(
        ROOT,
        "larger_chunk",
        Type::Int,
        &[time, wave],
        Some(&[100, 10]),
        Some(ints(27)),
    );
    d.var(ROOT, "no_records", Type::Int, &[none, x], Some(&[1, 50]), None);
    let edge = d.var(
        ROOT,
        "edges_unfiltered",
        Type::Int,
        &[y, x],
        Some(&[3, 16]),
        Some(ints(350)),
    );
    d.layout(edge).filters = vec![filter(2, true, &[4]), deflate(6)];
    d.layout(edge).edge_chunks_unfiltered = true;
    let pipelines = [
        ("deflate", vec![deflate(1)]),
        ("shuffle_deflate", vec![filter(2, true, &[4]), deflate(9)]),
        ("fletcher32", vec![filter(3, false, &[])]),
        (
            "all_of_netcdf",
            vec![filter(3, false, &[]), filter(2, true, &[4]), deflate(4)],
        ),
        ("szip", vec![filter(4, true, &[169, 8, 32, 64])]),
        ("bzip2", vec![filter(307, true, &[9])]),
        ("zstd", vec![filter(32015, true, &[3])]),
    ];
    for (name, filters) in pipelines {
        let var = d.var(ROOT, name, Type::Int, &[y, x], Some(&[4, 32]), Some(ints(350)));
        d.layout(var).filters = filters;
    }
    // Many chunks: an index of several levels.
    d.var(
        ROOT,
        "many_chunks",
        Type::Int,
        &[y, x, x],
        Some(&[1, 5, 1]),
        Some(ints(17500)),
    );
    let name = "a name that only the file gives";
    let var = d.var(ROOT, "named_filter", Type::Int, &[x], Some(&[50]), Some(ints(50)));
    d.layout(var).filters = vec![FilterSpec {
        name: name.into(),
        ..filter(32015, true, &[3])
    }];
    d
}

/// Fill values, and what was never written.
fn fill() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let x = d.dim(ROOT, "x", 6, false);
    let time = d.dim(ROOT, "time", 4, true);
    let seven = Values::from_bytes(7i32.to_le_bytes().to_vec());
    for (suffix, dims, chunk) in [
        ("", x, None),
        ("_chunked", x, Some(&[2u64][..])),
        ("_records", time, Some(&[1][..])),
    ] {
        d.var(ROOT, &format!("default{suffix}"), Type::Int, &[dims], chunk, None);
        let own = d.var(ROOT, &format!("own{suffix}"), Type::Int, &[dims], chunk, None);
        d.attribute(own, "_FillValue", Type::Int, 1, seven.clone());
        let alloc = d.var(ROOT, &format!("alloc{suffix}"), Type::Int, &[dims], chunk, None);
        d.attribute(alloc, "_FillValue", Type::Int, 1, seven.clone());
        d.layout(alloc).fill.time = FillTime::Alloc;
        for (name, values) in [
            ("nofill", Some(if dims == x { ints(6) } else { ints(4) })),
            ("nofill_unwritten", None),
        ] {
            let var = d.var(
                ROOT,
                &format!("{name}{suffix}"),
                Type::Int,
                &[dims],
                chunk,
                values,
            );
            let fill = &mut d.layout(var).fill;
            (fill.value, fill.no_fill, fill.time) = (None, true, FillTime::Never);
        }
        let hdf5 = d.var(
            ROOT,
            &format!("hdf5_default{suffix}"),
            Type::Int,
            &[dims],
            chunk,
            None,
        );
        let fill = &mut d.layout(hdf5).fill;
        (fill.value, fill.no_fill) = (Some(Values::from_bytes(vec![0; 4])), true);
        let strings = d.var(
            ROOT,
            &format!("string{suffix}"),
            Type::String,
            &[dims],
            chunk,
            None,
        );
        d.attribute(
            strings,
            "_FillValue",
            Type::String,
            1,
            Values::from_strings([Some(&b"none"[..])]),
        );
        d.var(
            ROOT,
            &format!("string_default{suffix}"),
            Type::String,
            &[dims],
            chunk,
            None,
        );
        d.var(ROOT, &format!("char{suffix}"), Type::Char, &[dims], chunk, None);
    }
    // Written at its beginning only: records that are added meet chunks already there.
    let strings = Values::from_strings((0..4).map(|_| Some(&b"there"[..])));
    let var = d.var(
        ROOT,
        "string_partial",
        Type::String,
        &[time],
        Some(&[10]),
        Some(strings),
    );
    d.attribute(
        var,
        "_FillValue",
        Type::String,
        1,
        Values::from_strings([Some(&b"none"[..])]),
    );
    d
}

/// Many variables on one dimension: its REFERENCE_LIST fits no message.
fn many(n: usize) -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let x = d.dim(ROOT, "x", 2, false);
    for i in 0..n {
        // Not in alphabetical order.
        d.var(
            ROOT,
            &format!("v{}", (i * 7919) % n),
            Type::Int,
            &[x],
            None,
            Some(ints(2)),
        );
    }
    d
}

/// Attributes past the limits of compact storage.
fn attributes() -> Dataset {
    let mut d = Dataset::new(Kind::Netcdf4);
    let x = d.dim(ROOT, "x", 2, false);
    let var = d.var(ROOT, "v", Type::Int, &[x], None, Some(ints(2)));
    for i in 0..300 {
        let name = format!("a{}", (i * 7) % 300);
        d.attribute(
            var,
            &name,
            Type::Int,
            1,
            Values::from_bytes(i32::to_le_bytes(i).to_vec()),
        );
    }
    d.group_attribute(ROOT, "large", Type::Int, 50_000, ints(50_000));
    let long = "0123456789".repeat(10_000);
    let (ty, length, values) = text(&long);
    d.group_attribute(ROOT, "long_text", ty, length, values);
    d.group_attribute(
        ROOT,
        "long_string",
        Type::String,
        1,
        Values::from_strings([Some(long.as_bytes())]),
    );
    let many = Values::from_strings((0..6000).map(|_| Some(&b"string"[..])));
    d.group_attribute(ROOT, "many_strings", Type::String, 6000, many);
    let group = d.schema.add_group(ROOT, "g");
    d.group_attribute(group, "large", Type::Int, 20_000, ints(20_000));
    let (ty, length, values) = text("small");
    d.group_attribute(group, "small", ty, length, values);
    d
}
