//! Texts with several errors: all are told that are certain, and none that follows from another.

use crate::error::Error;

use super::read;

/// Texts, in which ‹ stands before each error that is told.
const TEXTS: &[&str] = &[
    "types: ‹flaot(*) t ; int enum e { a = 1, ‹a = 2 } ;
     dimensions: x = 2 ; y = ‹two ; ‹x = 3 ;
     variables: int v(x), w(x, y) ; v:a = ‹m ; ‹foo u(x) ; char ‹v ; t z ;
       u:a = 1 ; z:a = 1 ; w:units = \"m\" ; ‹q:b = 2 ;
     data: v = 1, ‹, 2 ; ‹nothing = 1 ; w = 3 ; u = 4 ;",
    // A name is told once, wherever it is used.
    "variables: ‹foo a ; foo b ; int c(‹d) ; int e(d) ; data: a = 1 ; e = 2 ;",
    // The declarations of a group that comes later are known.
    "variables: /g/t v ; int w(‹x) ; group: g { types: opaque(1) t ; variables: int u(‹y) ; }",
    // A semicolon is missing before a section. What uses the names before it may be right.
    "dimensions: x = 2 ‹variables: int v(x) ; int w ; v:a = m ; w:a = ‹m ; data: v = 1, , 2 ; w = ‹{,} ;",
    "variables: int v ‹data: v = 1 ; ‹w = 2 ;",
    // Values are parsed too.
    "variables: int v ; data: v = 1 ‹w = 2 ; ‹u = 3 ;",
    // Of fields.
    "types: compound c { int a ; int ‹a ; } ; compound d { int a ‹} ; opaque(‹x) o ; variables: c v ; int‹[2] w ;",
    // Types that wait for one that is wrong, and for each other.
    "types: b(*) a ; compound b { ‹nothing n ; } ; variables: a v ;",
    // Where the structure is not clear, nothing more is said.
    "dimensions: x = ‹two ; ‹variable: int v(q) ; int w(r) ;",
    "variables: int v(‹q) ; data: v = {1, 2 ; w = 2 ;",
    // Names that are not found may be declared behind the break.
    "variables: int v(q) ; group: ‹{ variables: int w(r) ; }",
    "variables: int v(q) ; v:a = ‹\"abc ; int w(r) ;",
    ":a = ‹m ; :b = ‹n ; ‹types int(*) t ;",
];

fn places(bytes: &[u8]) -> Vec<(u64, u64, String)> {
    match read(bytes) {
        Err(Error::Cdl(errors)) => errors.into_iter().map(|e| (e.line, e.column, e.what)).collect(),
        Err(other) => panic!("{other}"),
        Ok(_) => Vec::new(),
    }
}

#[test]
fn all_that_is_certain_is_told() {
    for marked in TEXTS {
        let marked = format!("netcdf a {{\n{marked}\n}}\n");
        let mut text = String::new();
        let mut expected = Vec::new();
        for part in marked.split_inclusive('‹') {
            text.push_str(part.trim_end_matches('‹'));
            if part.ends_with('‹') {
                let line = text.matches('\n').count() as u64 + 1;
                let column = text.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
                expected.push((line, column));
            }
        }
        let found = places(text.as_bytes());
        let told: Vec<_> = found.iter().map(|(line, column, _)| (*line, *column)).collect();
        assert_eq!(told, expected, "{text}\n{found:#?}");
    }
}

#[test]
fn twenty_are_told() {
    let lines: String = (0..50).map(|n| format!("int v{n}(x{n}) ;\n")).collect();
    let found = places(format!("netcdf a {{ variables:\n{lines}}}").as_bytes());
    assert_eq!(found.len(), 20);
    assert_eq!((found[19].0, found[19].1), (21, 9));
    assert!(found[19].2.ends_with("; further errors are not shown"));
}

/// Every text with one byte taken out or doubled gives errors in its order, and each place once.
#[test]
fn errors_are_in_order_wherever_a_text_breaks() {
    let text = "netcdf a {\ntypes: compound c { int a(2) ; } ; int enum e { m = 1 } ; c(*) t ;\ndimensions: x = 2 ; u = unlimited ;\n\
                variables: int v(x) ; t w(u) ; e f ; v:a = \"b\", \"c\" ; // text\n :g = 1b ;\n\
                data: v = 1, 2 ; w = {{{1, 2}}} ; f = m ;\ngroup: g { variables: c k(u) ; data: k = {{1, 2}} ; }\n}\n";
    assert_eq!(places(text.as_bytes()), []);
    for at in 0..text.len() {
        for put in [&b""[..], b";", b"}", b"{", b"\"", b"x", b":"] {
            let bytes = [&text.as_bytes()[..at], put, &text.as_bytes()[at + 1..]].concat();
            let found = places(&bytes);
            let in_order = found.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1));
            assert!(in_order, "{}\n{found:#?}", String::from_utf8_lossy(&bytes));
        }
    }
}
