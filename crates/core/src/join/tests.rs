//! Joins and merges of datasets in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ncutils_gate::Gate;

use super::{Inputs, JoinRequest, KeptJoin, Merged};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::in_memory::InMemoryReader;
use crate::format::{Reader, Region};
use crate::model::{
    Attribute, DimId, Dimension, GroupId, Kind, NamePattern, Schema, Type, Values, VarId, Variable,
};

/// A variable of shorts: its name, dimensions, attributes and numbers.
type Of<'a> = (&'a str, &'a [usize], Vec<Attribute>, Vec<i16>);

fn text(name: &str, text: &str) -> Attribute {
    Attribute {
        name: name.into(),
        ty: Type::Char,
        length: text.len(),
        values: Values::from_bytes(text.as_bytes().to_vec()),
    }
}

fn shorts(numbers: &[i16]) -> Values {
    Values::from_bytes(numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
}

fn dataset(lengths: &[(&str, u64)], variables: Vec<Of>) -> InMemoryReader {
    let mut schema = Schema::new(Kind::Netcdf4);
    for (name, length) in lengths {
        schema.add_dim(Dimension {
            name: (*name).to_owned(),
            group: GroupId(0),
            length: *length,
            unlimited: false,
        });
    }
    let mut values = Vec::new();
    for (name, dims, attributes, numbers) in variables {
        schema.add_var(Variable {
            name: name.to_owned(),
            group: GroupId(0),
            ty: Type::Short,
            dims: dims.iter().map(|dim| DimId(*dim)).collect(),
            attributes: attributes.into(),
        });
        values.push(shorts(&numbers));
    }
    InMemoryReader::new(schema, values)
}

/// `t(t)`, `name(t, x)` and `x(x)`, of `count` steps from `first` on, with these units of `t`.
fn steps(name: &str, first: i16, count: i16, units: &str) -> InMemoryReader {
    let of_t = (first..first + count).collect::<Vec<_>>();
    let data = of_t.iter().flat_map(|t| [10 * t, 10 * t + 1]).collect();
    let lengths = [("t", count as u64), ("x", 2)];
    let units = vec![text("units", units)];
    dataset(
        &lengths,
        vec![
            ("t", &[0], units, of_t),
            (name, &[0, 1], Vec::new(), data),
            ("x", &[1], Vec::new(), vec![5, 6]),
        ],
    )
}

const DAYS: &str = "days since 2000-01-01";

/// The join of these inputs, of which one is open at a time beside the first. Also counts how often one is opened.
fn merged(inputs: &[InMemoryReader], request: &JoinRequest) -> Result<(Merged, Arc<AtomicUsize>)> {
    let (inputs, opened) = counted(inputs, request);
    let all = |schema: &Schema| Ok((0..schema.vars.len()).map(VarId).collect());
    Ok((Merged::new(inputs, request, &Registry::builtin(), all)?, opened))
}

/// These inputs, and how often one is opened.
fn counted(inputs: &[InMemoryReader], request: &JoinRequest) -> (Inputs, Arc<AtomicUsize>) {
    let (all, opened) = (inputs.to_vec(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&opened);
    let names = (0..all.len()).map(|n| format!("{n}.nc")).collect();
    let most = if request.merge { all.len() } else { 1 };
    let inputs = Inputs::new(names, most, move |n| {
        count.fetch_add(1, Ordering::Relaxed);
        let found = all
            .get(n)
            .cloned()
            .map(|input| Box::new(input) as Box<dyn Reader>);
        found.ok_or_else(|| Error::Usage("none".into()))
    });
    (inputs.keeping(), opened)
}

/// The same join of what another process found of its inputs, as text.
fn again(inputs: &[InMemoryReader], request: &JoinRequest, kept: &str) -> Result<(Merged, Arc<AtomicUsize>)> {
    let kept: KeptJoin = serde_json::from_str(kept).map_err(|e| Error::Usage(e.to_string()))?;
    let (inputs, opened) = counted(inputs, request);
    Ok((
        Merged::of_kept(inputs, request, &Registry::builtin(), &kept)?,
        opened,
    ))
}

fn along(dim: &str) -> JoinRequest {
    JoinRequest {
        dim: dim.into(),
        ..JoinRequest::default()
    }
}

fn refused(inputs: &[InMemoryReader], request: &JoinRequest) -> String {
    merged(inputs, request).err().unwrap().to_string()
}

fn read(merged: &Merged, name: &str, start: &[u64], count: &[u64]) -> Vec<i16> {
    let var = merged.schema().vars_named(name)[0];
    let region = Region {
        start: start.to_vec(),
        count: count.to_vec(),
    };
    let values = merged.read_region(var, &region).unwrap();
    let numbers = values.bytes.chunks_exact(2);
    numbers.map(|n| i16::from_le_bytes([n[0], n[1]])).collect()
}

#[test]
fn regions_are_gathered_of_the_inputs_that_they_meet() {
    let inputs = [
        steps("v", 0, 3, DAYS),
        steps("v", 3, 1, DAYS),
        steps("v", 4, 4, DAYS),
    ];
    let (joined, opened) = merged(&inputs, &along("t")).unwrap();
    assert_eq!(joined.schema().shape(VarId(1)), [8, 2]);
    assert_eq!(read(&joined, "t", &[0], &[8]), (0..8).collect::<Vec<_>>());
    assert_eq!(read(&joined, "v", &[2, 0], &[3, 2]), [20, 21, 30, 31, 40, 41]);
    assert_eq!(read(&joined, "v", &[1, 1], &[5, 1]), [11, 21, 31, 41, 51]);
    assert!(read(&joined, "v", &[1, 1], &[0, 1]).is_empty());
    assert_eq!(read(&joined, "x", &[0], &[2]), [5, 6]);
    let before = opened.load(Ordering::Relaxed);
    assert_eq!(read(&joined, "v", &[0, 0], &[3, 2]).len(), 6);
    assert_eq!(
        opened.load(Ordering::Relaxed),
        before,
        "the first input stays open"
    );
}

#[test]
fn an_input_is_looked_at_once() {
    let inputs: Vec<_> = (0..9).map(|n| steps("v", n, 1, DAYS)).collect();
    let (_, opened) = merged(&inputs, &along("t")).unwrap();
    assert_eq!(opened.load(Ordering::Relaxed), 9);
}

#[test]
fn inputs_on_a_slow_store_are_looked_at_at_once_and_the_first_error_counts() {
    let gate = Arc::new(Gate::default());
    let slow = |wrong: &'static [usize]| {
        let inputs: Vec<_> = (0..20).map(|n| steps("v", n, 1, DAYS)).collect();
        let (names, gate) = ((0..20).map(|n| format!("{n}.nc")).collect(), Arc::clone(&gate));
        let inputs = Inputs::new(names, 1000, move |n| match n {
            0 => Ok(Box::new(inputs[0].clone()) as Box<dyn Reader>),
            n => gate.pass(|| match wrong.contains(&n) {
                true => Err(Error::Usage("wrong".into())),
                false => Ok(Box::new(inputs[n].clone()) as Box<dyn Reader>),
            }),
        });
        let every = |schema: &Schema| Ok((0..schema.vars.len()).map(VarId).collect());
        Merged::new(inputs.on_slow_store(8), &along("t"), &Registry::builtin(), every)
    };
    gate.hold_until(8);
    assert!(slow(&[]).is_ok());
    assert!(gate.most() >= 7, "{} at once", gate.most());
    for _ in 0..20 {
        let error = slow(&[3, 4, 5, 6, 7]).err().unwrap();
        assert_eq!(error.to_string(), "3.nc: wrong");
    }
}

#[test]
fn few_inputs_of_large_schemas_stay_open() {
    let inputs: Vec<_> = (0..6).map(|n| steps("v", n, 1, DAYS)).collect();
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let names = (0..6).map(|n| format!("{n}.nc")).collect();
    let all = Inputs::new(names, 1000, move |n| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(inputs[n].clone()) as Box<dyn Reader>)
    });
    let every = |schema: &Schema| Ok((0..schema.vars.len()).map(VarId).collect());
    let joined = Merged::new(all.within(1), &along("t"), &Registry::builtin(), every).unwrap();
    let looked = opened.load(Ordering::Relaxed);
    assert_eq!(read(&joined, "t", &[0], &[6]), (0..6).collect::<Vec<_>>());
    assert!(
        opened.load(Ordering::Relaxed) - looked >= 3,
        "two are open beside the first"
    );
}

