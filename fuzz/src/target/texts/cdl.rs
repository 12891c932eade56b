//! Fuzzes the CDL parser: declarations and all values.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::cdl::read::{CdlReader, Text, declare};
use ncutils_core::error::Error;

use super::super::files::dataset::{check, read_reader};
use crate::Seed;
use crate::seed::files;

/// Parses a text, checks its values, reads it as a dataset, and prints that.
pub fn read(input: &[u8]) {
    let end = input.len() as u64;
    let Some(text) = check(Text::new(Arc::new(input.to_vec()), "fuzz.cdl")) else {
        return;
    };
    let declared = match declare(&text) {
        Ok(declared) => declared,
        Err(error) => return placed(error, end),
    };
    let vars = declared.schema.vars.len();
    assert_eq!(
        (declared.storage.len(), declared.lists.len()),
        (vars, vars),
        "one for each variable"
    );
    let Some(reader) = check(CdlReader::new(text, declared)) else {
        return;
    };
    match reader.check() {
        Ok(()) => read_reader(&reader),
        Err(error) => placed(error, end),
    }
}

/// Checks that the positions of errors are within the text.
fn placed(error: Error, end: u64) {
    if let Error::Cdl(diagnostics) = &error {
        let is_within = |line, column| (1..=end + 1).contains(&line) && column >= 1;
        assert!(
            !diagnostics.is_empty()
                && diagnostics
                    .iter()
                    .all(|found| is_within(found.line, found.column)),
            "{error}"
        );
    }
    check::<()>(Err(error));
}

/// Texts with every statement, type and form of constant, and the texts of the corpus.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let mut seeds: Vec<Seed> = [
        ALL, TYPES, DATA, CONSTANTS, ATTRIBUTES, STORAGE, GROUPS, UNLIMITED, CHARACTERS,
    ]
    .map(Seed::text)
    .into();
    seeds.extend(files(&root.join("../shared/corpus/cdl"), |bytes| {
        bytes.len() < 8192 && bytes.windows(7).any(|w| w.eq_ignore_ascii_case(b"netcdf "))
    }));
    seeds
}

const ALL: &str = r#"netcdf a { // comment
types: int(*) v_t ; byte enum e_t { no = 0, yes = 0x1 } ; opaque(3) o_t ;
  compound c_t { v_t v ; e_t e(2, 3), f ; o_t o ; string s ; } ;
dimensions: x = 2, t = UNLIMITED ; \1\ d = 010 ;
variables: int a(t, x), data ; c_t c ; data:units = "K" ; string a:s = "x;", NIL ; c_t :g = {{1}, {no}, 0x00, _} ;
  a:_FillValue = -1 ; a:_ChunkSizes = 1, 2 ; :_Format = "netCDF-4" ; char b(x) ;
data: a = 1, _, 0x3s /* */ , 4L ; data = 09 ; b = "a\n", 'c' ;
group: g { variables: /g/h/t y(/x) ; group: h { types: v_t(*) t ; } } :last = 1.5f, NaN ;
}
"#;

const TYPES: &str = r"netcdf types { types: byte enum e { a = -1, b = 0x7f } ; opaque(5) o ; int(*) row ; row(*) rows ;
compound c { int n ; e m(2) ; float f(2, 3) ; o q ; string s ; row r ; } ; string(*) words ; c(*) many ;
dimensions: d = 2 ; variables: e ve(d) ; o vo(d) ; row vr(d) ; rows vrr ; c vc(d) ; words vw ; many vm ; c :g = {1} ;
data: ve = a, e.b ; vo = 0x0102030405, 0x1 ; vr = {1, 2}, {} ; vrr = {{1}, {}, {2, 3}} ;
vc = {1, {a, b}, {1, 2, 3, 4, 5, 6}, 0xff, NIL, {7}}, {2, {_, a}, {_}, _, NIL, {}} ; vw = {NIL} ;
vm = {{1, {a, b}, {1, 2, 3}, 0x00, NIL, {1}}} ; }";

