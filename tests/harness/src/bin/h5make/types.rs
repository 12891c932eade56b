//! A file with types of every class.

use std::path::Path;

use ncutils_hdf5::{
    AttributeSpec, ByteOrder, CharacterSet, Class, CompoundMember, Data, Dataspace, Datatype, DatatypeSpec,
    FillSpec, LayoutSpec, ObjectSpecKind, Result, StringPadding,
};

use crate::tree::{FileTreeBuilder, ROOT, contiguous, int, ints, spec};

/// Types of every class, in attributes, datasets and committed.
pub(super) fn types(path: &Path) -> Result<()> {
    let mut tree = FileTreeBuilder::new();
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
        regions: Vec::new(),
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
        regions: Vec::new(),
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
            regions: Vec::new(),
            sequences: [(0, 2, sequences(&[0..3, 7..8]))].into_iter().collect(),
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
            ..Data::default()
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
            ..Data::default()
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
            regions: Vec::new(),
            sequences: [(
                0,
                1,
                Data {
                    bytes: vec![0; 8],
                    references: vec![(0, user)],
                    ..Data::default()
                },
            )]
            .into_iter()
            .collect(),
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
    with_fill.fill = FillSpec::Defined(Box::new(strings(&["fill"])));
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
