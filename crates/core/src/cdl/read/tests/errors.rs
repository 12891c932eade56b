//! What is wrong, and where.

use super::{error, read, wrong};

/// What people write, and what they are told.
const MISTAKES: &[(&str, &str)] = &[
    (
        "‹vars: int a ;",
        "there is no variable 'vars', and no type: is the section 'variables:' meant?",
    ),
    (
        "‹DIMENSIONS: a = 1 ;",
        "there is no variable 'DIMENSIONS', and no type: is the section 'dimensions:' meant?",
    ),
    (
        "‹Dims: a = 1 ; b = 2 ; variables: int v(a, b) ;",
        "there is no variable 'Dims', and no type: is the section 'dimensions:' meant?",
    ),
    (
        "char :a = ‹_ ;",
        "an attribute has no fill value that _ could mean",
    ),
    (
        "char :a = \"x\", ‹_ ;",
        "an attribute has no fill value that _ could mean",
    ),
    (
        "variables: char c ; c:_FillValue = ‹_ ;",
        "an attribute has no fill value that _ could mean",
    ),
    (
        "variables: int c ; c:_FillValue = ‹_ ;",
        "an attribute has no fill value that _ could mean",
    ),
    (
        "string :a = ‹_ ;",
        "an attribute has no fill value that _ could mean",
    ),
    (
        "‹dimension: x = 2 ;",
        "there is no variable 'dimension', and no type: is the section 'dimensions:' meant?",
    ),
    (
        "‹Variables:\n int v ;",
        "there is no variable 'Variables', and no type: is the section 'variables:' meant?",
    ),
    (
        "‹groups: g { }",
        "there is no variable 'groups', and no type: is the section 'group:' meant?",
    ),
    (
        "dimensions: x = 2\n ‹variables: int v(x) ;",
        "expected ',' or ';', found 'variables'",
    ),
    (
        "dimensions: x = 2 ; variables: int v(x)\n ‹data: v = 1, 2 ;",
        "expected ',' or ';', found 'data'",
    ),
    (
        "variables: int v\n ‹v:a = 1 ;",
        "expected ',', ';' or '(', found 'v'",
    ),
    (
        "dimensions: x = ‹2.5 ;",
        "2.5 is not an integer: it has a fraction",
    ),
    (
        "variables: int v(‹2) ;",
        "there is no dimension '2': a length needs a name, given in the section 'dimensions:'",
    ),
    (
        "dimensions: lat = 2 ; variables: int v(‹lta) ;",
        "there is no dimension 'lta': is 'lat' meant?",
    ),
    (
        "variables: int temp ; data: ‹tmep = 1 ;",
        "there is no variable 'tmep' in this group: is 'temp' meant?",
    ),
    ("data: ‹/g/x = 1 ;", "there is no variable '/g/x'"),
    (
        "variables: int v ; data: v = 1\n‹}",
        "expected ',' or ';', found '}', which closes no list here",
    ),
    (
        "variables: int v ; v:a = 1 ‹2 ;",
        "expected ',' or ';', found '2'",
    ),
    ("variables: int v ; v:a = 1, ‹;", "expected a value, found ';'"),
    ("variables: int v ; v:a = ‹(1) ;", "expected a value, found '('"),
    (
        "variables: int v ; v:a = ‹{1} ;",
        "an attribute that holds lists needs its type before its name",
    ),
    (
        "variables: int v ; v:a = 1, ‹\"x\" ;",
        "expected a number like those before, and this is a string",
    ),
    (
        "variables: int v ; v:a = ‹m ;",
        "expected a number or a string, and 'm' is a name: text stands between \", and an enum's member needs the enum before the attribute",
    ),
    (
        "variables: int v ; v:a = ‹\"x ;\n v:b = \"y\" ;",
        "this string goes on in the next line, and a later one has no end: expected '\"'",
    ),
    (
        ":_Format = ‹3 ;",
        "_Format is text: expected \"classic\", \"64-bit offset\", \"cdf5\", \"netCDF-4\" or \"netCDF-4 classic model\"",
    ),
    (
        "types: int enum e { a = 1, b = 2 } ; e :x = ‹e.c ;",
        "the enum 'e' has no member 'c': it has a, b",
    ),
    (
        "types: ‹enum e { a = 1 } ;",
        "an enum needs the type of its members before it, as in 'int enum name { … }'",
    ),
];

