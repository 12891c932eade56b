//! Tests of the storage that a text gets.

use super::*;
use crate::format::in_memory::InMemoryReader;
use crate::model::{Capabilities, Values, Variable};

const OPTIONS: PlanOptions = PlanOptions {
    kind: Kind::Netcdf4,
    no_fill: false,
    header_only: false,
    string_length: None,
};

/// `float v(t, x)` of 3 × 20 elements, t being unlimited, `short w(x)` and the scalar `double s`.
fn dataset() -> InMemoryReader {
    let mut schema = Schema::new(Kind::Netcdf4);
    let dims: Vec<_> = [("t", 3, true), ("x", 20, false)]
        .map(|(name, length, unlimited)| {
            schema.add_dim(Dimension {
                name: name.into(),
                group: Schema::ROOT,
                length,
                unlimited,
            })
        })
        .into();
    for (name, ty, dims) in [
        ("v", Type::Float, &dims[..]),
        ("w", Type::Short, &dims[1..]),
        ("s", Type::Double, &[]),
    ] {
        schema.add_var(Variable {
            name: name.into(),
            group: Schema::ROOT,
            ty,
            dims: dims.to_vec(),
            attributes: Vec::new().into(),
        });
    }
    InMemoryReader::new(schema, vec![Values::default(); 3])
}

/// Plans with `asked` for the variable at `var`.
fn planned(var: usize, asked: StorageAttributes, options: PlanOptions) -> Result<CopyPlan> {
    let mut storage = vec![StorageAttributes::default(); 3];
    storage[var] = asked;
    plan(&dataset(), &storage, options, &Registry::builtin())
}

fn layout_of(var: usize, asked: StorageAttributes) -> VariableLayout {
    let planned = planned(var, asked, OPTIONS).unwrap();
    VariableLayout::clone(&planned.variables[var].layout)
}

fn chunked(shape: &[u64]) -> Storage {
    Storage::Chunked {
        shape: shape.to_vec(),
    }
}

#[test]
fn what_nobody_asks_for_is_as_in_netcdf_c() {
    let plan = planned(0, StorageAttributes::default(), OPTIONS).unwrap();
    let storage: Vec<_> = plan.variables.iter().map(|v| v.layout.storage.clone()).collect();
    assert_eq!(
        storage,
        [chunked(&[1, 20]), Storage::Contiguous, Storage::Contiguous]
    );
    let w = &plan.variables[1].layout;
    assert_eq!((w.endian, w.fill.time), (Endian::Little, FillTime::IfSet));
    assert_eq!(w.fill.value.as_ref().unwrap().bytes, (-32767i16).to_le_bytes());
    let classic = PlanOptions {
        kind: Kind::Classic,
        ..OPTIONS
    };
    let plan = planned(0, StorageAttributes::default(), classic).unwrap();
    assert_eq!(plan.schema.kind, Kind::Classic);
    let v = &plan.variables[0].layout;
    assert_eq!((v.storage.clone(), v.endian), (Storage::Contiguous, Endian::Big));
}

#[test]
fn what_is_asked_for_takes_effect() {
    let w = layout_of(
        1,
        StorageAttributes {
            deflate_level: Some(4),
            shuffle: Some(true),
            fletcher32: Some(true),
            filters: Some(vec![crate::filter::AskedCodec::id(32015, [3])]),
            endianness: Some(Endian::Big),
            ..Default::default()
        },
    );
    let filters: Vec<_> = w
        .filters
        .iter()
        .map(|f| (f.hdf5_id().unwrap(), f.parameters()))
        .collect();
    assert_eq!(filters, [(3, &[][..]), (2, &[2]), (1, &[4]), (32015, &[3])]);
    assert_eq!((w.storage, w.endian), (chunked(&[20]), Endian::Big));
    let v = layout_of(
        0,
        StorageAttributes {
            chunk_sizes: Some(vec![7, 10]),
            storage: Some(StorageKind::Chunked),
            no_fill: Some(true),
            ..Default::default()
        },
    );
    assert_eq!(v.storage, chunked(&[7, 10]));
    assert!(v.fill.no_fill && v.fill.value.is_none() && v.fill.time == FillTime::Never);
    for var in [1, 2] {
        let compact = StorageAttributes {
            storage: Some(StorageKind::Compact),
            ..Default::default()
        };
        assert_eq!(layout_of(var, compact).storage, Storage::Compact);
    }
}

#[test]
fn options_of_the_whole_file() {
    let header = PlanOptions {
        header_only: true,
        no_fill: true,
        ..OPTIONS
    };
    let plan = planned(0, StorageAttributes::default(), header).unwrap();
    assert_eq!(plan.schema.dims[0].length, 0);
    assert!(
        plan.variables
            .iter()
            .all(|v| v.sources == Sources::Nothing && v.layout.fill.no_fill)
    );
    assert_eq!(plan.variables[0].layout.extent, [0, 20]);
}

