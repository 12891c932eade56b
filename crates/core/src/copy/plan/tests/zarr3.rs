//! Tests of planning Zarr version 3.

use super::*;
use crate::model::{Field, TypeClass, UserType};

fn to_zarr3(options: CopyOptions) -> CopyOptions {
    CopyOptions {
        kind: Some(Kind::Zarr3),
        ..options
    }
}

fn names(layout: &VariableLayout) -> Vec<(&str, String)> {
    let json =
        |codec: &CodecSpec| serde_json::Value::Object(codec.configuration().unwrap().clone()).to_string();
    layout
        .filters
        .iter()
        .map(|codec| (codec.name(), json(codec)))
        .collect()
}

fn named<const N: usize>(names: [(&'static str, &str); N]) -> Vec<(&'static str, String)> {
    names.map(|(name, json)| (name, json.to_owned())).into()
}

#[test]
fn what_is_asked_for_is_a_core_codec_and_what_is_kept_keeps_its_stream() {
    let kept = planned(Kind::Netcdf4, &to_zarr3(CopyOptions::default()));
    assert_eq!(
        names(&kept[0]),
        named([
            ("numcodecs.shuffle", r#"{"elementsize":4}"#),
            ("numcodecs.zlib", r#"{"level":4}"#)
        ])
    );
    let asked = CopyOptions {
        deflate: Some(7),
        shuffle: true,
        ..CopyOptions::default()
    };
    let layouts = planned(Kind::Netcdf4, &to_zarr3(asked));
    for layout in &layouts[..2] {
        assert_eq!(
            names(layout),
            named([
                ("numcodecs.shuffle", r#"{"elementsize":4}"#),
                ("gzip", r#"{"level":7}"#)
            ])
        );
    }
    assert!(layouts[3].filters.is_empty());
    // `-s` alone finds gzip too.
    let mut source = input(Kind::Zarr3);
    let level = Configuration::from_iter([("level".to_owned(), 5.into())]);
    source.layouts[0].filters = vec![CodecSpec::zarr(ZarrVersion::V3, "gzip", level)];
    let shuffled = to_zarr3(CopyOptions {
        shuffle: true,
        ..CopyOptions::default()
    });
    let plan = plan(&source, &shuffled).unwrap();
    assert_eq!(
        names(&plan.variables[0].layout),
        named([
            ("numcodecs.shuffle", r#"{"elementsize":4}"#),
            ("gzip", r#"{"level":5}"#)
        ])
    );
}

#[test]
fn a_filter_without_a_name_in_version_3_is_replaced_or_refused() {
    let mut source = input(Kind::Netcdf4);
    for lost in [
        filter(4, &[4, 32, 32, 200]),
        filter(32000, &[]),
        filter(5, &[8, 0, 200, 1, 4, 1, 31, 0]),
    ] {
        source.layouts[1].storage = Storage::Chunked { shape: vec![10, 20] };
        source.layouts[1].filters = vec![lost];
        let replaced = plan(&source, &to_zarr3(CopyOptions::default())).unwrap();
        assert_eq!(names(&replaced.variables[1].layout)[0].0, "blosc");
        let lines: Vec<String> = replaced.notices.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].contains("encoded anew with blosc: plain ("),
            "{lines:?}"
        );
        let error = plan(&source, &to_zarr3(options(&["keep"])))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("variable plain: filter") && error.contains("choose other filters"),
            "{error}"
        );
        let other = to_zarr3(options(&["plain,zstd,3"]));
        assert_eq!(
            names(&plan(&source, &other).unwrap().variables[1].layout)[0].0,
            "zstd"
        );
    }
}

#[test]
fn types_of_varying_length_are_refused_and_others_are_held() {
    let refused = |class: TypeClass| {
        let mut source = input(Kind::Netcdf4);
        let ty = source.schema.add_type(UserType {
            name: "T".into(),
            group: Schema::ROOT,
            class,
        });
        source.schema.vars[1].ty = Type::User(ty);
        unheld(&source.schema, Kind::Zarr3).map(|found| found.error().to_string())
    };
    let compound = |ty: Type| TypeClass::Compound {
        size: 16,
        fields: vec![Field {
            name: "f".into(),
            offset: 0,
            ty,
            dims: Vec::new(),
        }],
    };
    for class in [TypeClass::Vlen { base: Type::String }, compound(Type::String)] {
        let error = refused(class).unwrap();
        assert!(
            error.contains("variable plain is of type T, whose values vary in length")
                && error.ends_with("these can: netCDF-4"),
            "{error}"
        );
    }
    let list = TypeClass::Vlen { base: Type::Int };
    for class in [TypeClass::Opaque { size: 3 }, compound(Type::Int), list] {
        assert_eq!(refused(class), None);
    }
    let mut source = input(Kind::Netcdf4);
    let mut vlen = |base: Type| {
        source.schema.add_type(UserType {
            name: "T".into(),
            group: Schema::ROOT,
            class: TypeClass::Vlen { base },
        })
    };
    let (numbers, texts) = (vlen(Type::Int), vlen(Type::String));
    // Nothing is of these types.
    assert_eq!(unheld(&source.schema, Kind::Zarr3), None);
    let attribute = |ty| crate::model::Attribute {
        name: "a".into(),
        ty: Type::User(ty),
        length: 0,
        values: Values::default(),
    };
    source.schema.vars[2].attributes = vec![attribute(numbers)].into();
    assert_eq!(unheld(&source.schema, Kind::Zarr3), None);
    source.schema.vars[2].attributes = vec![attribute(texts)].into();
    let error = unheld(&source.schema, Kind::Zarr3).unwrap().error().to_string();
    assert!(error.contains("attribute checked:a is of type T"), "{error}");
}

#[test]
fn unlimited_dimensions_and_long_chunks_are_kept() {
    let mut source = input(Kind::Zarr3);
    source.layouts[2].storage = Storage::Chunked { shape: vec![16, 64] };
    let copied = plan(&source, &CopyOptions::default()).unwrap();
    assert_eq!(copied.schema.kind, Kind::Zarr3);
    assert!(copied.schema.dims[0].unlimited);
    assert_eq!(shape(&copied.variables[2].layout), [16, 64]);
    source.schema.dims[2].length = 0;
    source.layouts[2].extent[1] = 0;
    assert!(plan(&source, &CopyOptions::default()).is_ok());
    let contiguous = planned(Kind::Classic, &to_zarr3(CopyOptions::default()));
    assert_eq!(shape(&contiguous[1]), [10, 20]);
}

#[test]
fn a_chunk_too_large_for_hdf5_is_refused() {
    let mut source = input(Kind::Zarr3);
    source.schema.dims[1].length = 1 << 20;
    source.schema.dims[2].length = 1 << 20;
    source.layouts[2].extent = vec![1 << 20; 2];
    source.layouts[2].storage = Storage::Chunked {
        shape: vec![1 << 15, 1 << 15],
    };
    let nc4 = |chunks: CopyOptions| CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..chunks
    };
    let error = plan(&source, &nc4(CopyOptions::default()))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("variable checked: chunks: a chunk of shape [32768, 32768]")
            && error.contains("4 GiB"),
        "{error}"
    );
    assert!(plan(&source, &nc4(chunks(&["checked:1024,1024"]))).is_ok());
    assert!(plan(&source, &CopyOptions::default()).is_ok());
}
