//! Writes files that between them use every structure of the writer, for `tests/interop/hdf5_writer.py` to check with
//! libhdf5.
//!
//! ```text
//! h5make FOLDER [NAME]...
//! ```
//!
//! With no name all are written but `chunks_1000000`, which takes libhdf5 minutes to check.
//!
//! Values follow from positions, so that the check knows them: element `i` of any integer dataset is `i`.

mod tree;
mod types;

use std::path::Path;

use ncutils_hdf5::{
    Data, DatasetSpec, Dataspace, FillSpec, FillTime, Filter, LayoutSpec, ObjectId, ObjectSpecKind, Result,
};

use tree::{FileTreeBuilder, ROOT, contiguous, int, ints, spec};

/// A group `g` of so many datasets, named by number, each an integer of that value.
fn links(path: &Path, count: usize) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let group = tree.group(ROOT, "g");
    for i in 0..count {
        tree.dataset(group, &format!("variable_{i}"), contiguous(int(), &[1], true));
    }
    let writer = tree.writer(path)?;
    for i in 0..count {
        writer.write_storage(ObjectId(2 + i), 0, &(i as i32).to_le_bytes())?;
    }
    writer.finish()
}

/// Names from 1 to 6,000 bytes, every other one in Greek.
fn names(path: &Path) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let dataset = tree.dataset(ROOT, "d", contiguous(int(), &[1], true));
    let group = tree.group(ROOT, "g");
    for i in 0..60 {
        let letter = if i % 2 == 0 { "n" } else { "ν" };
        tree.link(group, &format!("{i}{}", letter.repeat(i * 50)), dataset);
    }
    tree.writer(path)?.finish()
}

/// A dataset `d` with so many attributes, named by number, each of that value.
fn attributes(path: &Path, count: i32) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let dataset = tree.dataset(ROOT, "d", contiguous(int(), &[1], true));
    for i in 0..count {
        tree.attribute(
            dataset,
            &format!("attribute_{i}"),
            int(),
            &[1],
            Data::plain(ints(i..i + 1)),
        );
    }
    tree.writer(path)?.finish()
}

/// Attributes of sizes from nothing to 20 MB on the root, a group, a dataset and a committed datatype.
fn large_attributes(path: &Path) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let group = tree.group(ROOT, "g");
    let dataset = tree.dataset(ROOT, "d", contiguous(int(), &[1], true));
    let datatype = tree.add(ROOT, "t", ObjectSpecKind::NamedDatatype(int()));
    for (id, lengths) in [
        (ROOT, &[25_000, 250_000, 5_000_000][..]),
        (group, &[16_385]),
        (
            dataset,
            &[
                0, 1, 100, 1_000, 1_010, 1_020, 1_030, 3_000, 10_000, 15_000, 20_000,
            ],
        ),
        (datatype, &[10_000, 3]),
    ] {
        for length in lengths {
            tree.attribute(
                id,
                &format!("of{length}"),
                int(),
                &[*length as u64],
                Data::plain(ints(0..*length)),
            );
        }
    }
    tree.writer(path)?.finish()
}

/// Growing datasets `one` (chunks of one element) and `two` (chunks of 2 x 3 in rows of 7), of so many chunks, and
/// `half`, of which every other chunk is stored.
fn chunks(path: &Path, count: u64) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let growing = |dims: &[u64], shape: &[u64], chunk_count| DatasetSpec {
        dataspace: Dataspace::Simple {
            dims: dims.to_vec(),
            max_dims: dims
                .iter()
                .enumerate()
                .map(|(i, d)| (i > 0).then_some(*d))
                .collect(),
        },
        fill: FillSpec::Defined(Box::new(Data::plain((-9i32).to_le_bytes().to_vec()))),
        ..spec(
            int(),
            dims,
            LayoutSpec::Chunked {
                shape: shape.to_vec(),
                chunk_count,
            },
        )
    };
    let rows = count.div_ceil(3) * 2;
    let one = tree.dataset(ROOT, "one", growing(&[count], &[1], count));
    let two = tree.dataset(ROOT, "two", growing(&[rows, 7], &[2, 3], rows / 2 * 3));
    // Room for all is planned, half of it is used.
    let half = tree.dataset(ROOT, "half", growing(&[count], &[1], count));
    let writer = tree.writer(path)?;
    // Chunks may come in any order.
    for chunk in (0..count).rev() {
        let at = writer.reserve_chunk(one, chunk, 4, 0)?;
        writer.write_at(at, &ints(chunk as i32..chunk as i32 + 1))?;
    }
    for chunk in 0..rows / 2 * 3 {
        let (row, column) = (chunk / 3 * 2, chunk % 3 * 3);
        let mut bytes = Vec::new();
        for r in row..row + 2 {
            for c in column..column + 3 {
                bytes.extend(((r * 7 + c) as i32).to_le_bytes());
            }
        }
        let at = writer.reserve_chunk(two, chunk, 24, 0)?;
        writer.write_at(at, &bytes)?;
    }
    for chunk in (0..count).step_by(2) {
        let at = writer.reserve_chunk(half, chunk, 4, 0)?;
        writer.write_at(at, &ints(chunk as i32..chunk as i32 + 1))?;
    }
    writer.finish()
}

