//! Tests of rows of values.

use super::*;
use crate::model::{Kind, Schema, Type};
use crate::print::Precision;
use crate::print::cdl::fill::FillValue;
use crate::print::cdl::item::Style;
use crate::print::cdl::joined::Joined;
use crate::print::cdl::lines::Lines;
use crate::print::element::{ElementContext, ElementWriter};
use proptest::prelude::*;

/// The text of a variable, cut into pieces.
fn text(
    shape: &[u64],
    bytes: Vec<u8>,
    ty: Type,
    braced: Vec<usize>,
    annotations: Annotations,
    piece: usize,
) -> String {
    let schema = Schema::new(Kind::Netcdf4);
    let mut rows = layout(&schema, shape, ty, annotations);
    rows.braced = braced;
    let count = shape.iter().product::<u64>() as usize;
    let region = Region::whole(shape);
    let values = Values::from_bytes(bytes);
    let pieces = (0..count)
        .step_by(piece)
        .map(|start| rows.piece(&region, &values, start..(start + piece).min(count)));
    joined(pieces)
}

fn layout<'a>(schema: &'a Schema, shape: &'a [u64], ty: Type, annotations: Annotations) -> RowLayout<'a> {
    RowLayout {
        name: b"v",
        shape,
        braced: Vec::new(),
        item: ItemFormat::new(
            ElementWriter {
                schema,
                precision: Precision::default(),
                place: ElementContext::Data,
            },
            ty,
            FillValue::None,
            Style::Plain,
        ),
        characters: (ty == Type::Char).then_some(Characters::WithoutPadding),
        annotations,
        line_length: LineLength::default(),
        indent: 2,
        first_column: 7,
    }
}

fn joined(pieces: impl Iterator<Item = RowsPart>) -> String {
    let mut out = Vec::new();
    let mut lines = Lines::new(&mut out);
    lines.set_indent(2);
    lines.set_column(7);
    let mut joined = Joined::default();
    for piece in pieces {
        joined.append(&mut lines, piece).unwrap();
    }
    lines.flush().unwrap();
    String::from_utf8(out).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn pieces_join_to_the_whole(
        shape in proptest::collection::vec(1u64..40, 0..4),
        seed: u64,
        kind in 0..3,
        rows: bool,
        elements in proptest::bool::weighted(0.2),
        braced in proptest::collection::btree_set(1usize..4, 0..3),
        piece in 1usize..400,
    ) {
        let count: u64 = shape.iter().product();
        prop_assume!(count < 4000);
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let (ty, bytes): (_, Vec<u8>) = match kind {
            0 => (Type::Int, (0..count).flat_map(|_| (next() as i32 >> (next() % 32)).to_le_bytes()).collect()),
            1 => (Type::Double, (0..count).flat_map(|_| f64::from_bits(next()).to_le_bytes()).collect()),
            _ => (Type::Char, (0..count).map(|_| if next() % 2 == 0 { 0 } else { next() as u8 }).collect()),
        };
        let braced: Vec<usize> = braced.into_iter().filter(|dim| *dim < shape.len()).collect();
        let annotations = Annotations { rows, elements, ..Annotations::default() };
        let whole = text(&shape, bytes.clone(), ty, braced.clone(), annotations, count as usize);
        prop_assert_eq!(text(&shape, bytes, ty, braced, annotations, piece), whole);
    }
}

#[test]
fn rows_of_characters() {
    let show = |shape: &[u64], bytes: &[u8], piece| {
        text(
            shape,
            bytes.to_vec(),
            Type::Char,
            vec![],
            Annotations::default(),
            piece,
        )
    };
    for piece in 1..12 {
        assert_eq!(
            show(&[10], b"a\0b\n\xe9c\0\0\0\0", piece),
            "\"a\\000b\\n\\351c\" ;\n"
        );
        assert_eq!(
            show(&[2, 3], b"\0\0\0\0\0z", piece),
            "\"\",\n  \"\\000\\000z\" ;\n"
        );
    }
}

/// Rows in pieces of one row or less. Rows with only NULs are not read.
#[test]
fn zeros_are_what_nuls_are() {
    let bytes = b"ab\0\0\0\0\0\0\0\0\0c\0\0\0\0\0\0".to_vec();
    let schema = Schema::new(Kind::Netcdf4);
    for annotated in [false, true] {
        let annotations = Annotations {
            rows: annotated,
            ..Annotations::default()
        };
        let mut rows = layout(&schema, &[3, 6], Type::Char, annotations);
        rows.braced = vec![1];
        let values = Values::from_bytes(bytes.clone());
        let region = Region::whole(rows.shape);
        for step in [1, 2, 3, 6] {
            let print = |passes: bool| {
                let pieces = (0..18).step_by(step).map(|start| {
                    let range = start..start + step;
                    match values.bytes[range.clone()].iter().all(|c| *c == 0) && passes {
                        true => rows.zeros(&[start as u64 / 6, start as u64 % 6], step as u64),
                        false => rows.piece(&region, &values, range),
                    }
                });
                joined(pieces)
            };
            assert_eq!(print(true), print(false));
            assert!(
                annotated || print(true).starts_with("{\"ab\"},"),
                "{}",
                print(true)
            );
        }
    }
}

#[test]
fn braces_around_inner_unlimited_dimensions() {
    let bytes: Vec<u8> = (0..12i32).flat_map(i32::to_le_bytes).collect();
    assert_eq!(
        text(
            &[2, 3, 2],
            bytes,
            Type::Int,
            vec![1, 2],
            Annotations::default(),
            5
        ),
        "{{0, 1},\n  {2, 3},\n  {4, 5}},\n  {{6, 7},\n  {8, 9},\n  {10, 11}} ;\n"
    );
}
