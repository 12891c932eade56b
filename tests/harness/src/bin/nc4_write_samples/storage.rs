//! Files with every storage, filter and way to fill.

use ncutils_core::model::{CodecSpec, FillTime, Kind, Storage, Type, Values};

use crate::whole_variables::Dataset;
use crate::{ROOT, ints};

fn filter(id: u32, optional: bool, parameters: &[u32]) -> CodecSpec {
    CodecSpec::hdf5(id, parameters).with_optional(optional)
}

pub(super) fn deflate(level: u32) -> CodecSpec {
    filter(1, true, &[level])
}

/// Every storage, chunk grid and filter that is built in.
pub(super) fn storage() -> Dataset {
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
    d.unfiltered_edges[edge.0] = true;
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
        ("lzf", vec![filter(32000, true, &[4, 0x105, 512])]),
        ("lz4", vec![filter(32004, true, &[])]),
        ("bitshuffle", vec![filter(32008, true, &[0, 4, 4, 0, 2])]),
        ("blosc", vec![filter(32001, true, &[2, 2, 4, 512, 5, 2, 5])]),
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
    d.layout(var).filters = vec![filter(32015, true, &[3]).with_name(name)];
    d
}

/// Fill values, and what was never written.
pub(super) fn fill() -> Dataset {
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
