//! References that other programs wrote: `testdata/references`.

use std::path::Path;

use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::VarId;

/// Opens a dataset of references by its name and fragment.
fn open(name: &str) -> ncutils_core::Result<Box<dyn Reader>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/references");
    Location::parse(folder.join(name))?.open()
}

/// The first bytes of a variable's values.
fn bytes(reader: &dyn Reader, name: &str) -> ncutils_core::Result<Vec<u8>> {
    let schema = reader.schema();
    let vars = (0..schema.vars.len()).map(VarId);
    let var = vars
        .into_iter()
        .find(|var| schema.var_path(*var) == name)
        .unwrap();
    let region = ncutils_core::format::Region::whole(&schema.shape(var));
    Ok(reader.read_region(var, &region)?.bytes)
}

#[test]
fn snapshots_of_version_2_are_read_by_branch_and_tag() {
    for (fragment, number) in [
        ("", 4),
        ("#mode=icechunk&branch=other", 3),
        ("#mode=icechunk&tag=t", 3),
        ("#mode=icechunk&snapshot=JTHWPBGHJY2H0RDK1Q6G", 4),
    ] {
        let reader = open(&format!("icechunk/version-2{fragment}")).unwrap();
        assert_eq!(
            bytes(&*reader, "s").unwrap(),
            i16::to_le_bytes(number),
            "{fragment}"
        );
        let wide = bytes(&*reader, "/g/w").unwrap();
        assert_eq!(wide, [7i64; 4].map(i64::to_le_bytes).concat());
        // Virtual chunks lie in files that are not here.
        let error = bytes(&*reader, "v").unwrap_err().to_string();
        assert!(error.contains("the reference to /data/"), "{error}");
    }
    let error = open("icechunk/version-2#mode=icechunk&tag=u")
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("no tag u; it has the branches main, other and the tags t"),
        "{error}"
    );
}

#[test]
fn locations_in_named_containers_are_found_by_the_settings() {
    for name in ["named-1", "named-2"] {
        let reader = open(&format!("icechunk/{name}")).unwrap();
        let error = bytes(&*reader, "named").unwrap_err().to_string();
        let told = "the reference to /data/sub/data.bin, bytes 4 to 36";
        assert!(error.contains(told), "{error}");
        let error = bytes(&*reader, "lost").unwrap_err().to_string();
        assert!(error.contains("container other"), "{error}");
    }
}

#[test]
fn parquet_of_all_forms_has_the_same_places() {
    for form in ["plain", "zstd", "dictionary"] {
        for pages in [1, 2] {
            let reader = open(&format!("parquet/{form}-{pages}")).unwrap();
            let error = bytes(&*reader, "v").unwrap_err().to_string();
            assert!(
                error.contains("the reference to /data/a.nc, bytes 10 to 15"),
                "{error}"
            );
        }
    }
}
