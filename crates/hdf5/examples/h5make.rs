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

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use ncutils_hdf5::{
    AllocationTime, AttributeSpec, ByteOrder, ByteSink, CharacterSet, Class, CompoundMember, Data,
    DatasetSpec, Dataspace, Datatype, DatatypeSpec, FileTree, FileWriter, FillSpec, FillTime, Filter,
    LayoutSpec, ObjectId, ObjectSpec, ObjectSpecKind, Result, StringPadding,
};

struct FileSink(File);

impl ByteSink for FileSink {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_len(size)
    }
}

/// A tree under construction; object 0 is the root group.
struct Tree(FileTree);

impl Tree {
    fn new() -> Self {
        Self(FileTree {
            objects: vec![ObjectSpec {
                kind: ObjectSpecKind::Group { links: Vec::new() },
                attributes: Vec::new(),
            }],
        })
    }

    fn add(&mut self, parent: ObjectId, name: &str, kind: ObjectSpecKind) -> ObjectId {
        let id = ObjectId(self.0.objects.len());
        self.0.objects.push(ObjectSpec {
            kind,
            attributes: Vec::new(),
        });
        self.link(parent, name, id);
        id
    }

    fn link(&mut self, parent: ObjectId, name: &str, target: ObjectId) {
        if let ObjectSpecKind::Group { links } = &mut self.0.objects[parent.0].kind {
            links.push((name.into(), target));
        }
    }

    fn group(&mut self, parent: ObjectId, name: &str) -> ObjectId {
        self.add(parent, name, ObjectSpecKind::Group { links: Vec::new() })
    }

    fn dataset(&mut self, parent: ObjectId, name: &str, spec: DatasetSpec) -> ObjectId {
        self.add(parent, name, ObjectSpecKind::Dataset(spec))
    }

    fn attribute(&mut self, id: ObjectId, name: &str, datatype: Datatype, dims: &[u64], data: Data) {
        self.0.objects[id.0].attributes.push(AttributeSpec {
            name: name.into(),
            datatype: DatatypeSpec::Inline(datatype),
            dataspace: Dataspace::fixed(dims),
            data,
        });
    }

    fn writer(self, path: &Path) -> Result<FileWriter> {
        let file = File::create(path).expect("the folder can be written");
        FileWriter::create(Arc::new(FileSink(file)), self.0)
    }
}

const ROOT: ObjectId = ObjectId(0);

fn int() -> Datatype {
    Datatype::integer(4, true, ByteOrder::Little)
}

fn spec(datatype: Datatype, dims: &[u64], layout: LayoutSpec) -> DatasetSpec {
    let allocation_time = match layout {
        LayoutSpec::Compact { .. } => AllocationTime::Early,
        LayoutSpec::Contiguous { .. } => AllocationTime::Late,
        LayoutSpec::Chunked { .. } => AllocationTime::Incremental,
    };
    DatasetSpec {
        datatype: DatatypeSpec::Inline(datatype),
        dataspace: Dataspace::fixed(dims),
        layout,
        allocation_time,
        fill_time: FillTime::IfSet,
        fill: FillSpec::Default,
        filters: Vec::new(),
    }
}

fn contiguous(datatype: Datatype, dims: &[u64], allocated: bool) -> DatasetSpec {
    let size = dims.iter().product::<u64>() * u64::from(datatype.size);
    spec(datatype, dims, LayoutSpec::Contiguous { size, allocated })
}

fn ints(range: std::ops::Range<i32>) -> Vec<u8> {
    range.flat_map(i32::to_le_bytes).collect()
}