const DATA: &str = "netcdf data { dimensions: t = UNLIMITED ; x = 3 ; variables: int i(t, x) ; float f(x) ; double d ;
byte b(x) ; short s(t) ; f:_FillValue = -9.f ; // a comment
data: i = 1, 2, 3, _, 5, 6 ; /* another */ f = 1.5, _, nan ; d = -1e-300 ; b = 'a', 0x7f, -1b ; s = 1s, 2 ; f = 1, 2 ; }";

const CONSTANTS: &str = r"netcdf constants { dimensions: a = 2 ; variables: uint64 u(a) ; :i = 1, -2, 017, 5000000000, 0xffL, 1ull, 2LLU, 3us, 4ub, 5l ;
:f = 1.f, .5F, 1e5f, NaNf, -Infinityf, Inff, FloatInf ; :d = 1., 1.e-3, 2.5d, NaN, Infinity, DoubleInf, -0. ;
:c = 'a', '\n', '\101', '\x41', '\0' ; string :n = NIL ; data: u = 18446744073709551615, -1 ; }";

const ATTRIBUTES: &str = r#"NETCDF a b c { :early = 1 ; variables: int v ; string v:s = "a", "b\n\"\\\303\251" ; v:t = "x", "y" ;
double v:d = 1, 2 ; v:e = ; char :c = "" ; :a = 1 ; :a = 2 ; int a\ b\(c\) ; a\ b\(c\):x\:y = 5b ; v:d = 3. ; data: v = ; }"#;

const STORAGE: &str = r#"netcdf s { dimensions: x = 8 ; y = 9 ; variables: int v(x, y) ; v:_Storage = "chunked" ; v:_ChunkSizes = 4, 3 ;
v:_DeflateLevel = 5 ; v:_Shuffle = "true" ; v:_Fletcher32 = "true" ; v:_Endianness = "big" ; v:_NoFill = "false" ;
int w(x) ; w:_Filter = "1,5|32015,3" ; w:_Codecs = "[]" ; w:_FillValue = 3 ; :_Format = "netCDF-4" ; :_NCProperties = "x" ; }"#;

const GROUPS: &str = "netcdf g { dimensions: x = 2 ; group: a { types: int enum e { p = 1 } ; dimensions: x = 3 ; variables: int v(x) ;
int w(/x) ; e u ; data: v = 1, 2, 3 ; u = p ; group: b { variables: /a/e v(x) ; data: v = p, /a/e.p, _ ; } :late = 1 ; } group: c { } }";

const UNLIMITED: &str = r#"netcdf u { dimensions: t = UNLIMITED ; u = unlimited ; x = 2 ; z = 0 ; variables: int v(t, u) ; int w(x, u) ;
char c(t, x, u) ; string s(u) ; double time(t) ; time:units = "days since 2000-01-01" ;
data: v = {1, 2, 3}, {4}, {} ; w = {1}, {2, 3} ; c = {"ab", "c"}, {"d"} ; s = "x", NIL ; time = 1, 2 ; }"#;

const CHARACTERS: &str = r#"netcdf c { dimensions: x = 3 ; y = 4 ; variables: char a(x, y) ; char b(y) ; char c ; char d(x, y) ;
data: a = "one", "two", 'a', 'b' ; b = "a\tb", 'c' ; c = "x" ; d = "longer", _ ; }"#;

#[cfg(test)]
mod tests {
    use super::*;

    /// A seed that is refused at its beginning would not lead far.
    #[test]
    fn own_texts_are_read_to_their_end() {
        for text in [
            TYPES, DATA, CONSTANTS, ATTRIBUTES, STORAGE, GROUPS, UNLIMITED, CHARACTERS,
        ] {
            let text = Text::new(Arc::new(text.as_bytes().to_vec()), "seed").unwrap();
            let declared = declare(&text).unwrap_or_else(|e| panic!("{e}"));
            let reader = CdlReader::new(text, declared).unwrap();
            reader.check().unwrap_or_else(|e| panic!("{e}"));
        }
    }
}
