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
    let refused = |change: &dyn Fn(&mut PlannedInput)| {
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
    let advice = |kind, change: &dyn Fn(&mut PlannedInput)| {
        let mut input = input(Kind::Netcdf4);
        change(&mut input);
        unheld(&input.schema, kind).unwrap().error().to_string()
    };
    for (kind, change, says) in [
        (
            Kind::Classic,
            (&|i: &mut PlannedInput| i.schema.vars[1].ty = Type::UInt) as &dyn Fn(&mut PlannedInput),
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

fn output_kind_of(input: &PlannedInput, options: &CopyOptions) -> Kind {
    kind::output_kind(&input.schema, options).unwrap()
}

/// A kind whose variables cannot have chunks, and whose dimensions are fixed.
static RIGID: Capabilities = Capabilities::new("rigid");

/// As Zarr version 2: fixed dimensions, and chunks that may be longer.
static ARRAYS: Capabilities = {
    let mut can = Capabilities::new("arrays");
    can.contiguous = false;
    can.chunks = true;
    can.codecs = Some(CodecNames::Zarr(ZarrVersion::V2));
    can.byte_order = None;
    can.chunks_past_dimensions = true;
    can.no_fill = true;
    can
};

/// As NCZarr.
static GROWING_ARRAYS: Capabilities = {
    let mut can = Capabilities::new("growing arrays");
    can.unlimited = UnlimitedDimensions::Any;
    can.contiguous = false;
    can.chunks = true;
    can.codecs = Some(CodecNames::Zarr(ZarrVersion::V2));
    can.byte_order = None;
    can.chunks_past_dimensions = true;
    can.no_fill = true;
    can
};

fn to(can: &'static Capabilities, options: CopyOptions) -> CopyOptions {
    CopyOptions {
        kind: Some(Kind::Other(can)),
        ..options
    }
}

#[test]
fn unlimited_dimensions_become_fixed_where_no_dimension_is_unlimited() {
    let refused = plan(&input(Kind::Netcdf4), &to(&RIGID, CopyOptions::default()))
        .unwrap_err()
        .to_string();
    assert_eq!(
        refused,
        "the dimension t is unlimited, which the kind 'rigid' cannot hold; these can: classic, 64-bit offset, cdf5, netCDF-4, netCDF-4 classic model"
    );
    let options = to(&ARRAYS, CopyOptions::default());
    for length in [3, 0] {
        let mut source = input(Kind::Netcdf4);
        source.schema.dims[0].length = length;
        source.layouts[0].extent[0] = length;
        let plan = plan(&source, &options).unwrap();
        let t = &plan.schema.dims[0];
        assert_eq!((t.length, t.unlimited), (length, false));
        assert_eq!(plan.variables[0].layout.extent, [length, 10, 20]);
        assert_eq!(shape(&plan.variables[0].layout), [1, 10, 20]);
    }
}

#[test]
fn variables_are_as_long_as_their_dimensions_where_they_have_no_extent_of_their_own() {
    let mut source = input(Kind::Netcdf4);
    source.layouts[0].extent = vec![1, 10, 20];
    let extent = |can| {
        plan(&source, &to(can, CopyOptions::default())).unwrap().variables[0]
            .layout
            .extent
            .clone()
    };
    assert_eq!(extent(&GROWING_ARRAYS), [3, 10, 20]);
    assert_eq!(extent(&ARRAYS), [3, 10, 20]);
    let kept = plan(&source, &CopyOptions::default()).unwrap();
    assert_eq!(kept.variables[0].layout.extent, [1, 10, 20]);
}

#[test]
fn chunks_may_be_longer_than_a_dimension_that_was_fixed() {
    let shapes = |source: &PlannedInput, can| {
        let plan = plan(source, &to(can, CopyOptions::default())).unwrap();
        plan.variables[..3]
            .iter()
            .map(|v| shape(&v.layout).to_vec())
            .collect::<Vec<_>>()
    };
    let mut source = input(Kind::Netcdf4);
    source.layouts[0].storage = Storage::Chunked {
        shape: vec![512, 10, 30],
    };
    source.layouts[2].storage = Storage::Chunked { shape: vec![64, 64] };
    let plain = vec![10, 20];
    // Nothing that was unlimited is cut while it stays so.
    assert_eq!(
        shapes(&source, &GROWING_ARRAYS),
        [vec![512, 10, 30], plain.clone(), vec![64, 64]]
    );
    // A dimension that becomes fixed cuts its chunks.
    assert_eq!(
        shapes(&source, &ARRAYS),
        [vec![3, 10, 30], plain.clone(), vec![64, 64]]
    );
    // HDF5 has no such chunks.
    let hdf5 = plan(&source, &CopyOptions::default()).unwrap();
    assert_eq!(shape(&hdf5.variables[0].layout), [512, 10, 20]);
    assert_eq!(shape(&hdf5.variables[2].layout), [10, 20]);
    assert_eq!(
        shapes(&source, &CHUNK_STORE),
        [vec![3, 10, 20], plain, vec![10, 20]]
    );
}

#[test]
fn what_cannot_be_in_one_piece_is_one_chunk_or_default_chunks() {
    let shapes = |from, options: &[&str]| {
        let plan = plan(&input(from), &to(&GROWING_ARRAYS, chunks(options))).unwrap();
        plan.variables
            .iter()
            .map(|v| shape(&v.layout).to_vec())
            .collect::<Vec<_>>()
    };
    let scalar = Vec::new;
    // A record variable gets no chunks of one record.
    assert_eq!(
        shapes(Kind::Classic, &[]),
        [vec![3, 10, 20], vec![10, 20], vec![10, 20], scalar()]
    );
    for asked in ["/", "deflated:"] {
        assert_eq!(shapes(Kind::Netcdf4, &[asked])[0], [3, 10, 20]);
    }
    assert_eq!(shapes(Kind::Netcdf4, &["checked:compact"])[2], [10, 20]);
    let mut large = input(Kind::Classic);
    large.schema.dims[0].length = 5000;
    large.schema.dims[2].length = 5000;
    let plan = plan(&large, &to(&GROWING_ARRAYS, CopyOptions::default())).unwrap();
    let lengths = [5000, 10, 5000].map(|length| (length, false));
    assert_eq!(
        shape(&plan.variables[0].layout),
        netcdf_c_chunk_shape(4, &lengths)
    );
    // The filters of one chunk stay, and so do those of a scalar.
    let mut source = input(Kind::Netcdf4);
    source.layouts[3].storage = Storage::Chunked { shape: scalar() };
    source.layouts[3].filters = vec![filter(1, &[2])];
    let plan = super::plan(&source, &to(&GROWING_ARRAYS, chunks(&["checked:"]))).unwrap();
    let count = |n: usize| plan.variables[n].layout.filters.len();
    assert_eq!((count(2), count(3)), (3, 1));
}
