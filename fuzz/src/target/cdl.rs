//! CDL text.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::cdl::read::declared::declare;
use ncutils_core::cdl::read::text::Text;

use super::dataset::check;
use crate::Seed;
use crate::seed::files;

/// Reads the declarations of a text.
pub fn declarations(input: &[u8]) {
    let text = Text::new(Arc::new(input.to_vec()), "fuzz").expect("memory can be read");
    let Some(declared) = check(declare(&text)) else {
        return;
    };
    let vars = declared.schema.vars.len();
    assert_eq!(
        (declared.storage.len(), declared.lists.len()),
        (vars, vars),
        "one for each variable"
    );
}

/// Texts of the corpus, and one that has each thing once.
pub fn texts(root: &Path) -> Vec<Seed> {
    let mut seeds = files(&root.join("../shared/corpus"), |bytes| {
        bytes.starts_with(b"netcdf")
    });
    seeds.push(Seed::text(
        r#"netcdf a { // comment
types: int(*) v_t ; byte enum e_t { no = 0, yes = 0x1 } ; opaque(3) o_t ;
  compound c_t { v_t v ; e_t e(2, 3), f ; o_t o ; string s ; } ;
dimensions: x = 2, t = UNLIMITED ; \1\ d = 010 ;
variables: int a(t, x), data ; c_t c ; data:units = "K" ; string a:s = "x;", NIL ; c_t :g = {{1}, {no}, 0x00, _} ;
  a:_FillValue = -1 ; a:_ChunkSizes = 1, 2 ; :_Format = "netCDF-4" ; char b(x) ;
data: a = 1, _, 0x3s /* */ , 4L ; data = 09 ; b = "a\n", 'c' ;
group: g { variables: /g/h/t y(/x) ; group: h { types: v_t(*) t ; } } :last = 1.5f, NaN ;
}
"#,
    ));
    seeds
}