#[test]
fn errors_say_where_and_why() {
    for (body, why) in [
        ("dimensions: x ‹3 ;", "expected '=', found '3'"),
        (
            "dimensions: x = ‹;",
            "expected an integer or UNLIMITED, found ';'",
        ),
        (
            "dimensions: x = ‹y ;",
            "expected an integer or UNLIMITED, found 'y'",
        ),
        ("dimensions: x = 3 ‹y = 4 ;", "expected ',' or ';', found 'y'"),
        ("dimensions: ‹= 3 ;", "expected a name, found '='"),
        (
            "dimensions: x = ‹09 ;",
            "09 is not an integer: behind a 0 it is octal, and has the digits 0 to 7 only",
        ),
        (
            "dimensions: x = ‹-1 ;",
            "the length of a dimension must be from 0 to 9223372036854775807",
        ),
        (
            "dimensions: x = 3 ; ‹x = 4 ;",
            "this group has a dimension 'x' already",
        ),
        (
            "dimensions: é = 3 ; ‹é = 4 ;",
            "this group has a dimension 'é' already",
        ),
        ("dimensions: x = 3 ; int ‹v ;", "expected '=', found 'v'"),
        ("variables: int v(‹x) ;", "there is no dimension 'x'"),
        ("variables: int v( ‹;", "expected a name or a path, found ';'"),
        ("variables: int v(x ‹;", "expected ')' or ',', found ';'"),
        ("variables: int ‹;", "expected a name, found ';'"),
        (
            "variables: ‹innt v ;",
            "there is no type 'innt' here: is 'int' meant?",
        ),
        (
            "variables: int v ; float ‹v ;",
            "this group has a variable 'v' already",
        ),
        ("variables: int v ‹w ;", "expected ',', ';' or '(', found 'w'"),
        ("variables: int v ‹= 3 ;", "expected ',' or ';', found '='"),
        (
            "variables: int v ; ‹w:a = 1 ;",
            "there is no variable 'w' in this group, and no type",
        ),
        (
            "variables: int retime ; ‹reftime:a = 1 ;",
            "there is no variable 'reftime' in this group, and no type: is 'retime' meant?",
        ),
        (
            "variables: int x ; group: g { variables: int y ; ‹x:a = 1 ; }",
            "there is no variable 'x' in this group, and no type: for that of the group /, write /x",
        ),
        (
            "types: compound c { int x ; } ; c :a = {1, ‹2} ;",
            "too many values: the compound has 1 field",
        ),
        ("variables: int v ; v:a ‹;", "expected '=', found ';'"),
        ("variables: int v ; v: ‹= 3 ;", "expected a name, found '='"),
        ("variables: int v ; v:a ‹b = 3 ;", "expected '=', found 'b'"),
        (
            "variables: int v ; double v:_FillValue = ‹1e10 ;",
            "1e10 does not fit in int",
        ),
        (
            "variables: int v ; v:_Shuffle = ‹2 ;",
            "_Shuffle should be \"true\", \"false\", 1 or 0",
        ),
        (
            "variables: int v ; v:_NoFill = ‹\"TRUE\" ;",
            "_NoFill should be \"true\", \"false\", 1 or 0",
        ),
        (
            "variables: int v ; : ‹_Storage = \"chunked\" ;",
            "_Storage says how a variable is stored, and belongs to one: expected the variable's name before its colon",
        ),
        (
            "group: g { :‹_Shuffle = 7 ; }",
            "_Shuffle says how a variable is stored, and belongs to one: expected the variable's name before its colon",
        ),
        (
            "variables: int v ; v:_FillValue = ‹3, 4 ;",
            "a _FillValue is one value, and here are 2",
        ),
        (
            "variables: int v ; x y ‹v:a = 3 ;",
            "expected ',', ';' or '(', found 'v'",
        ),
        ("variables: int v ; ‹x v:a = 3 ;", "there is no type 'x' here"),
        (
            "variables: int v ; int ‹w:a = 3 ;",
            "there is no variable 'w' in this group",
        ),
        (
            "variables: int v ; int ‹int:a = 3 ;",
            "there is no variable 'int' in this group",
        ),
        (
            "variables: int v ; v:a = ‹\"x ; ",
            "this string has no end: expected '\"'",
        ),
        (
            "variables: int v ; v:a = ‹'x ; ",
            "this character has no end: expected \"'\"",
        ),
        (
            "variables: int v ; v:a = ‹/* x ; ",
            "this comment has no end: expected '*/'",
        ),
        (
            "variables: int v ; v:a = ‹3",
            "these values have no end: expected ';'",
        ),
        ("data: ‹x = 3 ;", "there is no variable 'x' in this group"),
        (
            "variables: int x ; group: g { data: ‹x = 3 ;",
            "there is no variable 'x' in this group: for that of the group /, write /x",
        ),
        ("variables: int x ; data: x ‹3 ;", "expected '=', found '3'"),
        (
            "types: int ‹x ;",
            "expected '(' or enum, found 'x': a type is T(*) name, opaque(bytes) name, T enum name { … } or compound name { … }",
        ),
        (
            "types: int(*) x ; int(*) ‹x ;",
            "this group has a type 'x' already",
        ),
        (
            "types: opaque(‹0) x ;",
            "the size of an opaque type must be from 1 to 16777216",
        ),
        (
            "types: opaque(‹x) x ;",
            "expected an integer or '*', found 'x': a type is T(*) name, opaque(bytes) name, T enum name { … } or compound name { … }",
        ),
        (
            "types: opaque ‹x ;",
            "expected '(' or enum, found 'x': a type is T(*) name, opaque(bytes) name, T enum name { … } or compound name { … }",
        ),
        (
            "types: byte enum e { a = 1, ‹a = 2 } ;",
            "this enum has a member 'a' already",
        ),
        (
            "types: byte enum e { a = 1, b = ‹1 } ;",
            "this enum has a member with the value 1 already",
        ),
        (
            "types: byte enum e { a = ‹256 } ;",
            "256 does not fit in the 8 bits of this enum's type",
        ),
        (
            "types: byte enum e { a = 255, b = ‹-1 } ;",
            "this enum has a member with the value -1 already",
        ),
        ("types: byte enum e { a = 1, ‹} ;", "expected a name, found '}'"),
        ("types: byte enum e { ‹} ;", "expected a name, found '}'"),
        ("types: byte enum e ‹;", "expected '{', found ';'"),
        (
            "types: ‹float enum e { a = 1 } ;",
            "an enum must be of an integer type",
        ),
        ("types: compound c { ‹} ;", "expected a name or a path, found '}'"),
        ("types: compound c { int x ‹} ;", "expected ',' or ';', found '}'"),
        (
            "types: compound c { int x ; int ‹x ; } ;",
            "this compound has a field 'x' already",
        ),
        ("types: compound c { ‹c x ; } ;", "there is no type 'c' here"),
        (
            "types: compound c { int x(‹0) ; } ;",
            "a length of a field must be from 1 to 16777216",
        ),
        (
            "types: compound ‹c { int x(16777216, 2) ; } ;",
            "an element of 'c' has more than 16777216 bytes",
        ),
        (
            "types: compound c { int x(‹y) ; } ;",
            "expected an integer, found 'y'",
        ),
        ("types: compound c ‹;", "expected '{', found ';'"),
        (
            "‹x = 3 ;",
            "expected types:, dimensions:, variables:, data:, group:, an attribute or '}', found 'x'",
        ),
        (
            "‹{",
            "expected types:, dimensions:, variables:, data:, group:, an attribute or '}', found '{'",
        ),
        ("group: g ‹;", "expected '{', found ';'"),
        ("group: g { } group: ‹g { }", "this group has a group 'g' already"),
        (
            "group: g { dimensions: x = 1 ; } variables: int v(‹x) ;",
            "dimension 'x' is out of scope here: it belongs to the group /g, write /g/x",
        ),
        (
            "group: g { types: int(*) t ; } group: h { types: int(*) t ; } group: i { variables: ‹t v ; }",
            "several groups have a type 't': write the path of the one that is meant",
        ),
        (
            "dimensions: x = 4294967296 ; variables: int ‹v(x, x) ;",
            "variable 'v' is too large: its size does not fit in 63 bits",
        ),
        (
            ":_Format = ‹\"x\" ;",
            "'x' is no _Format: expected \"classic\", \"64-bit offset\", \"cdf5\", \"netCDF-4\" or \"netCDF-4 classic model\"",
        ),
        ("dimensions: ‹a\\/b = 3 ;", "this name cannot hold a '/'"),
        (
            "} ‹x",
            "expected the end of the text: the '}' before closes the dataset",
        ),
    ] {
        wrong(body, why);
    }
    for (body, why) in MISTAKES {
        wrong(body, why);
    }
    for (text, why) in [
        ("", "1:1: expected 'netcdf': CDL begins with 'netcdf name {'"),
        (
            "netcdfx {}",
            "1:1: expected 'netcdf': CDL begins with 'netcdf name {'",
        ),
        (
            "\u{89}HDF {}",
            "1:1: expected 'netcdf': CDL begins with 'netcdf name {'",
        ),
        ("netcdf x", "1:9: expected '{' behind the dataset's name 'x'"),
        (
            "netcdf x {\n",
            "2:1: expected '}': the text ends within the group /",
        ),
        (
            "netcdf x { group: g {",
            "1:22: expected '}': the text ends within the group /g",
        ),
        (
            "netcdf x { dimensions: x",
            "1:25: expected '=', found the end of the text",
        ),
        (
            "netcdf x {} y",
            "1:13: expected the end of the text: the '}' before closes the dataset",
        ),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error.lines().next().unwrap(), format!("a.cdl:{why}"));
    }
}

#[test]
fn an_error_shows_the_line() {
    assert_eq!(
        error("\n  dimensions:\n\té = 3 ;\n\tx = 3, é = y ; // z\n"),
        "4:13: expected an integer or UNLIMITED, found 'y'\n   x = 3, é = y ; // z\n              ^"
    );
    let bytes = b"netcdf a { dimensions: a\xe9b = 3 ; }";
    assert_eq!(
        read(bytes).unwrap_err().to_string().lines().next().unwrap(),
        "a.cdl:1:24: a name must be UTF-8"
    );
}

#[test]
fn types_further_down_that_lead_nowhere_are_errors() {
    wrong(
        "group: a { types: ‹x(*) y ; } group: b { types: y(*) x ; }",
        "there is no type 'x' here",
    );
    wrong(
        "types: /a/‹t(*) u ; group: b { types: int(*) t ; }"
            .replace("/a/‹", "‹/a/")
            .as_str(),
        "there is no type 't' here",
    );
    wrong(
        "group: a { variables: ‹x v ; } group: b { variables: int x ; }",
        "there is no type 'x' here",
    );
}