#[test]
fn every_variable_has_chunks_where_nothing_is_contiguous() {
    static ARRAYS: Capabilities = {
        let mut can = Capabilities::new("arrays");
        can.contiguous = false;
        can.chunks = true;
        can.chunks_past_dimensions = true;
        can
    };
    let options = PlanOptions {
        kind: Kind::Other(&ARRAYS),
        ..OPTIONS
    };
    let sizes = |sizes: &[u64]| StorageAttributes {
        storage: Some(StorageKind::Chunked),
        chunk_sizes: Some(sizes.to_vec()),
        ..Default::default()
    };
    let compact = StorageAttributes {
        storage: Some(StorageKind::Compact),
        ..Default::default()
    };
    let chunked_scalar = StorageAttributes {
        storage: Some(StorageKind::Chunked),
        ..Default::default()
    };
    for (var, asked, shape) in [
        (0, StorageAttributes::default(), &[3, 20][..]),
        (0, compact, &[3, 20]),
        // The unlimited dimension of the text becomes fixed.
        (0, sizes(&[7, 30]), &[3, 30]),
        (1, sizes(&[30]), &[30]),
        (2, StorageAttributes::default(), &[]),
        (2, chunked_scalar.clone(), &[]),
    ] {
        let plan = planned(var, asked, options).unwrap();
        assert!(plan.schema.dims.iter().all(|dim| !dim.unlimited));
        assert_eq!(plan.variables[var].layout.storage, chunked(shape));
    }
    assert_eq!(layout_of(2, chunked_scalar).storage, Storage::Contiguous);
}

#[test]
fn shards_are_those_of_the_text() {
    let v3 = PlanOptions {
        kind: Kind::Zarr3,
        ..OPTIONS
    };
    let shards = |sizes: &[u64]| StorageAttributes {
        storage: Some(StorageKind::Chunked),
        chunk_sizes: Some(vec![1, 10]),
        shard_sizes: Some(sizes.to_vec()),
        shard_index: Some(crate::model::IndexLocation::Start),
        ..Default::default()
    };
    let plan = planned(0, shards(&[3, 20]), v3).unwrap();
    let v = &plan.variables[0].layout;
    assert_eq!(
        (v.chunk_shape(), v.shard.as_deref()),
        (&[1, 10][..], Some(&[3, 20][..]))
    );
    assert_eq!(v.shard_index, crate::model::IndexLocation::Start);
    assert!(plan.schema.dims[0].unlimited);
    let v = layout_of(0, shards(&[3, 20]));
    assert_eq!((v.shard, v.shard_index), (None, crate::model::IndexLocation::End));
    let error = planned(0, shards(&[3, 15]), v3).unwrap_err().to_string();
    assert!(
        error.contains("_ShardSizes: the shard length 15 is no multiple"),
        "{error}"
    );
}

#[test]
fn codecs_of_zarr_come_before_filters_in_zarr_only() {
    let asked = || {
        let mut asked = StorageAttributes {
            deflate_level: Some(4),
            ..Default::default()
        };
        let json = r#"[{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "zstd", "configuration": {"level": 3}}]"#;
        let codecs = crate::model::Attribute {
            name: "_Codecs".into(),
            ty: Type::Char,
            length: json.len(),
            values: Values::from_text(json),
        };
        assert_eq!(asked.set(&codecs), Ok(true));
        asked
    };
    let planned = |kind, asked: StorageAttributes| {
        let plan = planned(1, asked, PlanOptions { kind, ..OPTIONS }).unwrap();
        let layout = VariableLayout::clone(&plan.variables[1].layout);
        let names: Vec<_> = layout.filters.iter().map(|f| f.to_string()).collect();
        (names, layout.endian)
    };
    let codec = |name: &str| vec![format!("codec {name}")];
    assert_eq!(planned(Kind::Zarr3, asked()), (codec("zstd"), Endian::Big));
    assert_eq!(planned(Kind::Zarr2, asked()).0, codec("zstd"));
    let gzip = StorageAttributes {
        codecs: Some(vec![
            crate::filter::AskedCodec::from_json(r#"{"name": "gzip"}"#).unwrap(),
        ]),
        ..Default::default()
    };
    assert!(planned(Kind::Netcdf4, gzip).0[0].starts_with("filter 1"));
    assert_eq!(planned(Kind::Netcdf4, asked()).0.len(), 1);
    assert!(planned(Kind::Netcdf4, asked()).0[0].starts_with("filter 1"));
    let deflated = StorageAttributes {
        codecs: None,
        ..asked()
    };
    assert_eq!(planned(Kind::Zarr3, deflated).0, codec("gzip"));
}

#[test]
fn what_a_variable_cannot_have_is_refused() {
    let one_piece = StorageAttributes {
        storage: Some(StorageKind::Contiguous),
        ..Default::default()
    };
    let sizes = |sizes: &[u64]| StorageAttributes {
        storage: Some(StorageKind::Chunked),
        chunk_sizes: Some(sizes.to_vec()),
        ..Default::default()
    };
    let deflated = StorageAttributes {
        deflate_level: Some(1),
        ..Default::default()
    };
    for (var, asked, says) in [
        (0, one_piece, "the dimension t is unlimited"),
        (0, sizes(&[1]), "each dimension: 2 in all, not 1"),
        (1, sizes(&[21]), "exceeds the dimension x of length 20"),
        (0, sizes(&[1 << 40, 1]), "4 GiB"),
        (2, deflated, "a scalar"),
        (2, sizes(&[1]), "a scalar"),
    ] {
        let error = planned(var, asked, OPTIONS).unwrap_err().to_string();
        assert!(error.starts_with("variable ") && error.contains(says), "{error}");
    }
}
