//! Chunk indexes against what libhdf5 says of the same files, which `data/chunk_indexes.py` made and asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ncutils_hdf5::{
    ChunkIndex, ChunkRecord, ChunkTable, Dataset, File, Layout, Limits, LinkTarget, OpenOptions,
};

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn open(name: &str) -> File {
    File::open(Arc::new(std::fs::read(data(name)).unwrap())).unwrap()
}

/// A file of whose chunk indexes as little as possible is kept in memory.
fn open_with_little_memory(name: &str) -> File {
    let mut limits = Limits::default();
    limits.chunks_in_memory = 0;
    let bytes = Arc::new(std::fs::read(data(name)).unwrap());
    OpenOptions::new().limits(limits).open(bytes).unwrap()
}

fn datasets(file: &File) -> BTreeMap<String, Dataset> {
    let root = file.object(file.root()).unwrap();
    let links = file.links(&root).unwrap().links;
    links
        .into_iter()
        .map(|link| {
            let LinkTarget::Hard(address) = link.target else {
                panic!("{link:?}")
            };
            (link.name, file.dataset(&file.object(address).unwrap()).unwrap())
        })
        .collect()
}

fn expected(name: &str) -> BTreeMap<String, Vec<ChunkRecord>> {
    let mut datasets: BTreeMap<String, Vec<ChunkRecord>> = BTreeMap::new();
    for line in std::fs::read_to_string(data(name)).unwrap().lines() {
        let mut words = line.split(' ');
        let chunks = datasets.entry(words.next().unwrap().into()).or_default();
        let numbers: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
        if let [index, address, size, mask] = numbers[..] {
            chunks.push(ChunkRecord {
                index,
                address,
                size,
                filter_mask: mask.try_into().unwrap(),
            });
        }
    }
    datasets
}

/// Compares every dataset of a file, and counts the datasets with each kind of index.
fn compare(version: &str) -> BTreeMap<&'static str, usize> {
    let name = format!("chunk_indexes_{version}.h5");
    let (file, little) = (open(&name), open_with_little_memory(&name));
    let mut expected = expected(&format!("chunk_indexes_{version}.chunks"));
    // h5py tells addresses in the source.
    for chunk in expected.values_mut().flatten() {
        chunk.address -= file.user_block_size();
    }
    let datasets = datasets(&file);
    assert!(datasets.keys().eq(expected.keys()));
    let mut kinds = BTreeMap::new();
    for (name, dataset) in &datasets {
        let table = file.chunk_table(dataset).unwrap();
        assert_eq!(
            table.iter().collect::<Result<Vec<_>, _>>().unwrap(),
            expected[name],
            "{version} {name}"
        );
        assert_eq!(table.len(), expected[name].len(), "{version} {name}");
        assert_eq!(table.is_empty(), expected[name].is_empty());
        check_get(&table, &expected[name]);
        let read_again = little.chunk_table(dataset).unwrap();
        let chunks: Result<Vec<_>, _> = read_again.iter().collect();
        assert_eq!(chunks.unwrap(), expected[name], "{version} {name}");
        assert_eq!(read_again.len(), table.len());
        check_get(&read_again, &expected[name]);
        *kinds.entry(kind(dataset)).or_default() += 1;
    }
    kinds
}

fn check_get(table: &ChunkTable, expected: &[ChunkRecord]) {
    let end = expected.last().map_or(0, |last| last.index + 2);
    let mut stored = expected.iter().peekable();
    for index in 0..end {
        assert_eq!(
            table.get(index).unwrap(),
            stored.next_if(|chunk| chunk.index == index).copied()
        );
    }
    assert_eq!(table.get(u64::MAX).unwrap(), None);
}

fn kind(dataset: &Dataset) -> &'static str {
    let Layout::Chunked(layout) = &dataset.layout else {
        panic!("{:?}", dataset.layout)
    };
    match layout.index {
        ChunkIndex::Unallocated => "unallocated",
        ChunkIndex::BtreeV1 { .. } => "v1 B-tree",
        ChunkIndex::Single { .. } => "single",
        ChunkIndex::Implicit { .. } => "implicit",
        ChunkIndex::FixedArray { .. } => "fixed array",
        ChunkIndex::ExtensibleArray { .. } => "extensible array",
        ChunkIndex::BtreeV2 { .. } => "v2 B-tree",
        other => panic!("{other:?}"),
    }
}

