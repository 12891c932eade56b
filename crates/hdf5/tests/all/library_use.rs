//! What a program does that uses the crate to read data.

use std::path::{Path, PathBuf};

use ncutils_hdf5::{Encoded, Error, File, Layout, Limits, ObjectKind, OpenOptions};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn open(name: &str, options: &OpenOptions) -> File {
    options.open(std::fs::File::open(data(name)).unwrap()).unwrap()
}

#[test]
fn objects_are_found_by_path() {
    let file = open("structure/earliest.h5", &OpenOptions::new());
    let at = |path: &str| file.open_path(path).map(|object| object.address);
    assert_eq!(at("").unwrap(), file.root());
    assert_eq!(at("/").unwrap(), file.root());
    let scalar = at("scalar").unwrap();
    for path in [
        "/scalar",
        "//./scalar/",
        "/group/inner/soft",
        "group//inner/./soft",
    ] {
        assert_eq!(at(path).unwrap(), scalar, "{path}");
    }
    assert_eq!(file.open_path("/group").unwrap().kind, ObjectKind::Group);
    for path in [
        "/absent",
        "/group/absent",
        "/scalar/x",
        "/group/inner/soft/x",
        "/group/soft",
    ] {
        let found = at(path);
        assert!(matches!(found, Err(Error::NotFound(_))), "{path}: {found:?}");
    }
    assert!(matches!(at("/group/inner/external"), Err(Error::Unsupported(_))));
}

#[test]
fn paths_are_limited() {
    let mut limits = Limits::default();
    limits.links_followed = 0;
    let file = open("structure/earliest.h5", &OpenOptions::new().limits(limits));
    assert!(file.open_path("/scalar").is_ok());
    assert!(matches!(
        file.open_path("/group/inner/soft"),
        Err(Error::Limit(_))
    ));
    assert!(matches!(
        file.open_path(&"/".repeat(1 << 20)),
        Err(Error::Limit(_))
    ));
}

#[test]
fn misuse_is_not_damage() {
    let file = open("structure/earliest.h5", &OpenOptions::new());
    let root = file.open_path("/").unwrap();
    let scalar = file.open_path("/scalar").unwrap();
    let dataset = file.dataset(&scalar).unwrap();
    assert!(matches!(file.dataset(&root), Err(Error::Usage(_))));
    assert!(matches!(file.named_datatype(&scalar), Err(Error::Usage(_))));
    assert!(matches!(file.chunk_table(&dataset), Err(Error::Usage(_))));
    assert!(matches!(file.read_values::<u16>(&dataset), Err(Error::Usage(_))));
}

#[test]
fn chunks_and_values_are_the_same_bytes() {
    let file = open("chunk_indexes_v110.h5", &OpenOptions::new());
    let dataset = file.dataset(&file.open_path("/small").unwrap()).unwrap();
    let Layout::Chunked(layout) = &dataset.layout else {
        panic!("{dataset:?}")
    };
    assert_eq!(
        (dataset.dataspace.dims(), &layout.shape[..]),
        (&[7, 10][..], &[3, 4][..])
    );
    let values: Vec<u8> = file.read_values(&dataset).unwrap();
    let table = file.chunk_table(&dataset).unwrap();
    for (row, column) in (0..7).flat_map(|row| (0..10).map(move |column| (row, column))) {
        let chunk = file.read_chunk(&table, &[row / 3, column / 4]).unwrap().unwrap();
        assert_eq!((chunk.bytes.len(), chunk.filter_mask), (12, 0));
        assert_eq!(
            values[(row * 10 + column) as usize],
            chunk.bytes[(row % 3 * 4 + column % 4) as usize]
        );
    }
    for outside in [&[3, 0][..], &[0, 3], &[0], &[]] {
        assert!(matches!(file.read_chunk(&table, outside), Err(Error::Usage(_))));
    }
}

#[test]
fn one_decoder_serves_chunks() {
    let decoder = |encoded: &Encoded<'_>| match encoded.filters {
        [filter] if filter.id == 1 && encoded.mask == 0 => Ok(vec![encoded.element_size as u8; encoded.size]),
        other => Err(format!("{other:?}")),
    };
    let file = open("chunk_indexes_v110.h5", &OpenOptions::new().decoder(decoder));
    let dataset = file.dataset(&file.open_path("/small_filtered").unwrap()).unwrap();
    assert_eq!(file.read_values::<u8>(&dataset).unwrap(), [1; 70]);
    let masked = file.dataset(&file.open_path("/masked").unwrap()).unwrap();
    assert!(matches!(file.read_elements(&masked), Err(Error::Filter { .. })));

    let without = open("chunk_indexes_v110.h5", &OpenOptions::new());
    assert!(matches!(
        without.read_elements(&dataset),
        Err(Error::Unsupported(_))
    ));
}

#[test]
fn a_dataset_is_not_larger_than_the_limit() {
    let mut limits = Limits::default();
    limits.dataset_bytes = 69;
    let file = open("chunk_indexes_v110.h5", &OpenOptions::new().limits(limits));
    let dataset = file.dataset(&file.open_path("/small").unwrap()).unwrap();
    assert!(matches!(file.read_elements(&dataset), Err(Error::Limit(_))));
}

#[test]
fn a_message_says_the_cause_once() {
    let error = Error::Io {
        what: "raw data",
        offset: 7,
        cause: std::io::Error::other("no answer"),
    };
    assert_eq!(error.to_string(), "raw data at byte 7: no answer");
    assert!(std::error::Error::source(&error).is_none());
}
