use super::*;
use proptest::prelude::*;

/// All elements in their order, one by one.
fn listed(elements: &Elements) -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    let emit = &mut |at: &[u64], length: u64| {
        for n in 0..length {
            let mut at = at.to_vec();
            if let Some(last) = at.last_mut() {
                *last += n;
            }
            all.push(at);
        }
        Ok(())
    };
    elements.numbers(0, u64::MAX, emit).unwrap();
    all
}

fn check(elements: &Elements, expected: &[Vec<u64>], region: &Region) {
    assert_eq!(listed(elements), expected);
    assert_eq!(elements.count(), expected.len() as u64);
    let low = |d: usize| expected.iter().map(|at| at[d]).min().unwrap_or(0);
    let high = |d: usize| expected.iter().map(|at| at[d] + 1).max().unwrap_or(0);
    for d in 0..elements.rank() {
        assert_eq!(elements.bounds().start[d], low(d));
        assert_eq!(elements.bounds().count[d], high(d) - low(d));
    }
    let mut found = Vec::new();
    let emit = &mut |number: u64, at: &[u64], length: u64| {
        for n in 0..length {
            let mut at = at.to_vec();
            *at.last_mut().unwrap() += n;
            found.push((number + n, at));
        }
        Ok(())
    };
    elements.within(region, emit).unwrap();
    let inside = |at: &[u64]| {
        (0..at.len()).all(|d| at[d] >= region.start[d] && at[d] < region.start[d] + region.count[d])
    };
    let numbered = expected.iter().enumerate().map(|(n, at)| (n as u64, at.clone()));
    assert_eq!(found, numbered.filter(|(_, at)| inside(at)).collect::<Vec<_>>());
    for from in 0..expected.len() {
        let mut part = 0;
        let emit = &mut |at: &[u64], length: u64| {
            assert_eq!(at, expected[from + part]);
            part += length as usize;
            Ok(())
        };
        let to = (from + 3).min(expected.len());
        elements.numbers(from as u64, to as u64, emit).unwrap();
        assert_eq!(part, to - from);
    }
}

/// The indices of an array of this shape that `selects` takes, in C order.
fn all_where(shape: &[u64], selects: impl Fn(&[u64]) -> bool) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for length in shape {
        all = all
            .into_iter()
            .flat_map(|at: Vec<u64>| (0..*length).map(move |n| [at.as_slice(), &[n]].concat()))
            .collect();
    }
    all.retain(|at| selects(at));
    all
}

#[test]
fn none_scalar_and_points() {
    assert_eq!(listed(&Elements::none(2)), Vec::<Vec<u64>>::new());
    assert_eq!(listed(&Elements::all(&[]).unwrap()), [Vec::<u64>::new()]);
    assert_eq!(Elements::all(&[3, 0]).unwrap().count(), 0);
    let points = Elements::of_points(2, &[5, 1, 0, 3, 5, 1]).unwrap();
    assert_eq!(listed(&points), [[5, 1], [0, 3], [5, 1]]);
    assert!(!points.is_box());
    assert!(Elements::of_points(1, &[u64::MAX]).is_err());
}

#[test]
fn regular_lists_of_blocks_are_as_small_as_stripes() {
    let corners: Vec<u64> = (0..300u64)
        .flat_map(|y| (0..300u64).flat_map(move |x| [y * 4, x * 3, y * 4 + 1, x * 3]))
        .collect();
    let elements = Elements::of_boxes(2, &corners).unwrap();
    let ElementsKind::Tree(node) = &elements.kind else {
        panic!()
    };
    assert!(matches!(
        node.level,
        Level::Stripe(
            IndexRun {
                stride: 4,
                block: 2,
                total: 600,
                ..
            },
            _
        )
    ));
    assert_eq!(elements.count(), 600 * 300);
}

#[test]
fn numbers_that_cannot_be_counted_are_refused() {
    assert!(Elements::all(&[1 << 40, 1 << 40]).is_err());
    let far = IndexRun {
        start: u64::MAX - 3,
        stride: 2,
        block: 1,
        total: 9,
    };
    assert!(Elements::of_runs(&[far]).is_err());
    assert!(Elements::of_boxes(1, &[0, u64::MAX]).is_err());
    assert!(Elements::of_boxes(2, &[0, 0, u64::MAX - 1, u64::MAX - 1, 0, 5, 9, 9]).is_err());
    // Many boxes, each of which overlaps all others in another way.
    let staggered: Vec<u64> = (0..20_000).flat_map(|n| [n, n, 40_000 + n, 40_000 + n]).collect();
    assert!(Elements::of_boxes(2, &staggered).is_err());
}

proptest! {
    #[test]
    fn runs_hold_what_they_say(
        dims in proptest::collection::vec((0u64..4, 1u64..5, 1u64..5, 0u64..9, 0u64..6, 0u64..12), 1..4),
    ) {
        let runs: Vec<IndexRun> = dims
            .iter()
            .map(|d| IndexRun { start: d.0, stride: d.1.max(d.2), block: d.2, total: d.3 })
            .collect();
        let selects = |at: &[u64]| runs.iter().zip(at).all(|(run, index)| {
            index.checked_sub(run.start).is_some_and(|n| {
                n % run.stride < run.block && n / run.stride * run.block + n % run.stride < run.total
            })
        });
        let shape: Vec<u64> = runs.iter().map(|run| run.end().unwrap_or(0)).collect();
        let region = Region {
            start: dims.iter().map(|d| d.4).collect(),
            count: dims.iter().map(|d| d.5).collect(),
        };
        check(&Elements::of_runs(&runs).unwrap(), &all_where(&shape, selects), &region);
    }

    #[test]
    fn boxes_are_united(
        corners in proptest::collection::vec((0u64..6, 0u64..4, 0u64..6, 0u64..4), 1..7),
        region in (0u64..6, 0u64..8, 0u64..6, 0u64..8),
    ) {
        let flat: Vec<u64> = corners.iter().flat_map(|c| [c.0, c.2, c.0 + c.1, c.2 + c.3]).collect();
        let selects = |at: &[u64]| corners.iter().any(|c| {
            (c.0..=c.0 + c.1).contains(&at[0]) && (c.2..=c.2 + c.3).contains(&at[1])
        });
        let region = Region { start: vec![region.0, region.2], count: vec![region.1, region.3] };
        check(&Elements::of_boxes(2, &flat).unwrap(), &all_where(&[12, 12], selects), &region);
    }
}