/// A group `g` of so many datasets, named by number, each an integer of that value.
fn links(path: &Path, count: usize) -> Result<()> {
    let mut tree = Tree::new();
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
    let mut tree = Tree::new();
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
    let mut tree = Tree::new();
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
    let mut tree = Tree::new();
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
    let mut tree = Tree::new();
    let growing = |dims: &[u64], shape: &[u64], chunk_count| DatasetSpec {
        dataspace: Dataspace::Simple {
            dims: dims.to_vec(),
            max_dims: dims
                .iter()
                .enumerate()
                .map(|(i, d)| (i > 0).then_some(*d))
                .collect(),
        },
        fill: FillSpec::Defined(Data::plain((-9i32).to_le_bytes().to_vec())),
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
    let mut tree = Tree::new();
    let fill = FillSpec::Defined(Data::plain(7i32.to_le_bytes().to_vec()));
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

/// Types of every class, in attributes, datasets and committed.
fn types(path: &Path) -> Result<()> {
    let mut tree = Tree::new();
    let text = || Datatype::variable_string(CharacterSet::Utf8);
    let byte = || Datatype::integer(1, false, ByteOrder::Little);
    let member = |name: &str, offset, datatype| CompoundMember {
        name: name.into(),
        offset,
        datatype,
    };
    let compound = |size, members| Datatype {
        size,
        class: Class::Compound { members },
    };
    let enumeration = Datatype {
        size: 1,
        class: Class::Enumeration {
            base: Box::new(byte()),
            members: vec![("ZERO".into(), vec![0]), ("LARGE".into(), vec![255])],
        },
    };
    let inner = compound(
        12,
        vec![
            member("x", 0, int()),
            member("y", 4, Datatype::ieee(8, ByteOrder::Big)),
        ],
    );
    let outer = compound(
        300,
        vec![
            member("inner", 0, inner.clone()),
            member(
                "matrix",
                16,
                Datatype {
                    size: 48,
                    class: Class::Array {
                        dims: vec![3, 4],
                        base: Box::new(int()),
                    },
                },
            ),
            member(
                "tail",
                290,
                Datatype::string(10, StringPadding::NullPad, CharacterSet::Ascii),
            ),
        ],
    );
    let opaque = Datatype {
        size: 5,
        class: Class::Opaque {
            tag: "five bytes".into(),
        },
    };
    let committed = tree.add(ROOT, "compound_t", ObjectSpecKind::NamedDatatype(inner.clone()));
    for (name, datatype) in [
        ("enum_t", enumeration.clone()),
        ("outer_t", outer),
        ("opaque_t", opaque.clone()),
        ("vlen_t", Datatype::variable_length(int())),
        ("text_t", text()),
    ] {
        tree.add(ROOT, name, ObjectSpecKind::NamedDatatype(datatype));
    }
    let mut uses = contiguous(inner.clone(), &[2], true);
    uses.datatype = DatatypeSpec::Committed(committed, inner.clone());
    let user = tree.dataset(ROOT, "user", uses);
    tree.0.objects[user.0].attributes.push(AttributeSpec {
        name: "shared".into(),
        datatype: DatatypeSpec::Committed(committed, inner.clone()),
        dataspace: Dataspace::Scalar,
        data: Data::plain([ints(5..6), 2.5f64.to_be_bytes().to_vec()].concat()),
    });
    tree.link(ROOT, "also_user", user);

    tree.attribute(user, "enum", enumeration, &[2], Data::plain(vec![255, 0]));
    tree.attribute(user, "opaque", opaque, &[1], Data::plain(b"bytes".to_vec()));
    let words = ["", "short", "a longer one with an ä"];
    let strings = |words: &[&str]| Data {
        bytes: vec![0; words.len() * 16],
        references: Vec::new(),
        sequences: words
            .iter()
            .enumerate()
            .map(|(i, word)| (i * 16, word.len() as u32, Data::plain(word.as_bytes().to_vec())))
            .collect(),
    };
    tree.attribute(user, "strings", text(), &[3], strings(&words));
    tree.attribute(user, "nil", text(), &[1], Data::plain(vec![0; 16]));
    let many: Vec<String> = (0..5_000).map(|i| format!("string {i}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    tree.attribute(user, "many", text(), &[5_000], strings(&many));
    let sequences = |ranges: &[std::ops::Range<i32>]| Data {
        bytes: vec![0; ranges.len() * 16],
        references: Vec::new(),
        sequences: ranges
            .iter()
            .enumerate()
            .map(|(i, range)| (i * 16, range.len() as u32, Data::plain(ints(range.clone()))))
            .collect(),
    };
    tree.attribute(
        user,
        "vlen",
        Datatype::variable_length(int()),
        &[2],
        sequences(&[0..3, 7..8]),
    );
    tree.attribute(
        user,
        "vlen_of_vlen",
        Datatype::variable_length(Datatype::variable_length(int())),
        &[1],
        Data {
            bytes: vec![0; 16],
            references: Vec::new(),
            sequences: vec![(0, 2, sequences(&[0..3, 7..8]))],
        },
    );
    tree.attribute(
        user,
        "reference",
        Datatype::object_reference(),
        &[2],
        Data {
            bytes: vec![0; 16],
            references: vec![(0, user), (8, committed)],
            sequences: Vec::new(),
        },
    );
    tree.attribute(
        user,
        "reference_list",
        compound(
            12,
            vec![
                member("dataset", 0, Datatype::object_reference()),
                member("dimension", 8, int()),
            ],
        ),
        &[6_000],
        Data {
            bytes: (0..6_000)
                .flat_map(|i: i32| [&[0; 8][..], &i.to_le_bytes()].concat())
                .collect(),
            references: (0..6_000).map(|i| (i * 12, user)).collect(),
            sequences: Vec::new(),
        },
    );
    tree.attribute(
        user,
        "dimension_list",
        Datatype::variable_length(Datatype::object_reference()),
        &[1],
        Data {
            bytes: vec![0; 16],
            references: Vec::new(),
            sequences: vec![(
                0,
                1,
                Data {
                    bytes: vec![0; 8],
                    references: vec![(0, user)],
                    sequences: Vec::new(),
                },
            )],
        },
    );
    let mut with_fill = spec(
        text(),
        &[3_000],
        LayoutSpec::Chunked {
            shape: vec![1_000],
            chunk_count: 2,
        },
    );
    with_fill.fill = FillSpec::Defined(strings(&["fill"]));
    let texts = tree.dataset(ROOT, "texts", with_fill);
    let writer = tree.writer(path)?;
    let value: Vec<u8> = [
        ints(1..2),
        1.5f64.to_be_bytes().to_vec(),
        ints(2..3),
        2.5f64.to_be_bytes().to_vec(),
    ]
    .concat();
    writer.write_storage(user, 0, &value)?;
    for chunk in [0, 2] {
        let words: Vec<String> = (chunk * 1_000..(chunk + 1) * 1_000)
            .map(|i| "x".repeat(i as usize % 200))
            .collect();
        let payloads: Vec<&[u8]> = words.iter().map(|w| w.as_bytes()).collect();
        let elements: Vec<u8> = writer
            .insert_sequences(&payloads)?
            .iter()
            .zip(&payloads)
            .flat_map(|(id, payload)| [&(payload.len() as u32).to_le_bytes()[..], id].concat())
            .collect();
        let at = writer.reserve_chunk(texts, chunk, 16_000, 0)?;
        writer.write_at(at, &elements)?;
    }
    writer.finish()
}

/// Groups in groups, hard links that form a cycle, and groups with nothing in them.
fn groups(path: &Path) -> Result<()> {
    let mut tree = Tree::new();
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
    write("types".into(), &types)?;
    write("groups".into(), &groups)
}