#[test]
fn times_are_converted_in_what_is_read() {
    let inputs = [steps("v", 0, 2, DAYS), steps("v", 0, 2, "days since 2000-01-11")];
    let (joined, _) = merged(&inputs, &along("t")).unwrap();
    assert_eq!(read(&joined, "t", &[1], &[3]), [1, 10, 11]);
    let wrong = [steps("v", 0, 2, DAYS), steps("v", 5, 2, "K")];
    assert!(
        refused(&wrong, &along("t"))
            .starts_with("1.nc: variable t: units is 'K', and 'days since 2000-01-01' in 0.nc")
    );
}

#[test]
fn what_differs_is_told_with_both_values() {
    let other = dataset(
        &[("t", 1), ("x", 2)],
        vec![
            ("t", &[0], vec![text("units", DAYS)], vec![3]),
            ("v", &[0, 1], Vec::new(), vec![1, 2]),
            ("x", &[1], Vec::new(), vec![5, 7]),
        ],
    );
    let inputs = [steps("v", 0, 3, DAYS), other];
    let says =
        "1.nc: the variable x does not have the dimension t, and its values differ: [1] is 7, and 6 in 0.nc;";
    assert!(refused(&inputs, &along("t")).starts_with(says));
    let first = JoinRequest {
        first: true,
        ..along("t")
    };
    let (joined, _) = merged(&inputs, &first).unwrap();
    assert_eq!(joined.warnings().len(), 1);
    assert_eq!(read(&joined, "x", &[0], &[2]), [5, 6]);
}

