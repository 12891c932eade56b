//! How the types of a text lie in C's memory.

use std::sync::Arc;

use crate::cdl::read::declaration::declared::declare;
use crate::cdl::read::syntax::text::Text;
use crate::model::{SizesInC, Type, TypeId};

#[test]
fn strings_are_pointers_and_fields_are_aligned() {
    let text = b"netcdf a { types: compound h { string s; }; compound a { byte b; string s; }; int(*) v;
        compound c { a x(2); v y; char ch(3); }; compound d { byte q; c w; double e; };
        compound f { byte b; short s; byte c; }; opaque(5) o; compound p { o o(2); byte b; }; short enum e { x = 1 };
        compound r { e m; byte n; }; }";
    let text = Text::new(Arc::new(text.to_vec()), "a.cdl").unwrap();
    let schema = declare(&text).unwrap().schema;
    let sizes = SizesInC::new(&schema);
    let of = |name: &str| {
        let at = schema.types.iter().position(|ty| ty.name == name).unwrap();
        let in_c = sizes.of(Type::User(TypeId(at)));
        (in_c.size, in_c.align)
    };
    for (name, size, align) in [
        ("h", 8, 8),
        ("a", 16, 8),
        ("v", 16, 8),
        ("c", 56, 8),
        ("d", 72, 8),
        ("f", 6, 2),
        ("o", 5, 1),
        ("p", 11, 1),
        ("e", 2, 2),
        ("r", 4, 2),
    ] {
        assert_eq!(of(name), (size, align), "{name}");
    }
    assert_eq!(sizes.of(Type::Double).size, 8);
}
