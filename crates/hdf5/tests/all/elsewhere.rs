//! Datasets whose data lies elsewhere: external segments and virtual mappings as libhdf5 writes them.
//!
//! `data/elsewhere/make.py` makes the files.

use std::sync::Arc;

use ncutils_hdf5::{Dataset, ElementSelection, File, Layout, Stripe, VirtualMapping};

const FILES: [&str; 3] = ["earliest", "v110", "latest"];

fn open(name: &str) -> File {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/elsewhere");
    let bytes = std::fs::read(format!("{folder}/{name}.h5")).unwrap();
    File::open(Arc::new(bytes)).unwrap()
}

fn dataset(file: &File, path: &str) -> Dataset {
    file.dataset(&file.open_path(path).unwrap()).unwrap()
}

fn mappings(file: &File, path: &str) -> Vec<VirtualMapping> {
    file.virtual_mappings(&dataset(file, path)).unwrap()
}

fn stripe(start: u64, stride: u64, count: u64, block: u64) -> Stripe {
    Stripe {
        start,
        stride,
        count: Some(count),
        block: Some(block),
    }
}

/// The indices that a selection has in an array of two dimensions.
fn indices(selection: &ElementSelection, shape: [u64; 2]) -> Vec<[u64; 2]> {
    let is_in = |at: [u64; 2]| match selection {
        ElementSelection::All => true,
        ElementSelection::Regular(stripes) => stripes.iter().zip(at).all(|(stripe, index)| {
            let from = index.checked_sub(stripe.start);
            let last = stripe.count.unwrap() - 1;
            from.is_some_and(|n| n - (n / stripe.stride).min(last) * stripe.stride < stripe.block.unwrap())
        }),
        ElementSelection::Boxes { corners, .. } => corners
            .chunks_exact(4)
            .any(|c| (c[0]..=c[2]).contains(&at[0]) && (c[1]..=c[3]).contains(&at[1])),
        other => panic!("{other:?}"),
    };
    let all = (0..shape[0]).flat_map(|y| (0..shape[1]).map(move |x| [y, x]));
    all.filter(|at| is_in(*at)).collect()
}

#[test]
fn external_segments() {
    for name in FILES {
        let file = open(name);
        let Layout::External(segments) = dataset(&file, "/raw").layout else {
            panic!("{name}");
        };
        let all: Vec<_> = segments
            .iter()
            .map(|s| (s.file.as_str(), s.offset, s.size))
            .collect();
        assert_eq!(
            all,
            [("a.bin", 5, Some(10)), ("b.bin", 0, Some(4)), ("a.bin", 0, None)],
            "{name}"
        );
    }
}

#[test]
fn names_of_sources() {
    for name in FILES {
        let file = open(name);
        let rows = mappings(&file, "/rows");
        assert_eq!(rows.len(), 11, "{name}");
        for (n, row) in rows.iter().enumerate() {
            let expected = if n < 9 { "a file of a long name.h5" } else { "." };
            assert_eq!(
                (&*row.file, &*row.dataset),
                (expected, "a dataset of a long name"),
                "{name}"
            );
            let row_of = |y| (0..6).map(|x| [y, x]).collect::<Vec<_>>();
            assert_eq!(indices(&row.target, [9, 6]), row_of(n as u64 % 9), "{name}");
            assert_eq!(indices(&row.source, [9, 6]), row_of(0), "{name}");
        }
    }
}

#[test]
fn selections_with_an_end() {
    for name in FILES {
        let file = open(name);
        let [all] = &mappings(&file, "/all")[..] else {
            panic!("{name}")
        };
        assert_eq!(
            (&all.source, &all.target),
            (&ElementSelection::All, &ElementSelection::All)
        );
        let [regular] = &mappings(&file, "/regular")[..] else {
            panic!("{name}")
        };
        let is_striped = |at: &[u64; 2]| {
            let within = |n: u64, start: u64, stride, block, count| {
                n >= start && (n - start) % stride < block && (n - start) / stride < count
            };
            within(at[0], 1, 8, 2, 2) && within(at[1], 2, 7, 2, 3)
        };
        let grid = (0..20).flat_map(|y| (0..30).map(move |x| [y, x]));
        let expected: Vec<_> = grid.clone().filter(is_striped).collect();
        assert_eq!(indices(&regular.target, [20, 30]), expected, "{name}");
        let [irregular] = &mappings(&file, "/irregular")[..] else {
            panic!("{name}")
        };
        let is_in =
            |at: &[u64; 2]| (at[0] < 2 && at[1] < 3) || ((1..4).contains(&at[0]) && (5..11).contains(&at[1]));
        let expected: Vec<_> = grid.filter(is_in).collect();
        assert_eq!(indices(&irregular.target, [20, 30]), expected, "{name}");
    }
}

#[test]
fn selections_without_an_end() {
    for name in &FILES[1..] {
        let file = open(name);
        let [endless] = &mappings(&file, "/endless")[..] else {
            panic!("{name}")
        };
        assert_eq!(endless.source.unlimited(), Some(0));
        let ElementSelection::Regular(stripes) = &endless.target else {
            panic!("{name}")
        };
        assert_eq!(
            stripes[..],
            [Stripe {
                count: None,
                ..stripe(0, 2, 0, 1)
            }],
            "{name}"
        );
        let [numbered] = &mappings(&file, "/numbered")[..] else {
            panic!("{name}")
        };
        assert_eq!((&*numbered.file, &*numbered.dataset), ("n%b.h5", "d%%"));
        assert_eq!(numbered.source, ElementSelection::All);
        let ElementSelection::Regular(stripes) = &numbered.target else {
            panic!("{name}")
        };
        assert_eq!(
            stripes[..],
            [Stripe {
                count: None,
                ..stripe(0, 8, 0, 8)
            }],
            "{name}"
        );
    }
}

#[test]
fn a_dataset_of_another_layout_has_no_mappings() {
    let file = open("latest");
    assert!(file.virtual_mappings(&dataset(&file, "/d")).is_err());
}
