use super::index::IndexRequest;
use super::*;
use crate::chunk::Region;
use crate::error::Result;
use crate::filter::Registry;
use crate::format::Reader;
use crate::format::in_memory::InMemoryReader;
use crate::model::{Dimension, Kind, Schema, Slot, Storage, Type, Values, VarId, Variable};
use proptest::prelude::*;

/// A dataset with a variable of numbers and one of strings, both of shape `dims`. Each element is its own number.
fn dataset(dims: &[u64]) -> InMemoryReader {
    let mut schema = Schema::new(Kind::Netcdf4);
    let ids: Vec<_> = dims
        .iter()
        .enumerate()
        .map(|(n, length)| {
            schema.add_dim(Dimension {
                name: format!("d{n}"),
                group: Schema::ROOT,
                length: *length,
                unlimited: n == 0,
            })
        })
        .collect();
    for (name, ty) in [("numbers", Type::Int), ("words", Type::String)] {
        schema.add_var(Variable {
            name: name.into(),
            group: Schema::ROOT,
            ty,
            dims: ids.clone(),
            attributes: Vec::new().into(),
        });
    }
    let count = dims.iter().product::<u64>() as i32;
    let numbers = Values::from_bytes((0..count).flat_map(i32::to_le_bytes).collect());
    let words: Vec<Vec<u8>> = (0..count).map(|n| n.to_string().into_bytes()).collect();
    let words = Values::from_strings(words.iter().map(|word| Some(word.as_slice())));
    InMemoryReader::new(schema, vec![numbers, words])
}

fn by_index(arguments: &[String]) -> SubsetRequest {
    SubsetRequest {
        indices: arguments
            .iter()
            .flat_map(|a| IndexRequest::parse(a).unwrap())
            .collect(),
        values: Vec::new(),
    }
}

fn part<'a>(reader: &'a InMemoryReader, arguments: &[&str]) -> Result<Subset<'a>> {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    Subset::new(reader, &by_index(&arguments), &Registry::builtin())
}

#[test]
fn dimensions_are_cut_and_stay() {
    let reader = dataset(&[5, 4]);
    let part = part(&reader, &["d0=2", "d1=1:3"]).unwrap();
    let dims: Vec<_> = part
        .schema()
        .dims
        .iter()
        .map(|d| (d.length, d.unlimited))
        .collect();
    assert_eq!(dims, [(1, true), (2, false)]);
    assert_eq!(part.layout(VarId(0)).extent, [1, 2]);
    let outside = Region::whole(&[2, 2]);
    assert!(part.read_region(VarId(0), &outside).is_err());
}

#[test]
fn a_dimension_is_known_and_named_once() {
    let mut reader = dataset(&[5, 4]);
    for (arguments, told) in [
        (
            &["d0=1", "/d0=2"][..],
            "'/d0=2': the dimension /d0 is named twice",
        ),
        (&["e0=1"], "'e0=1': the input has no dimension named 'e0'"),
        (&["dim=1"], "'dim=1': the input has no dimension named 'dim'"),
    ] {
        let error = part(&reader, arguments).err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
    }
    let mut schema = reader.schema().clone();
    let group = schema.add_group(Schema::ROOT, "g");
    schema.add_dim(Dimension {
        name: "d0".into(),
        group,
        length: 7,
        unlimited: false,
    });
    reader = InMemoryReader::new(schema, vec![Values::default(), Values::default()]);
    let error = part(&reader, &["d0=1"]).err().unwrap().to_string();
    assert!(error.contains("give a path, such as /d0 or /g/d0"), "{error}");
    assert!(part(&reader, &["g/d0=6", "/d0=1"]).is_ok());
}

#[test]
fn chunks_and_shards_are_cut_where_the_dimension_is_shorter() {
    let mut reader = dataset(&[50, 40]);
    let layout = reader.layout_mut(VarId(0));
    *layout = layout.clone().in_chunks(vec![4, 10]);
    layout.shard = Some(vec![16, 20]);
    let cut = |argument: &str| {
        let part = part(&reader, &[argument]).unwrap();
        let layout = part.layout(VarId(0));
        let Storage::Chunked { shape } = layout.storage.clone() else {
            panic!("no chunks")
        };
        (shape, layout.shard.clone().unwrap())
    };
    assert_eq!(cut("d0=0:3"), (vec![3, 10], vec![3, 20]));
    assert_eq!(cut("d0=0:9"), (vec![4, 10], vec![12, 20]));
    assert_eq!(cut("d1=0:30"), (vec![4, 10], vec![16, 20]));
    assert_eq!(cut("d0=:"), (vec![4, 10], vec![16, 20]));
}

