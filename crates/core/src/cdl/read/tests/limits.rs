//! Texts that are large, or no CDL at all.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{declared, error, read};

#[test]
fn limits_hold() {
    let nested = |depth: usize| format!("{}{}", "group: g {".repeat(depth), "}".repeat(depth));
    assert_eq!(declared(&nested(256)).schema.groups.len(), 257);
    assert!(error(&nested(257)).contains("groups cannot be nested more than 256 deep"));
    assert!(error(&"group: g {".repeat(100_000)).contains("256"));

    let types = |depth: usize| -> String {
        let step = |n| format!("t{n}(*) t{} ;", n + 1);
        "types: int(*) t1 ;".to_owned() + &(1..depth).map(step).collect::<String>()
    };
    assert_eq!(declared(&types(32)).schema.types.len(), 32);
    assert!(error(&types(33)).contains("'t33' is made of types more than 32 deep"));

    let members = |count: usize| -> String {
        let member = |n| format!("m{n} = {n},");
        format!(
            "types: int enum e {{ {} last = -1 }} ;",
            (1..count).map(member).collect::<String>()
        )
    };
    assert_eq!(declared(&members(65535)).schema.types.len(), 1);
    assert!(error(&members(65536)).contains("more than 65535 members"));

    let shape = |rank: usize| {
        format!(
            "dimensions: x = 1 ; variables: int v({}x) ;",
            "x,".repeat(rank - 1)
        )
    };
    assert_eq!(declared(&shape(1024)).schema.vars[0].dims.len(), 1024);
    assert!(error(&shape(1025)).contains("more than 1024 dimensions"));
    let field = |rank: usize| format!("types: compound c {{ int f({}1) ; }} ;", "1,".repeat(rank - 1));
    assert!(declared(&field(32)).schema.types.len() == 1);
    assert!(error(&field(33)).contains("more than 32 dimensions"));

    assert!(error(&format!("dimensions: {} = 1 ;", "x".repeat(257))).contains("256 bytes"));
    assert!(error(&format!("variables: int {}", "x".repeat(2 << 20))).contains("is a ';' missing?"));
}

#[test]
fn declaring_takes_time_in_proportion() {
    // Quadratic work would take hours.
    let mut body = "dimensions: x = 2 ; variables:\n".to_owned();
    for n in 0..20_000 {
        write!(body, "int v{n}(x) ; v{n}:a = 1 ; v{n}:b = \"m\" ;").unwrap();
    }
    body += "data:\n";
    for n in 0..20_000 {
        write!(body, "v{n} = 1, 2 ;").unwrap();
    }
    let declared = declared(&body);
    assert_eq!(declared.schema.vars.len(), 20_000);
    // Types that each wait for one further down.
    let mut body = String::new();
    for n in 0..3000 {
        write!(
            body,
            "group: g{n} {{ types: /z/t(*) u ; opaque(1) o opaque(1) p }}"
        )
        .unwrap();
    }
    body += "group: z { types: int(*) t ; }";
    assert_eq!(self::declared(&body).schema.types.len(), 9001);
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        let _ = read(&[b"netcdf a {", bytes.as_slice()].concat());
    }

    #[test]
    fn random_signs_and_words_never_panic(words in proptest::collection::vec(proptest::sample::select(vec![
        "types:", "dimensions:", "variables:", "data:", "group:", "{", "}", "(", ")", ";", ",", "=", ":", "*", "/", "//", "/*",
        "*/", "\n", " ", "\"", "'", "\\", "a", "b", "/a", "int", "byte", "enum", "compound", "opaque", "1", "0x3", "-2", "\u{e9}",
        "_FillValue", "unlimited", "int a;", "int(*) v;", "a = 1;", ":b = 1;", "a:b = 1;", "group: g {", "data", "group",
    ]), 0..60)) {
        let _ = read(format!("netcdf a {{{}", words.concat()).as_bytes());
        let _ = read(format!("netcdf a {{{}", words.join(" ")).as_bytes());
    }
}
