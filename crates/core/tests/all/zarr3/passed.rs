//! Chunks that pass untouched between formats, and between shards of different shapes.

use std::sync::atomic::Ordering;

use ncutils_core::filter::spec;

use super::*;

/// Holes in three of the six planes, which are whole shards of some copies.
fn holes(z: u64, y: u64) -> bool {
    z == 4 || z == 16 && y < 14
}

/// Copies of the source whose chunks passed these filters: netCDF-4, version 2, version 3 without shards, and with them.
fn sources(filters: &str, registry: &Registry) -> Vec<(&'static str, Stored)> {
    let source = source(holes);
    let flat = CopyOptions {
        filters: vec![spec::parse(filters).unwrap()],
        skip_fill: true,
        ..to_shards("none", IndexLocation::End, registry)
    };
    let flat = copied(&*source, &flat).stored;
    let netcdf4 = copied(&*flat.open(registry), &to(Kind::Netcdf4, registry)).stored;
    let reader = netcdf4.open(registry);
    let copy = |options: CopyOptions| copied(&*reader, &options).stored;
    vec![
        ("version 2", copy(to(Kind::Zarr2, registry))),
        ("flat version 3", flat),
        (
            "shards",
            copy(to_shards("z/8,y/14", IndexLocation::End, registry)),
        ),
        (
            "shards with the index first",
            copy(to_shards("z/12,x/5", IndexLocation::Start, registry)),
        ),
        ("netCDF-4", netcdf4),
    ]
}

/// Options of copies that leave all chunks as they are.
fn targets(registry: &Registry) -> Vec<(&'static str, CopyOptions)> {
    vec![
        ("shards", to_shards("z/4,y/14,x/10", IndexLocation::End, registry)),
        (
            "shards with the index first",
            to_shards("z/4,y/14,x/10", IndexLocation::Start, registry),
        ),
        ("one shard", to_shards("z/,y/,x/", IndexLocation::End, registry)),
        ("small shards", to_shards("1000", IndexLocation::Start, registry)),
        ("flat version 3", to_shards("none", IndexLocation::End, registry)),
        ("version 2", to(Kind::Zarr2, registry)),
        ("netCDF-4", to(Kind::Netcdf4, registry)),
    ]
}

#[test]
fn no_codec_is_called_in_any_direction() {
    let (registry, calls) = counted::registry();
    let sources = sources("*,40001", &registry);
    let all = chunks(&*sources[0].1.open(&registry));
    // Six planes of 5 by 2 chunks, of which a whole one and two rows are missing, twice.
    assert_eq!(all.len(), 2 * (60 - 10 - 4));
    assert!(calls.swap(0, Ordering::SeqCst) > 0);
    for (from, source) in &sources {
        let reader = source.open(&registry);
        for (to, options) in targets(&registry) {
            for zip in [false, true] {
                if zip && options.kind == Some(Kind::Netcdf4) {
                    continue;
                }
                let copied = copy_with(&*reader, &options, &RunOptions::default(), zip).unwrap();
                assert!(
                    copied.routes.iter().all(|route| *route == RouteName::Raw),
                    "{from} to {to}"
                );
                let output = copied.stored.open(&registry);
                assert!(chunks(&*output) == all, "{from} to {to}: other chunks");
            }
        }
    }
    assert_eq!(calls.load(Ordering::SeqCst), 0, "codecs were called");
    let expected = text(&*sources[0].1.open(&registry));
    for (name, stored) in &sources {
        assert_eq!(text(&*stored.open(&registry)), expected, "{name}");
    }
}

#[test]
fn deflated_chunks_pass_under_the_names_of_each_format() {
    let registry = Registry::builtin();
    let sources = sources("*,2,4|1,4", &registry);
    let all = chunks(&*sources[0].1.open(&registry));
    assert_eq!(all.len(), 2 * (60 - 10 - 4));
    for (from, source) in &sources {
        let reader = source.open(&registry);
        assert!(chunks(&*reader) == all, "{from}");
        for (to, options) in targets(&registry) {
            let output = copied(&*reader, &options);
            assert!(
                output.routes.iter().all(|route| *route == RouteName::Raw),
                "{from} to {to}"
            );
            assert!(chunks(&*output.stored.open(&registry)) == all, "{from} to {to}");
        }
    }
}

#[test]
fn chunks_of_an_unknown_codec_pass_from_shards_to_shards() {
    let (known, _) = counted::registry();
    let builtin = Registry::builtin();
    let sources = sources("*,40001", &known);
    let all = chunks(&*sources[0].1.open(&known));
    for (from, source) in &sources {
        let reader = source.open(&builtin);
        for (to, options) in targets(&builtin) {
            let copied = copy_with(&*reader, &options, &RunOptions::default(), false);
            let version = |name: &str| match name {
                "version 2" => 2,
                "netCDF-4" => 4,
                _ => 3,
            };
            // A codec that is not known has no name in another format.
            if version(from) != version(to) {
                let error = copied.err().unwrap().to_string();
                assert!(
                    error.contains("40001") || error.contains(counted::NAME),
                    "{error}"
                );
                assert!(error.contains("variable"), "{error}");
                continue;
            }
            assert!(
                chunks(&*copied.unwrap().stored.open(&builtin)) == all,
                "{from} to {to}"
            );
        }
    }
}