#[test]
fn few_runs_are_selections_and_many_are_read_by_regions() {
    let reader = dataset(&[500, 4]);
    let selections = |argument: &str, var| {
        let part = part(&reader, &[argument]).unwrap();
        part.selections(VarId(var)).map(|all| all.len())
    };
    assert_eq!(selections("d0=0:3", 0), Some(1));
    assert_eq!(selections("d0=0:3,7,9:200:4", 0), Some(3));
    assert_eq!(selections("d0=::9", 1), None);
    let squares: Vec<String> = (0..20).map(|n| (n * n).to_string()).collect();
    assert_eq!(selections(&format!("d0={}", squares.join(",")), 0), Some(19));
    let part = part(&reader, &["d0=3"]).unwrap();
    assert_eq!(part.source().layout(VarId(0)).extent, [500, 4]);
}

#[test]
fn a_longitude_of_a_type_without_negative_numbers_is_not_turned() {
    let shift = shift::Shift {
        dimension: 0,
        turns: vec![0, -1],
        ty: Type::UShort,
        unit: 1.0,
        missing: Vec::new(),
    };
    let mut values = Values::from_bytes([10u16, 350].iter().flat_map(|n| n.to_le_bytes()).collect());
    let error = shift.apply(&Region::whole(&[2]), &mut values).unwrap_err();
    assert!(error.to_string().contains("stored as 350 becomes -10"), "{error}");
    let packed = shift::Shift {
        ty: Type::Short,
        unit: 0.1,
        missing: vec![3500i16.to_le_bytes().to_vec()],
        ..shift
    };
    let mut values = Values::from_bytes([3500i16, 3400].iter().flat_map(|n| n.to_le_bytes()).collect());
    let second = Region {
        start: vec![1],
        count: vec![1],
    };
    let mut one = Values::from_bytes(values.bytes.split_off(2));
    packed.apply(&second, &mut one).unwrap();
    packed.apply(&second, &mut values).unwrap();
    assert_eq!(one.bytes, (-200i16).to_le_bytes());
    assert_eq!(values.bytes, 3500i16.to_le_bytes(), "missing");
}

/// The number in an element of `words`.
fn word(values: &Values, n: usize) -> i32 {
    let slot = Slot::read(&values.bytes[n * 16..]);
    let text = values.slot_content(slot, 1).unwrap();
    std::str::from_utf8(text).unwrap().parse().unwrap()
}

proptest! {
    #[test]
    fn regions_of_parts_equal_the_model(
        dims in proptest::collection::vec((1u64..9, proptest::collection::vec((0u64..9, 1u64..4, 1u64..5), 1..4), 0u64..9, 0u64..9, 1u64..5), 1..4),
        chunked in any::<bool>(),
    ) {
        let lengths: Vec<u64> = dims.iter().map(|d| d.0).collect();
        let mut reader = dataset(&lengths);
        let chunk: Vec<u64> = dims.iter().map(|d| d.4).collect();
        if chunked {
            // Where the model stores chunks does not matter; their shape decides what is read together.
            let layout = reader.layout_mut(VarId(0));
            *layout = layout.clone().in_chunks(chunk);
        }
        let mut arguments = Vec::new();
        let mut chosen = Vec::new();
        for (d, (length, items, ..)) in dims.iter().enumerate() {
            let mut all = Vec::new();
            let mut texts = Vec::new();
            for (start, step, count) in items {
                let stop = (start + step * count).min(*length);
                texts.push(format!("{}:{stop}:{step}", start.min(length)));
                all.extend((*start..stop).step_by(*step as usize));
            }
            all.sort_unstable();
            all.dedup();
            prop_assume!(!all.is_empty());
            arguments.push(format!("d{d}={}", texts.join(",")));
            chosen.push(all);
        }
        let part = Subset::new(&reader, &by_index(&arguments), &Registry::builtin()).unwrap();
        let region = Region {
            start: dims.iter().zip(&chosen).map(|(d, all)| d.2 % all.len() as u64).collect(),
            count: dims.iter().zip(&chosen).map(|(d, all)| d.3.min(all.len() as u64 - d.2 % all.len() as u64)).collect(),
        };
        let mut expected = vec![0u64];
        for (d, length) in lengths.iter().enumerate() {
            let taken = &chosen[d][region.start[d] as usize..(region.start[d] + region.count[d]) as usize];
            expected = expected.iter().flat_map(|before| taken.iter().map(move |at| before * length + at)).collect();
        }
        let numbers = part.read_region(VarId(0), &region).unwrap();
        let found: Vec<u64> = numbers.bytes.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()) as u64).collect();
        prop_assert_eq!(&found, &expected);
        let words = part.read_region(VarId(1), &region).unwrap();
        let found: Vec<u64> = (0..expected.len()).map(|n| word(&words, n) as u64).collect();
        prop_assert_eq!(&found, &expected);
        // The selections of the source choose the same elements.
        if let Some(selections) = part.selections(VarId(0)) {
            let shape = part.schema().shape(VarId(0));
            let count: u64 = selections.iter().map(|s| s.target().element_count().unwrap()).sum();
            prop_assert_eq!(count, shape.iter().product::<u64>());
            for selection in &selections {
                let first = selection.target().start;
                let index = selection.index(&first);
                for (d, at) in index.iter().enumerate() {
                    prop_assert_eq!(*at, chosen[d][first[d] as usize]);
                }
            }
        }
    }
}