#[test]
fn version_1_btrees() {
    let kinds = compare("earliest");
    assert_eq!(kinds["v1 B-tree"], 6);
}

#[test]
fn indexes_of_layout_version_4() {
    let kinds = compare("v110");
    for kind in [
        "single",
        "implicit",
        "fixed array",
        "extensible array",
        "v2 B-tree",
    ] {
        assert!(kinds[kind] >= 2, "{kind}: {kinds:?}");
    }
}

#[test]
fn indexes_of_layout_version_5() {
    let kinds = compare("latest");
    for kind in ["single", "fixed array", "extensible array", "v2 B-tree"] {
        assert!(kinds[kind] >= 1, "{kind}: {kinds:?}");
    }
}

/// The address of a chunk is one of the file, also behind a user block.
#[test]
fn addresses_count_from_where_the_file_begins() {
    let name = "chunk_indexes_v110.h5";
    let file = open(name);
    let bytes = std::fs::read(data(name)).unwrap();
    let chunks: Vec<_> = file
        .chunk_table(&datasets(&file)["small"])
        .unwrap()
        .iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(chunks.len(), 9);
    for (n, chunk) in chunks.into_iter().enumerate() {
        // The script gives the first element of the n-th chunk the value 7 n.
        let at = file.user_block_size() + chunk.address;
        assert_eq!(usize::from(bytes[at as usize]), 7 * n);
        let (mut first, mut stored) = ([0], Vec::new());
        file.read_at(chunk.address, &mut first).unwrap();
        file.read_stored(&chunk, &mut stored).unwrap();
        assert_eq!(usize::from(first[0]), 7 * n);
        assert_eq!((stored[0], stored.len() as u64), (first[0], chunk.size));
    }
}

#[test]
fn a_chunk_past_the_end_of_the_file_is_an_error() {
    let name = "chunk_indexes_v110.h5";
    let mut bytes = std::fs::read(data(name)).unwrap();
    let file = open(name);
    let dataset = &datasets(&file)["one"];
    let Layout::Chunked(layout) = &dataset.layout else {
        panic!("{dataset:?}")
    };
    let ChunkIndex::Single { address, .. } = layout.index else {
        panic!("{layout:?}")
    };
    // The source is cut within the only chunk; the superblock has been read by then.
    bytes.truncate(512 + address as usize + 2);
    let cut = File::open(Arc::new(bytes)).map(|file| file.chunk_table(dataset).map(|table| table.len()));
    assert!(!matches!(cut, Ok(Ok(_))), "{cut:?}");
}

/// What `file` has of each dataset, after the headers of indexes at `places` are overwritten.
fn tables_without(bytes: &[u8], places: &[usize]) -> BTreeMap<String, Vec<ChunkRecord>> {
    let mut damaged = bytes.to_vec();
    for place in places {
        damaged[*place..place + 16].fill(0xa5);
    }
    let (file, _) = OpenOptions::new()
        .recovering()
        .open(damaged)
        .unwrap()
        .tolerating();
    let table = |dataset: &Dataset| file.chunk_table_of_damaged(dataset).unwrap().0;
    let datasets = datasets(&file).into_iter();
    datasets
        .map(|(name, dataset)| (name, table(&dataset).iter().map(Result::unwrap).collect()))
        .collect()
}

/// Blocks of arrays name their header, and a node of a tree fits one dataset of these files.
#[test]
fn the_headers_of_indexes_are_not_needed() {
    for version in ["v110", "latest"] {
        let bytes = std::fs::read(data(&format!("chunk_indexes_{version}.h5"))).unwrap();
        let whole = tables_without(&bytes, &[]);
        let all = |signature: &[u8]| -> Vec<usize> {
            let windows = bytes.windows(4).enumerate();
            windows
                .filter_map(|(at, window)| (window == signature).then_some(at))
                .collect()
        };
        let (fixed, extensible, trees) = (all(b"FAHD"), all(b"EAHD"), all(b"BTHD"));
        assert!(!fixed.is_empty() && !extensible.is_empty() && !trees.is_empty());
        assert_eq!(
            tables_without(&bytes, &[fixed, extensible].concat()),
            whole,
            "{version}"
        );
        for tree in trees {
            assert_eq!(tables_without(&bytes, &[tree]), whole, "{version} at byte {tree}");
        }
    }
}
