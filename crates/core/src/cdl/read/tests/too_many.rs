//! Lists with more values than there is room for.

use std::sync::Arc;

use crate::cdl::read::reader::CdlReader;
use crate::cdl::read::syntax::text::Text;
use crate::chunk::Region;
use crate::format::Reader;
use crate::model::VarId;

/// A text whose variable `v`, declared by `head`, has these values; all of them are parsed.
fn read(head: &str, values: &str) -> CdlReader {
    let spelled = format!("netcdf a {{\n{head};\ndata:\nv={values};\n}}");
    let text = Text::new(Arc::new(spelled.into_bytes()), "a.cdl").unwrap();
    let reader = CdlReader::open(text).unwrap();
    reader.check().unwrap();
    reader
}

/// The elements of `v`.
fn bytes(reader: &CdlReader) -> Vec<u8> {
    let shape = reader.schema().shape(VarId(0));
    let values = reader.read_region(VarId(0), &Region::whole(&shape));
    values.unwrap().bytes
}

/// Place in the line, and what is said.
fn warning(reader: &CdlReader) -> (u64, String) {
    let [warning] = reader.warnings() else {
        panic!("one warning is expected: {:?}", reader.warnings())
    };
    (warning.column, warning.what.clone())
}

#[test]
fn the_first_elements_are_taken() {
    let reader = read(
        "dimensions: x = 2; u = unlimited; variables: int v(x, u)",
        "{1, 2}, {3}, {4, 5, 6}",
    );
    let said = "too many values: there is room for 2, and 1 is left out";
    assert_eq!(warning(&reader), (16, said.to_owned()));
    let fill = -2_147_483_647;
    let expected = [1, 2, fill, 3, fill, fill].map(i32::to_le_bytes).concat();
    assert_eq!(bytes(&reader), expected);

    let reader = read(
        "dimensions: x = 2; y = 3; variables: char v(x, y)",
        "'a', \"bcd\", \"efghi\"",
    );
    let said = "too many characters: there is room for 6, and 5 are left out";
    assert_eq!(warning(&reader), (15, said.to_owned()));
    assert_eq!(bytes(&reader), b"a\0\0bcd");
}

#[test]
fn the_rest_of_a_long_list_is_not_parsed() {
    let long: String = (0..200_000).map(|n| format!("{n}, ")).collect();
    let reader = read(
        "dimensions: x = 100000; variables: int v(x)",
        &(long + "no, number"),
    );
    assert!(warning(&reader).1.contains("100002 are left out"));
    let expected: Vec<u8> = (0..100_000i32).flat_map(i32::to_le_bytes).collect();
    assert_eq!(bytes(&reader), expected);
    let mut part = [0; 8];
    reader.read_range(VarId(0), 4 * 99_998, &mut part).unwrap();
    assert_eq!(part, expected[4 * 99_998..]);
}

#[test]
fn a_field_takes_the_first_too() {
    let reader = read(
        "types: compound c { short n(2); char t(2, 3); short b; }; variables: c v",
        "{{1, 2, 3, 4}, {'a', \"bcd\", \"e\"}, 7}",
    );
    // A window may be parsed again; a warning is told once.
    reader.check().unwrap();
    let warnings = reader.warnings_of_values().unwrap();
    let told: Vec<_> = warnings.iter().map(|w| (w.column, w.what.as_str())).collect();
    assert_eq!(
        told,
        [
            (11, "too many values: there is room for 2, and 2 are left out"),
            (31, "too many characters: there is room for 6, and 1 is left out"),
        ]
    );
    assert_eq!(bytes(&reader), b"\x01\0\x02\0a\0\0bcd\x07\0");
}
