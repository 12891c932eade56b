//! Tests of the kind of the output (`-k`), and of kinds that cannot hold the input.

use super::*;

#[test]
fn kinds() {
    let kind_of = |kind, options: &CopyOptions| plan(&input(kind), options).unwrap().schema.kind;
    let plain = CopyOptions::default();
    for kind in Kind::OF_FILES {
        assert_eq!(kind_of(kind, &plain), kind);
    }
    let deflate = CopyOptions {
        deflate: Some(1),
        ..CopyOptions::default()
    };
    let shuffle = CopyOptions {
        shuffle: true,
        ..CopyOptions::default()
    };
    for options in [&deflate, &shuffle, &chunks(&["y/5"])] {
        assert_eq!(kind_of(Kind::Classic, options), Kind::Netcdf4Classic);
        assert_eq!(kind_of(Kind::Netcdf4, options), Kind::Netcdf4);
    }
    assert_eq!(kind_of(Kind::Classic, &options(&["*,1,1"])), Kind::Netcdf4);
    assert_eq!(
        kind_of(Kind::Netcdf4Classic, &options(&["*,1,1"])),
        Kind::Netcdf4Classic
    );
    let explicit = CopyOptions {
        kind: Some(Kind::Netcdf4Classic),
        ..options(&["*,1,1"])
    };
    assert_eq!(kind_of(Kind::Classic, &explicit), Kind::Netcdf4Classic);
    let classic = CopyOptions {
        kind: Some(Kind::Classic),
        ..options(&["*,1,1"])
    };
    assert!(refused(Kind::Netcdf4, &classic).contains("filters are asked for, which the kind"));
    let none = CopyOptions {
        kind: Some(Kind::Classic),
        ..options(&["none"])
    };
    assert_eq!(kind_of(Kind::Netcdf4, &none), Kind::Classic);
}

#[test]
fn a_kind_that_cannot_hold_the_input_is_refused() {
    let classic = CopyOptions {
        kind: Some(Kind::Classic),
        ..CopyOptions::default()
    };
    let refused = |change: &dyn Fn(&mut Input)| {
        let mut input = input(Kind::Netcdf4);
        change(&mut input);
        plan(&input, &classic).unwrap_err().to_string()
    };
    assert!(refused(&|i| i.schema.vars[1].ty = Type::UInt).contains("variable plain is of type uint"));
    assert!(
        refused(&|i| i.schema.dims[2].unlimited = true)
            .contains("more than one unlimited dimension, t and x")
    );
    assert!(refused(&|i| i.schema.vars[0].dims.reverse()).contains("other than the first"));
    assert!(
        refused(&|i| {
            i.schema.add_group(Schema::ROOT, "g");
        })
        .contains("/g is a group")
    );
}

#[test]
fn other_kinds_that_hold_it_are_named() {
    let advice = |kind, change: &dyn Fn(&mut Input)| {
        let mut input = input(Kind::Netcdf4);
        change(&mut input);
        unheld(&input.schema, kind).unwrap().error().to_string()
    };
    for (kind, change, says) in [
        (
            Kind::Classic,
            (&|i: &mut Input| i.schema.vars[1].ty = Type::UInt) as &dyn Fn(&mut Input),
            "; these can: cdf5, netCDF-4",
        ),
        (
            Kind::Netcdf4Classic,
            &|i| i.schema.vars[1].ty = Type::UInt,
            "; these can: netCDF-4",
        ),
        (
            Kind::Data64,
            &|i| i.schema.vars[1].ty = Type::String,
            "; these can: netCDF-4",
        ),
        (
            Kind::Offset64,
            &|i| i.schema.vars[0].dims.reverse(),
            "; these can: netCDF-4, netCDF-4 classic model",
        ),
        (
            Kind::Netcdf4Classic,
            &|i| i.schema.dims[2].unlimited = true,
            "; these can: netCDF-4",
        ),
    ] {
        let message = advice(kind, change);
        assert!(message.ends_with(&format!("cannot hold{says}")), "{message}");
    }
}

/// A kind of another crate: chunks only, little-endian, codecs by Zarr names, fixed dimensions.
static CHUNK_STORE: Capabilities = {
    let mut can = Capabilities::new("chunk store");
    can.contiguous = false;
    can.chunks = true;
    can.codecs = Some(CodecNames::Zarr(ZarrVersion::V3));
    can.byte_order = Some(Endian::Little);
    can
};

#[test]
fn a_kind_of_another_crate_is_planned_by_what_it_can() {
    let kind = Kind::Other(&CHUNK_STORE);
    let mut options = CopyOptions {
        kind: Some(kind),
        ..CopyOptions::default()
    };
    let growing = plan(&input(Kind::Netcdf4), &options).unwrap_err().to_string();
    assert_eq!(
        growing,
        "the dimension t is unlimited, which the kind 'chunk store' cannot hold; these can: netCDF-4, netCDF-4 classic model"
    );
    options.fix_unlimited = true;
    options.filters = vec![spec::parse("checked,511,1").unwrap()];
    let nameless = plan(&input(Kind::Netcdf4), &options).unwrap_err().to_string();
    assert!(
        nameless.contains("variable checked: filter 511 has no form in version 3 of Zarr"),
        "{nameless}"
    );
    options.filters = vec![spec::parse("checked,1,6").unwrap()];
    let layouts: Vec<_> = plan(&input(Kind::Netcdf4), &options)
        .unwrap()
        .variables
        .into_iter()
        .map(|v| v.layout)
        .collect();
    let names = |layout: &VariableLayout| -> Vec<String> {
        layout.filters.iter().map(|f| f.name().to_owned()).collect()
    };
    assert_eq!(names(&layouts[0]), ["numcodecs.shuffle", "numcodecs.zlib"]);
    assert_eq!(names(&layouts[2]), ["numcodecs.zlib"]);
    assert_eq!(shape(&layouts[1]), [10, 20]);
    assert_eq!(layouts[3].storage, Storage::Chunked { shape: Vec::new() });

    // It has chunks and codecs, so a copy of it stays what it is.
    let mut from_it = input(kind);
    from_it.schema.dims[0].unlimited = false;
    let deflate = CopyOptions {
        deflate: Some(1),
        ..CopyOptions::default()
    };
    assert_eq!(output_kind_of(&from_it, &deflate), kind);
    let classic = CopyOptions {
        kind: Some(Kind::Classic),
        ..CopyOptions::default()
    };
    assert_eq!(
        plan(&from_it, &classic).unwrap().variables[1].layout.endian,
        Endian::Big
    );
}

fn output_kind_of(input: &Input, options: &CopyOptions) -> Kind {
    kind::output_kind(&input.schema, options).unwrap()
}
