//! Pages for users name the codecs of the registry. docs/formats/filters.md is made of it: `NCUTILS_BLESS=1 cargo test -p ncutils-filter --test all filters_page` writes it anew.

use std::fmt::Write;
use std::path::Path;

use ncutils_filter::{ChunkType, Codec, NumberClass, Registry, listed_members};
use ncutils_model::{Endian, ZarrVersion};

const HEAD: &str = "# All filters

What is built in, read and written. This page is made of the program's own list; [the reference](../reference/filters.md) tells how filters are
asked for, and what their parameters mean. Filters that are not here come from plugins: `ncdump --filters` lists those as well.

\"Same bytes\" tells whether a chunk that HDF5 stores is the chunk that Zarr stores, so that a copy between the two passes it as it is.

\"Parameters\" are the numbers after an id or name, as in `zstd,3`. \"Named parameters\" can be given in place of numbers, as in
`zstd,level=3`, and are the members of the configuration in Zarr.

| HDF5 id | name | Zarr version 2 | Zarr version 3 | parameters | named parameters | same bytes |
| --- | --- | --- | --- | --- | --- | --- |
";

/// True if some parameters have a form in Zarr.
fn has_same_bytes(codec: &dyn Codec) -> bool {
    let chunk = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[10]);
    [&[][..], &[5], &[4, 8], &[0, 0, 0, 0, 5, 1, 0]]
        .iter()
        .any(|visible| {
            let words = codec.working_parameters(visible, &chunk);
            words.is_ok_and(|words| codec.configuration(ZarrVersion::V2, &words, &chunk).is_some())
        })
}

fn row(codec: &dyn Codec) -> String {
    let names = |version| {
        let names = codec.facts().zarr_names(version).map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let (v2, v3) = (names(ZarrVersion::V2), names(ZarrVersion::V3));
    let same = match (codec.hdf5_id(), v2.is_empty() && v3.is_empty()) {
        (Some(_), false) if has_same_bytes(codec) => "yes",
        (Some(_), false) => "no",
        _ => "",
    };
    let id = codec.hdf5_id().map(|id| id.to_string()).unwrap_or_default();
    let name = codec.name();
    // Codecs without an id have no other parameters than those with names.
    let (parameters, members) = match codec.hdf5_id() {
        Some(_) => (
            codec.facts().parameters_help,
            listed_members(codec.facts().members),
        ),
        None => ("", codec.facts().parameters_help.to_owned()),
    };
    format!("| {id} | {name} | {v2} | {v3} | {parameters} | {members} | {same} |")
}

#[test]
fn the_page_lists_the_registry() {
    let mut page = HEAD.to_owned();
    for codec in Registry::builtin().iter() {
        writeln!(page, "{}", row(codec.as_ref())).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/filters.md");
    if std::env::var_os("NCUTILS_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(page, committed, "NCUTILS_BLESS=1 writes the page anew");
}

#[test]
fn the_reference_explains_the_codecs_that_only_zarr_has() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/filters.md");
    let page = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = page.lines().map(|line| line.split(" |").collect()).collect();
    for codec in Registry::builtin()
        .iter()
        .filter(|codec| codec.hdf5_id().is_none())
    {
        let cell = format!(" `{}`", codec.name());
        let is_row = |row: &&Vec<&str>| row.len() == 5 && row[..2].iter().any(|name| name.ends_with(&cell));
        let row = rows.iter().find(is_row);
        let row = row.unwrap_or_else(|| panic!("docs/reference/filters.md has no row of {}", codec.name()));
        for member in codec.facts().parameters_help.split(", ") {
            assert!(
                row[3].contains(member),
                "docs/reference/filters.md lacks {member}: {row:?}"
            );
        }
    }
}
