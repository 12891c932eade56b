//! What each declaration gives.

use std::fmt::Write as _;

use super::{declared, outline, read, says};
use crate::model::{Kind, Type};

#[test]
fn sections_in_groups_in_groups() {
    says(
        "types: int(*) v ; dimensions: t = UNLIMITED, x = 3 ; variables: int a(t,x), b ; float c(x) ; data: \
         group: g { dimensions: x = 4; variables: /v u(t, /x, x) ; group: h { variables: v w(x) ; } } \
         group: k { }",
        "group /
           type v: vlen int
           dim t unlimited
           dim x 3
           var a int /:t /:x
           var b int
           var c float /:x
         group /g
           dim x 4
           var u /:v /:t /:x /g:x
         group /g/h
           var w /:v /g:x
         group /k",
    );
}

#[test]
fn types_of_every_class_and_their_layout() {
    says(
        "types: byte enum e { a = 1, b = 0xff, c = -3b } ; uint64 enum big { top = 18446744073709551615 }
         opaque(5) o ; compound p { char c ; double d ; byte z(2, 3), w ; e last ; } ;
         struct q { char c ; p inner(2) ; string s ; short n ; } ;
         p(*) v ; compound r { o a ; o b ; }",
        "group /
           type e: enum byte [(\"a\", 1), (\"b\", -1), (\"c\", -3)]
           type big: enum uint64 [(\"top\", -1)]
           type o: opaque 5
           type p: compound 24, c char [] at 0, d double [] at 8, z byte [2, 3] at 16, w byte [] at 22, last /:e [] at 23
           type q: compound 80, c char [] at 0, inner /:p [2] at 8, s string [] at 56, n short [] at 72
           type v: vlen /:p
           type r: compound 10, a /:o [] at 0, b /:o [] at 5",
    );
}

#[test]
fn group_attributes_and_variable_attributes() {
    says(
        "types: int(*) v ; :before = 1 ; dimensions: d = 2 ; :mid = 1 ; variables: int x(d) ; x:a = 1 ; v x:b = {1} ;
         v :c = {1} ; v:d = {2} ; string :e = \"x\" ; :f = ; x : g = 1 ; data: x:h = 1 ; x = 1, 2 ; :last = \"a;b\" ;
         group: g { :a = 1 ; } :after = 1 ;",
        "group /
           type v: vlen int
           dim d 2
           var x int /:d
             int a
             /:v b
             int g
             int h
           att int before
           att int mid
           att /:v c
           att /:v d
           att string e
           att char f
           att char last
           att int after
         group /g
           att int a",
    );
}

#[test]
fn a_name_that_is_type_and_variable_goes_by_the_blank() {
    says(
        "types: int(*) t ; variables: int t ; t:a = 1 ; t :b = {1} ; t :_FillValue = 1 ;",
        "group /
           type t: vlen int
           var t int
             int a
             int _FillValue
           att /:t b",
    );
}

#[test]
fn keywords_are_names_by_position() {
    says(
        "dimensions: string = 2 ; n = 3 ; unlimited = 4 ; variables: ubyte byte(n) ; int string(string) ; byte:a = 1 ;
         string :g = \"x\" ; string:a = 1 ; int int, netcdf ; float enum(unlimited) ; int opaque ; int compound ;
         data: int = 1 ; string = 1, 2 ; group: types { variables: int group ; } ",
        "group /
           dim string 2
           dim n 3
           dim unlimited 4
           var byte ubyte /:n
             int a
           var string int /:string
             int a
           var int int
           var netcdf int
           var enum float /:unlimited
           var opaque int
           var compound int
           att string g
         group /types
           var group int",
    );
    says(
        "types: int enum compound { enum = 1 } ; compound enum { int opaque ; compound c ; } ; opaque(3) opaque ;
         opaque(*) struct ; struct(*) int ; variables: /int x ; int z ; enum y ; struct x:a = {0x010203} ;",
        "group /
           type compound: enum int [(\"enum\", 1)]
           type opaque: opaque 3
           type enum: compound 8, opaque int [] at 0, c /:compound [] at 4
           type struct: vlen /:opaque
           type int: vlen /:struct
           var x /:int
             /:struct a
           var z int
           var y /:enum",
    );
}

#[test]
fn headings_are_names_where_such_a_variable_is() {
    says(
        "variables: int data ; data:units = 1 ; data :b = 1 ; int group ; group:units = 1 ; int types, variables, dimensions ;
         types:a = 1 ; variables:a = 1 ; dimensions:a = 1 ;
         data: data = 1 ; data:c = 1 ; group: data { } group:g{}",
        "group /
           var data int
             int units
             int b
             int c
           var group int
             int units
           var types int
             int a
           var variables int
             int a
           var dimensions int
             int a
         group /data
         group /g",
    );
    // Without one, a heading is a heading, whatever follows.
    says(
        "variables:int x;data:x=1;group:g{}",
        "group /
           var x int
         group /g",
    );
}

#[test]
fn dimensions_are_spelled_in_many_ways() {
    says(
        "dimensions: a = 0 ; b = Unlimited ; c = 0x10 ; d = 0x10L, e = 010 ; f = 5UL ; g = 7s ; h = 9223372036854775807 ;",
        "group /
           dim a unlimited
           dim b unlimited
           dim c 16
           dim d 16
           dim e 8
           dim f 5
           dim g 7
           dim h 9223372036854775807",
    );
}

#[test]
fn names_have_escapes_and_any_letters() {
    says(
        r"dimensions: \1d = 1 ; 2d = 2 ; a-b.c+d@e = 3 ; α\ β\;\{ = 4 ; n\%0al = 5 ;
          variables: int x\:y(\1d, 2d, a-b.c+d@e, α\ β\;\{) ; x\:y:\=\ = 1 ; data: x\:y = 1 ;",
        "group /
           dim 1d 1
           dim 2d 2
           dim a-b.c+d@e 3
           dim α β;{ 4
           dim n
l 5
           var x:y int /:1d /:2d /:a-b.c+d@e /:α β;{
             int = ",
    );
}

#[test]
fn comments_and_blanks_may_stand_anywhere() {
    let text = "\u{feff}// first\r\n/* a */ netCDF  b c /{/**/ dimensions :x = /* 2 */ 1 ;\r\ndimensions: // d\r\n a/**/= 3 // }\r\n, b = /*;*/ 2 ; variables:\r\nint/**/v // (\n ( a, /* , */ b ) /* ; */ ; v : x // :\n = 1 /* ; */, 2 // ;\n ; v:s = \"//;\" ; v:c = ';', '\\'', '\"' ; }\r\n// last";
    let declared = read(text.as_bytes()).unwrap_err().to_string();
    assert!(declared.contains("dimensions"), "{declared}");
    let text = text.replacen("dimensions :x", ":x", 1);
    let declared = read(text.as_bytes()).unwrap();
    assert_eq!(declared.name, "bc/");
    assert_eq!(
        outline(&declared.schema)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        "group / dim a 3 dim b 2 var v int /:a /:b int x char s byte c att int x"
    );
}

#[test]
fn things_further_down_are_found() {
    says(
        "group: a { types: /z/t(*) u ; compound c { u x ; v y ; } ; variables: t x(/z/n) ; t :g = 1 ; /a/c y ; }
         group: z { dimensions: n = 3 ; types: int enum t { o = 0 } ; t(*) v ; variables: v x(n) ; data: x = {o} ; }",
        "group /
         group /a
           type u: vlen /z:t
           type c: compound 32, x /a:u [] at 0, y /z:v [] at 16
           var x /z:t /z:n
           var y /a:c
           att /z:t g
         group /z
           type t: enum int [(\"o\", 0)]
           type v: vlen /z:t
           dim n 3
           var x /z:v /z:n",
    );
}

#[test]
fn the_last_of_two_is_taken_with_a_warning() {
    let declared = declared(
        "variables: int x ; x:a = 1 ; x:b = 1 ; x:a = \"t\" ; :g = 1 ; :g = 2, 3 ;\ndata: x = 1 ;\n x = 2 ;",
    );
    let a = &declared.schema.vars[0].attributes;
    assert_eq!(
        [(&a[0].name[..], a[0].ty), (&a[1].name[..], a[1].ty)],
        [("a", Type::Char), ("b", Type::Int)]
    );
    assert_eq!(declared.schema.groups[0].attributes[0].length, 2);
    let warnings: Vec<_> = declared
        .warnings
        .iter()
        .map(|w| (w.line, w.column, &w.what[..]))
        .collect();
    assert_eq!(
        warnings,
        [
            (2, 42, "attribute 'a' was given before; this one is taken"),
            (2, 62, "attribute 'g' was given before; this one is taken"),
            (4, 2, "'x' was given values before; these are taken"),
        ]
    );
}

#[test]
fn a_fill_value_is_of_its_variable_s_type() {
    let declared = declared("variables: int v ;\n double v:_FillValue = 1.9 ; int v:_FillValue = 2 ;");
    let a = &declared.schema.vars[0].attributes[0];
    assert_eq!((a.ty, a.values.bytes.as_slice()), (Type::Int, &[2, 0, 0, 0][..]));
    let [other, cut, again] = &declared.warnings[..] else {
        panic!("{:?}", declared.warnings)
    };
    assert_eq!((other.line, other.column), (3, 2));
    assert!(other.what.contains("the type of its variable"), "{other}");
    assert!(cut.what.contains("int cannot hold 1.9: it becomes 1"), "{cut}");
    assert!(again.what.contains("given before"), "{again}");
}

#[test]
fn names_that_netcdf_c_cannot_create_are_taken_with_a_warning() {
    let declared = declared(
        "types: byte enum e { \\-1 = 1, a = 2 } ; dimensions: \\-x = 2 ;\nvariables: int \\-x(\\-x) ; int v ; v:a\\ = 1 ; :b\\ c = 1 ;\n\
         group: \\@g { :\\-x = 1 ; }",
    );
    assert_eq!(declared.schema.dims[0].name, "-x");
    let warnings: Vec<_> = declared
        .warnings
        .iter()
        .map(|w| (w.line, w.column, &w.what[..]))
        .collect();
    let begins = "a name begins with a letter, digit or underscore";
    assert_eq!(
        warnings,
        [
            (
                2,
                18,
                &format!("netCDF-C cannot create the name \"-1\": {begins}")[..]
            ),
            (
                2,
                53,
                &format!("netCDF-C cannot create the name \"-x\": {begins}")
            ),
            (
                3,
                37,
                "netCDF-C cannot create the name \"a \": a name cannot end with a space"
            ),
            (4, 8, &format!("netCDF-C cannot create the name \"@g\": {begins}")),
        ]
    );
}

#[test]
fn provenance_is_dropped_and_the_format_kept() {
    let declared = declared(
        ":_NCProperties = \"version=2\" ; :_SuperblockVersion = 2 ; :_IsNetcdf4 = 1 ; :_Format = \"64-bit offset\" ;",
    );
    assert!(declared.schema.groups[0].attributes.is_empty());
    assert_eq!(declared.format, Some(Kind::Offset64));
    assert_eq!(declared.schema.kind, Kind::Offset64);
    assert_eq!(self::declared("").format, None);
}

#[test]
fn many_attributes_of_one_variable() {
    let mut body = "variables: int x ;".to_owned();
    for n in 0..2000 {
        write!(body, "x:a{} = 1 ;", n % 1000).unwrap();
    }
    let declared = declared(&body);
    assert_eq!(declared.schema.vars[0].attributes.len(), 1000);
    assert_eq!(declared.warnings.len(), 100);
}