#[test]
fn a_variable_that_an_input_lacks_is_filled() {
    let short = dataset(
        &[("t", 1), ("x", 2)],
        vec![
            ("t", &[0], vec![text("units", DAYS)], vec![3]),
            ("x", &[1], Vec::new(), vec![5, 6]),
        ],
    );
    let inputs = [steps("v", 0, 3, DAYS), short];
    assert!(refused(&inputs, &along("t")).starts_with("1.nc: lacks the variable v, which 0.nc has"));
    let filled = JoinRequest {
        fill_missing: true,
        ..along("t")
    };
    let (joined, _) = merged(&inputs, &filled).unwrap();
    assert_eq!(read(&joined, "v", &[2, 0], &[2, 2]), [20, 21, -32767, -32767]);
}

#[test]
fn labels_are_a_coordinate() {
    let data = || dataset(&[("x", 2)], vec![("v", &[0], Vec::new(), vec![1, 2])]);
    let labelled = JoinRequest {
        labels: vec!["a".into(), "b".into()],
        ..along("run")
    };
    let (joined, _) = merged(&[data(), data()], &labelled).unwrap();
    assert_eq!(joined.schema().shape(VarId(0)), [2, 2]);
    let region = Region {
        start: vec![1],
        count: vec![1],
    };
    assert_eq!(
        joined.read_region(VarId(1), &region).unwrap().string(0),
        Some(&b"b"[..])
    );
    assert_eq!(read(&joined, "v", &[1, 0], &[1, 2]), [1, 2]);
}

#[test]
fn inputs_with_other_variables_are_merged() {
    let inputs = [
        steps("a", 0, 2, DAYS),
        steps("b", 0, 3, DAYS),
        steps("a", 2, 2, DAYS),
        steps("b", 3, 1, DAYS),
    ];
    let merge = JoinRequest {
        merge: true,
        ..along("t")
    };
    let (both, _) = merged(&inputs, &merge).unwrap();
    let names: Vec<_> = both.schema().vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["t", "a", "x", "b"]);
    assert_eq!(read(&both, "b", &[2, 0], &[2, 1]), [20, 30]);
    assert_eq!(read(&both, "t", &[0], &[4]), [0, 1, 2, 3]);
    assert_eq!(
        refused(&inputs[..3], &merge),
        "1.nc: variable b: the dimension t has the length 3, and 4 in 0.nc"
    );
    let shifted = [inputs[0].clone(), steps("b", 1, 2, DAYS)];
    let plain = JoinRequest {
        merge: true,
        ..JoinRequest::default()
    };
    assert!(refused(&shifted, &plain).starts_with("1.nc: variable t: [0] is 1, and 0 in 0.nc;"));
}