/// Layouts, fill values and filters.
fn storage(path: &Path) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let fill = FillSpec::Defined(Box::new(Data::plain(7i32.to_le_bytes().to_vec())));
    let size = 40_000;
    let compact = tree.dataset(
        ROOT,
        "compact",
        spec(int(), &[10_000], LayoutSpec::Compact { size }),
    );
    let run = tree.dataset(ROOT, "contiguous", contiguous(int(), &[100, 1000], true));
    for (name, fill, fill_time) in [
        ("unallocated", fill.clone(), FillTime::IfSet),
        ("never", fill.clone(), FillTime::Never),
        ("undefined", FillSpec::Undefined, FillTime::Alloc),
    ] {
        let mut spec = contiguous(int(), &[5], false);
        spec.fill = fill;
        spec.fill_time = fill_time;
        tree.dataset(ROOT, name, spec);
    }
    tree.dataset(ROOT, "empty", contiguous(int(), &[0], true));
    let scalar = tree.dataset(
        ROOT,
        "scalar",
        DatasetSpec {
            dataspace: Dataspace::Scalar,
            ..contiguous(int(), &[], true)
        },
    );
    tree.dataset(
        ROOT,
        "null",
        DatasetSpec {
            dataspace: Dataspace::Null,
            ..contiguous(int(), &[0], false)
        },
    );
    let filter = |id, name: &str, parameters: &[u32]| Filter {
        id,
        optional: true,
        name: name.into(),
        parameters: parameters.to_vec(),
    };
    let filtered = tree.dataset(
        ROOT,
        "filtered",
        DatasetSpec {
            filters: vec![
                filter(2, "shuffle", &[4]),
                filter(1, "deflate", &[6]),
                filter(40_000, "an own filter", &[1, 2, 3]),
            ],
            ..spec(
                int(),
                &[100],
                LayoutSpec::Chunked {
                    shape: vec![10],
                    chunk_count: 10,
                },
            )
        },
    );
    let writer = tree.writer(path)?;
    writer.write_storage(compact, 20_000, &ints(5_000..10_000))?;
    writer.write_storage(compact, 0, &ints(0..5_000))?;
    std::thread::scope(|scope| {
        for part in 0..10 {
            let writer = &writer;
            scope.spawn(move || {
                let bytes = ints(part * 10_000..(part + 1) * 10_000);
                writer
                    .write_storage(run, part as u64 * 40_000, &bytes)
                    .expect("it is inside");
            });
        }
    });
    writer.write_storage(scalar, 0, &ints(42..43))?;
    for chunk in 0..10 {
        // No filter was applied to any of them.
        let at = writer.reserve_chunk(filtered, chunk, 40, 0b111)?;
        writer.write_at(at, &ints(chunk as i32 * 10..chunk as i32 * 10 + 10))?;
    }
    writer.finish()
}

/// Groups in groups, hard links that form a cycle, and groups with nothing in them.
fn groups(path: &Path) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
    let mut at = ROOT;
    for depth in 0..20 {
        at = tree.group(at, &format!("depth{depth}"));
        tree.group(at, "empty");
    }
    tree.link(at, "up", ROOT);
    tree.writer(path)?.finish()
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: h5make FOLDER [NAME]...");
    let only: Vec<String> = arguments.collect();
    let write = |name: String, make: &dyn Fn(&Path) -> Result<()>| {
        let slow_to_check = name == "chunks_1000000";
        if !only.contains(&name) && (slow_to_check || !only.is_empty()) {
            return Ok(());
        }
        make(&Path::new(&folder).join(format!("{name}.h5")))
    };
    for count in [0, 1, 8, 9, 100, 10_000, 100_000] {
        write(format!("links_{count}"), &|path| links(path, count))?;
    }
    for count in [0, 1, 8, 9, 100, 1_000, 10_000, 65_535] {
        write(format!("attributes_{count}"), &|path| attributes(path, count))?;
    }
    for count in [0, 1, 64, 65, 4_096, 100_000, 1_000_000] {
        write(format!("chunks_{count}"), &|path| chunks(path, count))?;
    }
    write("names".into(), &names)?;
    write("large_attributes".into(), &large_attributes)?;
    write("storage".into(), &storage)?;
    write("types".into(), &types::types)?;
    write("groups".into(), &groups)
}
