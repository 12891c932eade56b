//! Pages for users name the codecs of the registry. docs/formats/filters.md is made of it: `NCUTILS_BLESS=1 cargo test -p ncutils-filter --test all filters_page` writes it anew.

use std::fmt::Write;
use std::path::Path;

use ncutils_filter::{ChunkType, Codec, NumberClass, Registry, listed_members};
use ncutils_model::{Endian, ZarrVersion};

const HEAD: &str = "# All filters

The filters of HDF5 that are built in: name, HDF5's id, names in Zarr version 2 and 3, and whether a chunk has the same bytes in HDF5 and Zarr. Copies pass such chunks as they are.
Parameters follow, as in `zstd,3`; then those with names, as in `zstd,level=3`, which are members of the configuration in Zarr.

[The reference](../reference/filters.md) explains the parameters, and lists the codecs that only Zarr has. `ncdump --filters` also lists plugins.

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

/// The line of a codec that HDF5 has.
fn row(codec: &dyn Codec, id: u32) -> String {
    let names = |version| codec.facts().zarr_names(version).map(|name| format!("`{name}`"));
    let mut zarr: Vec<_> = names(ZarrVersion::V2).collect();
    zarr.extend(
        names(ZarrVersion::V3)
            .filter(|name| !zarr.contains(name))
            .collect::<Vec<_>>(),
    );
    let same = match (zarr.is_empty(), has_same_bytes(codec)) {
        (true, _) => String::new(),
        (false, true) => format!("; {}, same bytes", zarr.join(", ")),
        (false, false) => format!("; {}, other bytes", zarr.join(", ")),
    };
    let members = listed_members(codec.facts().members);
    let named = match members.is_empty() {
        true => String::new(),
        false => format!(". By name: {members}"),
    };
    format!(
        "- **{}** ({id}{same}): {}{named}",
        codec.name(),
        codec.facts().parameters_help
    )
}

#[test]
fn the_page_lists_the_registry() {
    let mut page = HEAD.to_owned();
    for codec in Registry::builtin().iter() {
        if let Some(id) = codec.hdf5_id() {
            writeln!(page, "{}", row(codec.as_ref(), id)).unwrap();
        }
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
    for codec in Registry::builtin()
        .iter()
        .filter(|codec| codec.hdf5_id().is_none())
    {
        let begin = format!("- `{}`", codec.name());
        let row = page.lines().find(|line| line.starts_with(&begin));
        let row = row.unwrap_or_else(|| panic!("docs/reference/filters.md has no line of {}", codec.name()));
        for member in codec.facts().parameters_help.split(", ") {
            assert!(
                row.contains(member),
                "docs/reference/filters.md lacks {member}: {row}"
            );
        }
    }
}