#[test]
fn names_that_no_input_has_are_refused() {
    let inputs = [steps("v", 0, 2, DAYS), steps("v", 2, 2, DAYS)];
    let unpack = JoinRequest {
        unpack: vec![NamePattern::from("w")],
        ..along("t")
    };
    assert!(refused(&inputs, &unpack).contains("the first input has no variable of this name"));
    assert!(refused(&inputs, &along("a/b")).contains("'a/b'"));
}

/// Five inputs: of other times, of other variables, and of other lengths.
fn differing() -> (Vec<InMemoryReader>, JoinRequest) {
    let short = dataset(
        &[("t", 1), ("x", 2)],
        vec![
            ("t", &[0], vec![text("units", DAYS)], vec![12]),
            ("x", &[1], Vec::new(), vec![5, 6]),
        ],
    );
    let inputs = vec![
        steps("v", 0, 3, DAYS),
        steps("v", 3, 1, DAYS),
        steps("v", 0, 2, "days since 2000-01-11"),
        short,
        steps("v", 13, 4, DAYS),
    ];
    let request = JoinRequest {
        fill_missing: true,
        ..along("t")
    };
    (inputs, request)
}

#[test]
fn units_that_are_converted_do_not_differ() {
    let (inputs, request) = differing();
    let (joined, _) = merged(&inputs, &request).unwrap();
    let differing: Vec<_> = joined.differing_attributes().collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn a_join_is_made_again_of_what_was_found() {
    let (inputs, request) = differing();
    let (first, _) = merged(&inputs, &request).unwrap();
    let kept = serde_json::to_string(first.kept().unwrap()).unwrap();
    let (second, opened) = again(&inputs, &request, &kept).unwrap();
    assert_eq!(opened.load(Ordering::Relaxed), 1);
    assert_eq!(format!("{:?}", second.schema()), format!("{:?}", first.schema()));
    for (name, start, count) in [
        ("t", vec![0], vec![11]),
        ("v", vec![0, 0], vec![11, 2]),
        ("x", vec![0], vec![2]),
    ] {
        assert_eq!(
            read(&second, name, &start, &count),
            read(&first, name, &start, &count)
        );
    }
    let member = |joined: &Merged| joined.first_member().pieces(VarId(1)).collect::<Vec<_>>();
    assert_eq!(member(&second), member(&first));
    let (part, opened) = again(&inputs, &request, &kept).unwrap();
    assert_eq!(read(&part, "v", &[7, 0], &[2, 1]), [130, 140]);
    assert_eq!(
        opened.load(Ordering::Relaxed),
        2,
        "the first input and the one that is read"
    );
}

#[test]
fn what_cannot_have_been_found_is_an_error() {
    let (inputs, request) = differing();
    let (first, _) = merged(&inputs, &request).unwrap();
    let kept = serde_json::to_value(first.kept().unwrap()).unwrap();
    let changed = |pointer: &str, value: serde_json::Value| {
        let mut kept = kept.clone();
        *kept.pointer_mut(pointer).unwrap() = value;
        let whole = again(&inputs, &request, &kept.to_string());
        whole.and_then(|(joined, _)| joined.read_region(VarId(1), &Region::whole(&[11, 2])).map(drop))
    };
    assert!(changed("/differing", serde_json::json!(["v:units"])).is_ok());
    for (pointer, value) in [
        ("/pieces/1/0", serde_json::json!(7)),
        ("/pieces/1/2", serde_json::json!(u64::MAX)),
        ("/pieces/1/1", serde_json::json!(1)),
        ("/names/1", serde_json::json!(1000)),
        ("/names", serde_json::json!([])),
        ("/maps/0", serde_json::json!([0])),
        ("/maps/0/1", serde_json::json!(1)),
        ("/times/0/0", serde_json::json!(9)),
        ("/times/0/2/lengths/0", serde_json::json!("0")),
        ("/stored/0", serde_json::json!([0, 9])),
        ("/stored/0", serde_json::json!([9, 0])),
        ("/known/0/stored", serde_json::json!(99)),
        ("/known/0/extent", serde_json::json!([])),
        ("/known/0/extent/0", serde_json::json!(5)),
        ("/known/0/written", serde_json::json!([[3, 2]])),
    ] {
        let outcome = changed(pointer, value.clone());
        assert!(outcome.is_err(), "{pointer} as {value}");
    }
}
