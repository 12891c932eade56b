//! Text in outputs where unwritten text reads as empty.

use std::collections::BTreeMap;

use super::in_memory::{InMemoryInput, copy, input, layout, plan, source};
use crate::copy::{CopyPlan, RouteName, Sources, prepare};
use crate::model::{
    Capabilities, Encoding, Endian, Kind, Type, UnlimitedDimensions, Values, VarId, VariableLayout,
};

static EMPTY_TEXT: Capabilities = {
    let mut can = Capabilities::new("empty text");
    can.contiguous = false;
    can.chunks = true;
    can.unlimited = UnlimitedDimensions::Any;
    can.byte_order = None;
    can.no_fill = true;
    can.unwritten_strings_are_empty = true;
    can.unwritten_characters_are_empty = true;
    can
};

/// A layout of characters in chunks of 4, filled with `fill`.
fn text(length: u64, fill: u8) -> VariableLayout {
    let mut layout = layout(&[length], Some(&[4]), 1, Endian::Little, 0);
    layout.encoding = Encoding::Numbers { unit: 1 };
    layout.fill.value = Some(Values::from_bytes(vec![fill]));
    layout
}

fn to_empty_text(mut plan: CopyPlan) -> CopyPlan {
    plan.schema.kind = Kind::Other(&EMPTY_TEXT);
    plan.schema.vars[0].ty = Type::Char;
    plan
}

/// The text of all chunks that are written, by number.
fn chunks(input: &InMemoryInput, plan: &CopyPlan) -> BTreeMap<u64, String> {
    let log = copy(input, plan, 2, 1 << 30).unwrap();
    let one = |(_, chunk, data): &(VarId, u64, crate::format::EncodedChunk)| {
        (*chunk, String::from_utf8_lossy(&data.bytes).into_owned())
    };
    log.chunks.values().map(one).collect()
}

fn letters(length: u64, fill: u8, missing: &[u64]) -> InMemoryInput {
    let mut source = source(text(length, fill), missing.iter().copied());
    source.data = (b'a'..).take(length as usize).collect();
    let mut input = input(vec![source]);
    input.schema.vars[0].ty = Type::Char;
    input
}

#[test]
fn unwritten_text_is_written_if_its_fill_value_is_not_empty() {
    let holes = letters(12, b'-', &[1]);
    let plan_of = |length, fill| to_empty_text(plan(&[text(length, fill)]));
    let written = chunks(&holes, &plan_of(12, b'-'));
    assert_eq!(
        written.values().map(String::as_str).collect::<Vec<_>>(),
        ["abcd", "----", "ijkl"]
    );
    // Past the input's extent, too.
    let written = chunks(&holes, &plan_of(20, b'-'));
    assert_eq!(written.len(), 5);
    assert_eq!((&written[&3][..], &written[&4][..]), ("----", "----"));
    // An empty fill value needs nothing, and neither do other kinds or other types.
    let empty = letters(12, 0, &[1]);
    assert_eq!(chunks(&empty, &plan_of(12, 0)).len(), 2);
    let mut netcdf4 = plan_of(12, b'-');
    netcdf4.schema.kind = Kind::Netcdf4;
    assert_eq!(chunks(&holes, &netcdf4).len(), 2);
    let mut bytes = plan_of(12, b'-');
    bytes.schema.vars[0].ty = Type::Byte;
    assert_eq!(chunks(&holes, &bytes).len(), 2);
    // Text without holes passes.
    let full = letters(12, b'-', &[]);
    let prepared = prepare(&full, &plan_of(12, b'-')).unwrap();
    assert_eq!(prepared.routes().next().unwrap().route, RouteName::Raw);
}

#[test]
fn text_without_any_data_is_written() {
    let empty = letters(12, b'-', &[0, 1, 2]);
    let mut plan = to_empty_text(plan(&[text(12, b'-')]));
    for sources in [Sources::Whole(VarId(0)), Sources::Nothing] {
        plan.variables[0].sources = sources;
        let written = chunks(&empty, &plan);
        assert_eq!(
            written.values().map(String::as_str).collect::<Vec<_>>(),
            ["----"; 3]
        );
    }
    // An input of length 0, along a dimension that is longer.
    plan.variables[0].sources = Sources::Whole(VarId(0));
    assert_eq!(chunks(&letters(0, b'-', &[]), &plan).len(), 3);
}
