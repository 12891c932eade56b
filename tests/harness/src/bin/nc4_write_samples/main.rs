//! Writes netCDF-4 files that together hold every part of the data model, for other programs to read.
//!
//! ```text
//! nc4_write_samples FOLDER
//! ```
//!
//! `tests/interop/netcdf4_writer.py` knows what must be in them.

mod storage;
mod types;
#[path = "../../../../../crates/core/tests/all/support/whole_variables.rs"]
mod whole_variables;

use std::path::Path;
use std::sync::Arc;

use ncutils_core::Result;
use ncutils_core::model::{Endian, Kind, Schema, Type, TypeClass, UserType, Values};
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
    write("types.nc", types::types())?;
    write("storage.nc", storage::storage())?;
    write("fill.nc", storage::fill())?;
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
