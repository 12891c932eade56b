//! Objects that tests put into trees.

use ncutils_hdf5::{
    AllocationTime, ByteOrder, CharacterSet, Class, CompoundMember, DatasetSpec, Dataspace, Datatype,
    DatatypeSpec, FillSpec, FillTime, LayoutSpec, ObjectId, ObjectProperties, ObjectSpec, ObjectSpecKind,
};

pub fn int() -> Datatype {
    Datatype::integer(4, true, ByteOrder::Little)
}

pub fn object(kind: ObjectSpecKind) -> ObjectSpec {
    ObjectSpec {
        kind,
        attributes: Vec::new(),
        properties: ObjectProperties::default(),
    }
}

pub fn group(links: Vec<(String, ObjectId)>) -> ObjectSpec {
    let links = links.into_iter().map(|(name, target)| (name, target.into()));
    object(ObjectSpecKind::Group {
        links: links.collect(),
    })
}

pub fn dataset(dims: &[u64], layout: LayoutSpec) -> DatasetSpec {
    DatasetSpec {
        datatype: DatatypeSpec::Inline(int()),
        dataspace: Dataspace::fixed(dims),
        layout,
        allocation_time: AllocationTime::Late,
        fill_time: FillTime::IfSet,
        fill: FillSpec::Default,
        filters: Vec::new(),
    }
}

pub fn small_dataset() -> ObjectSpec {
    let layout = LayoutSpec::Contiguous {
        size: 4,
        allocated: true,
    };
    object(ObjectSpecKind::Dataset(dataset(&[1], layout)))
}

/// One of each class that can be written, with `holds_addresses` or without.
pub fn datatypes() -> Vec<Datatype> {
    let byte = || Datatype::integer(1, false, ByteOrder::Little);
    let sized = |size, class| Datatype { size, class };
    let member = |name: &str, offset, datatype| CompoundMember {
        name: name.into(),
        offset,
        datatype,
    };
    vec![
        int(),
        Datatype::integer(8, false, ByteOrder::Big),
        Datatype::ieee(2, ByteOrder::Little),
        Datatype::ieee(8, ByteOrder::Big),
        Datatype::string(7, ncutils_hdf5::StringPadding::SpacePad, CharacterSet::Utf8),
        Datatype::variable_string(CharacterSet::Utf8),
        Datatype::variable_length(Datatype::variable_string(CharacterSet::Ascii)),
        Datatype::object_reference(),
        sized(
            3,
            Class::Opaque {
                tag: "12345678".into(),
            },
        ),
        sized(
            2,
            Class::Bitfield {
                order: ByteOrder::Big,
                bit_offset: 3,
                precision: 9,
            },
        ),
        sized(
            1,
            Class::Enumeration {
                base: Box::new(byte()),
                members: vec![("Ä".into(), vec![1]), ("b".into(), vec![200])],
            },
        ),
        sized(
            24,
            Class::Array {
                dims: vec![2, 3],
                base: Box::new(int()),
            },
        ),
        sized(
            400,
            Class::Compound {
                members: vec![
                    member("first", 0, Datatype::object_reference()),
                    member(
                        "second",
                        300,
                        sized(
                            1,
                            Class::Compound {
                                members: vec![member("x", 0, byte())],
                            },
                        ),
                    ),
                    member("third", 380, Datatype::variable_string(CharacterSet::Utf8)),
                ],
            },
        ),
    ]
}
