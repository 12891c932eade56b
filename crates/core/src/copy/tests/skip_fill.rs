//! Chunks of fill values that are left out.

use super::in_memory::{InMemoryInput, copy, input, layout, plan, source};
use crate::copy::{CopyPlan, RouteName, prepare};
use crate::filter::UNKNOWN_ID;
use crate::model::{Capabilities, CodecSpec, Endian, Kind, UnlimitedDimensions, VariableLayout};

static SKIPS: Capabilities = {
    let mut can = Capabilities::new("skips");
    can.contiguous = false;
    can.chunks = true;
    can.unlimited = UnlimitedDimensions::Any;
    can.byte_order = None;
    can.no_fill = true;
    can.skips_chunks = true;
    can
};

/// 10 elements in chunks of 4, where chunk 1 and the last one, which is cut by the extent, hold fill values.
fn half_filled() -> (InMemoryInput, VariableLayout) {
    let from = layout(&[10], Some(&[4]), 2, Endian::Big, 1);
    let mut source = source(from.clone(), []);
    for at in 4..10 {
        source.data[2 * at..2 * at + 2].copy_from_slice(&[0xF0, 0xF1]);
    }
    (input(vec![source]), from)
}

fn skipping(layout: VariableLayout) -> CopyPlan {
    let mut plan = plan(&[layout]);
    plan.schema.kind = Kind::Other(&SKIPS);
    plan.variables[0].skips_fill = true;
    plan
}

fn chunks(input: &InMemoryInput, plan: &CopyPlan) -> (Vec<u64>, Vec<u64>) {
    let log = copy(input, plan, 2, 1 << 30).unwrap();
    let written = log.chunks.values().map(|(_, chunk, _)| *chunk).collect();
    (written, log.skipped.values().copied().collect())
}

#[test]
fn chunks_of_fill_are_left_out_on_every_route() {
    let (input, from) = half_filled();
    let mut other_order = from.clone();
    other_order.endian = Endian::Little;
    let rechunked = layout(&[10], Some(&[2]), 2, Endian::Little, 1);
    for (to, route, expected) in [
        (from.clone(), RouteName::Raw, (vec![0], vec![1, 2])),
        (other_order, RouteName::Refilter, (vec![0], vec![1, 2])),
        (rechunked, RouteName::Blocks, (vec![0, 1], vec![2, 3, 4])),
    ] {
        let plan = skipping(to);
        let prepared = prepare(&input, &plan).unwrap();
        assert_eq!(prepared.routes().next().unwrap().route, route);
        assert!(prepared.plans[0].skips_fill);
        assert_eq!(chunks(&input, &plan), expected, "{route}");
    }
    // What passes is what the input has.
    let log = copy(&input, &skipping(from), 1, 1 << 30).unwrap();
    assert_eq!(log.chunks[&0].2, input.sources[0].encoded(0));
}

#[test]
fn nothing_is_left_out_where_it_would_read_as_something_else() {
    let (input, from) = half_filled();
    let all = (vec![0, 1, 2], vec![]);
    let mut not_asked = skipping(from.clone());
    not_asked.variables[0].skips_fill = false;
    assert_eq!(chunks(&input, &not_asked), all);
    let mut netcdf4 = skipping(from.clone());
    netcdf4.schema.kind = Kind::Netcdf4;
    assert_eq!(chunks(&input, &netcdf4), all);
    let mut other_fill = from.clone();
    other_fill.fill.value.as_mut().unwrap().bytes[0] = 1;
    assert_eq!(chunks(&input, &skipping(other_fill)), all);
    let mut no_fill = from;
    no_fill.fill.value = None;
    assert_eq!(chunks(&input, &skipping(no_fill)), all);
}

#[test]
fn filters_that_are_not_known_cannot_be_looked_through() {
    let (_, mut from) = half_filled();
    from.filters = vec![CodecSpec::hdf5(UNKNOWN_ID, []).with_optional(false)];
    let input = input(vec![source(from.clone(), [])]);
    let mut plan = skipping(from);
    let error = prepare(&input, &plan).unwrap_err().to_string();
    assert!(
        error.contains("not built in, but chunks must be decoded") && !error.contains("pass"),
        "{error}"
    );
    plan.variables[0].skips_fill = false;
    assert_eq!(
        prepare(&input, &plan).unwrap().routes().next().unwrap().route,
        RouteName::Raw
    );
}
