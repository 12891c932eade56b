//! How many chunks are written for a list that is shorter than its variable.

use std::sync::Arc;

use crate::cdl::read::reader::CdlReader;
use crate::cdl::read::storage::plan::{PlanOptions, plan};
use crate::cdl::read::syntax::text::Text;
use crate::copy::prepare;
use crate::model::Kind;

/// The chunks that each variable of a text is given.
fn chunks(body: &str, no_fill: bool) -> Vec<u64> {
    let text = format!("netcdf a {{\n{body}\n}}\n").into_bytes();
    let reader = CdlReader::open(Text::new(Arc::new(text), "a.cdl").unwrap()).unwrap();
    let options = PlanOptions {
        kind: Kind::Netcdf4,
        no_fill,
        header_only: false,
        string_length: None,
    };
    let plan = plan(
        &reader,
        reader.storages(),
        options,
        &crate::filter::Registry::builtin(),
    )
    .unwrap();
    let prepared = prepare(&reader, &plan).unwrap();
    prepared.plans.iter().map(|plan| plan.promised.chunks()).collect()
}

#[test]
fn chunks_behind_the_values_are_not_written() {
    for (dims, variable, list, expected) in [
        ("x = 100000000", "byte v(x) ; v:_ChunkSizes = 1", "1", 1),
        ("x = 10", "byte v(x) ; v:_ChunkSizes = 1", "1, _, 3, _", 4),
        ("x = 10", "byte v(x) ; v:_ChunkSizes = 4", "1, 2, 3, 4, 5", 2),
        (
            "x = 10",
            "byte v(x) ; v:_ChunkSizes = 10 ; v:_FillValue = 3b",
            "1",
            1,
        ),
        (
            "x = 4, y = 6",
            "int v(x, y) ; v:_ChunkSizes = 1, 2",
            "1, 2, 3, 4, 5, 6, 7",
            4,
        ),
        (
            "x = 4, y = 6",
            "int v(x, y) ; v:_ChunkSizes = 2, 3",
            "1, 2, 3, 4, 5, 6, 7",
            2,
        ),
        ("x = 4, y = 6", "int v(x, y) ; v:_ChunkSizes = 2, 3", "1, 2, 3", 1),
        (
            "x = 4, u = unlimited",
            "int v(x, u) ; v:_ChunkSizes = 1, 1",
            "{1, 2}, {3}",
            3,
        ),
        (
            "x = 100000, u = unlimited",
            "int v(x, u) ; v:_ChunkSizes = 1, 10",
            "{1, 2}, {3}, {}, _, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {1}",
            5,
        ),
        (
            "t = unlimited, x = 2, u = unlimited, y = 2",
            "int v(t, x, u, y) ; v:_ChunkSizes = 1, 1, 1, 1",
            "{1, 2, 3}, {}, {1}, {1, 2, 3, 4}",
            8,
        ),
        (
            "x = 4, u = unlimited",
            "int v(u, x) ; v:_ChunkSizes = 1, 1",
            "1, 2, 3, 4, 5",
            5,
        ),
        (
            "x = 9, y = 4",
            "char v(x, y) ; v:_ChunkSizes = 1, 2",
            "\"a\", \"b\"",
            3,
        ),
        // HDF5 up to 2.0 cannot read unwritten strings whose fill value is not NIL.
        ("x = 100", "string v(x) ; v:_ChunkSizes = 1", "NIL, \"b\"", 100),
        // Their fill is made of fields' or members', and is not the file's.
        ("x = 9", "c v(x) ; v:_ChunkSizes = 1", "{1}", 9),
        ("x = 9", "e v(x) ; v:_ChunkSizes = 1", "one", 9),
        ("x = 9", "o v(x) ; v:_ChunkSizes = 1", "0x01", 1),
    ] {
        let types = "types: compound c { int i ; } ; byte enum e { one = 1 } ; opaque(3) o ;";
        let text = format!("{types} dimensions: {dims} ; variables: {variable} ; data: v = {list} ;");
        assert_eq!(chunks(&text, false), [expected], "{text}");
    }
}

#[test]
fn what_has_no_fill_value_is_written_whole_unless_that_is_much() {
    let text = |length: &str| {
        format!(
            "dimensions: x = {length} ; u = unlimited ;
            variables: int v(u, x) ; v:_ChunkSizes = 1, 10 ; int w(u) ; w:_ChunkSizes = 1 ; int n(u) ; n:_ChunkSizes = 1 ;
            data: v = 1 ; w = 1, 2, 3, 4 ;"
        )
    };
    assert_eq!(chunks(&text("20"), true), [8, 4, 0]);
    assert_eq!(chunks(&text("20"), false), [1, 4, 0]);
    assert_eq!(chunks(&text("1000000000"), true), [1, 4, 0]);
}
