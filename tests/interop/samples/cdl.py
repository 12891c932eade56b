r"""CDL texts of every form that ncgen takes.

A sample is made by the installed ncgen and by ours, in each of its kinds, and the two files must be equal. Where the
installed one crashes, refuses, or is plainly wrong, the sample says in `right` which lines the installed ncdump must print of
our file, and in `why` what is wrong with theirs.
"""

import dataclasses

CLASSIC = ["nc3", "nc6", "nc5", "nc4", "nc7"]
CDF5 = ["nc5", "nc4"]
NC4 = ["nc4"]


@dataclasses.dataclass
class Sample:
    name: str
    text: bytes
    kinds: list
    right: list | None = None
    why: str = ""


SAMPLES = []


def sample(name, kinds, text, right=None, why=""):
    text = text if isinstance(text, bytes) else text.encode()
    SAMPLES.append(Sample(name, b"netcdf " + name.encode() + b" {" + text + b"}\n", kinds, right, why))


def values(ty, constants):
    """A variable for each constant, separated by blanks."""
    constants = constants.split()
    declared = "".join(f"\t{ty} {ty}_{n} ;\n" for n in range(len(constants)))
    data = "".join(f"\t{ty}_{n} = {c} ;\n" for n, c in enumerate(constants))
    return declared, data


def scalars(name, kinds, constants, right=None, why=""):
    """A sample of variables, by their type."""
    pairs = [values(ty, text) for ty, text in constants.items()]
    text = "variables:\n" + "".join(p[0] for p in pairs) + "data:\n" + "".join(p[1] for p in pairs)
    sample(name, kinds, text, right, why)


def attributes(name, kinds, constants, right=None, why=""):
    """A sample of global attributes."""
    text = "".join(f"\t:a{n} = {c} ;\n" for n, c in enumerate(constants))
    sample(name, kinds, text, right, why)


# Constants.

scalars("integers_of_classic_types", CLASSIC, {
    "byte": "0 1 -1 +5 127 128 -128 255 007 017 0377 1b -1B 200b -128b 0x1 0xff 0xFF 'a' 1. 1.7 -1.7",
    "short": "1 -1 32767 -32768 40000 65535 017 0x1s 0xabcds 0xABCDS 0xff 1s 1S -5s 1b 1l 1.7 'a'",
    "int": "1 -1 2147483647 -2147483648 010 -010 1l -5L 0xffffffffl 0x7fL 0xff 1s 1b 1.9 'z'",
    "float": "1 -1 1s 1b 010 0x10s 2147483647 'a'",
    "double": "1 -1 1s 1b 010 0x10l 2147483647 'a'",
})
scalars("integers_of_all_types", CDF5, {
    "ubyte": "0 1 255 -1 -128 128 1b 1ub 1UB 200ub 0xff 'a' 1us 1.5",
    "ushort": "0 1 65535 -1 32768 1us 1US 65534us 0xabcds 1b 1.5",
    "uint": "0 1 4294967295 4294967294u -1 1u 1U 1ul 0xabcdabcdl 1.5",
    "byte": "1ub 200ub",
    "short": "1us 40000us",
    "int": "1u 1ul 4000000000u 4294967295 2147483648",
})
scalars("integers_of_64_bits", NC4, {
    "int64": "0 1 -1 9223372036854775807 -9223372036854775808 4294967296 5ll -5LL 5ull 1b 1.5 0xffffffffl",
    "uint64": "0 1 4294967296 9223372036854775808 18446744073709551615 5ull 5ULL 5ll -1 0x1l",
    "double": "9007199254740992 1ll",
})
scalars("hexadecimal_of_64_bits", NC4, {"int64": "0xabcdabcdabcdl 0xabcdabcdabcdabcdLL", "uint64": "0xabcdabcdabcdabcdL"},
        ["int64_0 = 188899839028173", "int64_1 = -6067004223159161907", "uint64_0 = 12379739850550389709"],
        "4.9 cuts them to 32 bits")
scalars("integers_of_64_bits_in_cdf5", ["nc5"], {"int64": "5000000000 -1 9223372036854775807", "uint64": "18446744073709551615 7"},
        ["int64 int64_0", "int64_0 = 5000000000", "int64_2 = 9223372036854775807", "uint64_0 = 18446744073709551615", "uint64_1 = 7"],
        "4.9 makes int of int64")
scalars("suffixes_in_the_other_order", NC4, {
    "ubyte": "1bu 200BU", "ushort": "1su 65534SU", "uint": "1lu", "uint64": "1llu 18446744073709551613LLU"},
        ["ubyte_1 = 200", "ushort_1 = 65534", "uint_0 = 1", "uint64_1 = 18446744073709551613"], "4.9 does not take them")
scalars("long_that_is_longer", NC4, {"int64": "5000000000l -200000000000L"},
        ["int64_0 = 5000000000", "int64_1 = -200000000000"], "4.9 cuts them to 32 bits")
scalars("floats", CLASSIC, {
    "float": "1. .5 1.5 1.5f 1.5F 1e5 1e5f 1E-5 -0. 3.4028235e38 1e-45 1.5d 1e39 16777217",
    "double": "1. .5 1.5f 1e5 1E+5 1.5d 1.5D 1.5L 2.5l 1e300 1e-300 5e-324 -0. 0.1f 0.1 123456789.123456789",
})
scalars("not_a_number_and_infinity", CLASSIC, {
    "float": "nan NaN nanf NaNf Infinity -Infinity Infinityf -Infinityf DoubleInf FloatInf Inff -Inff 1e400",
    "double": "nan NaN nanf NaNf Infinity -Infinity Infinityf -Infinityf DoubleInf FloatInf Inff -Inff 1e400",
})
scalars("negative_zero", CLASSIC, {"float": "-0", "double": "-0"}, ["float_0 = -0", "double_0 = -0"], "4.9 loses the sign")
scalars("characters", CLASSIC, {
    "char": r"""'a' '\n' '\101' '\377' '\000' '"' '\'' '\\' '\t' '\a' '\b' '\f' '\r' '\v' '\e' '\"' "b" "" _ 1b 65b""",
    "byte": r"""'\n' '\101' '\377' '\000'""",
})
scalars("hexadecimal_and_short_octal_characters", CLASSIC, {"char": r"""'\x41' '\0'""", "byte": r"""'\x41' '\0'"""},
        ['char_0 = "A"', 'char_1 = ""', "byte_0 = 65", "byte_1 = 0"], r"4.9 makes something else of \x41, and the digit of \0")
scalars("strings", NC4, {
    "string": r'''"a" "a\nb\t\"q\"\\" "\101\102" "" "é" "a b" NIL nil Nil "/*no*/" "//no" "x;y{z}" "'" "%s"'''.replace("a b", "a\\040b"),
})
scalars("fill", CLASSIC, {ty: "_" for ty in ["short", "int", "float", "double", "char", "byte"]})
scalars("fill_of_all_types", CDF5, {ty: "_" for ty in ["ubyte", "ushort", "uint"]})
scalars("fill_of_64_bits", NC4, {ty: "_" for ty in ["int64", "uint64", "string"]})

# Attributes.

attributes("attributes_of_classic_types", CLASSIC, [
    "1b", "-128b, 127B", "1s, -2S", "1, 2, -3", "2147483647", "3l, 4L", "1.5f, 2.5F, .5f, 3.e2f", "1., .5, 1e3, 1E-3, 1.5d, 2.D",
    "017, 0377", "017b", "1.f, NaNf, -Infinityf", "NaN, Infinity", "-0., 0.", '"text"', '""', '"two", "strings"',
    r'"a\tb\n\"c\"\\d\101\001\177"', '"a\nb"', '"é"', "1, 2.5", "1b, 300", '"long" , " " , "x"',
])
attributes("attributes_of_all_types", CDF5, ["1ub, 255UB", "1us, 65535US", "1u, 4294967295U", "1ul"])
attributes("attributes_of_64_bits", NC4, ["1ll, -5LL", "1ull, 18446744073709551615ULL", "4294967296ull", "-4294967296ll"])
attributes("character_attributes", CLASSIC, ["'a'", r"'\n'", r"'\101'", "'a', 'b'", r"'\000'"])
sample("typed_attributes", CLASSIC, """
    variables: int v ;
    byte :b = 1, 2 ; short :s = 1 ; int :i = 1, 1.5, 'a' ; float :f = 1, 2.5 ; double :d = 1 ; char :c = "text" ;
    short v:s = 5 ; double v:d = 1, 2, 3 ; char v:c = 'a', 'b' ; v:plain = 1 ; char :empty = "" ;
""")
sample("typed_attributes_of_all_types", CDF5, "ubyte :b = 1, 255 ; ushort :s = 1 ; uint :i = 1, 4294967295 ;")
sample("typed_attributes_of_64_bits", NC4, "int64 :i = 1, -5, 9223372036854775807 ; uint64 :u = 1, 18446744073709551615 ;")
sample("string_attributes", NC4, r"""
    variables: int v ; string v:one = "single" ; string v:two = "a", "b\n", "", "é" ;
    string :s = "x" ; string :n = NIL, "a" ; string :many = "a", "b", "c", "d", "e", "f" ;
""")
sample("attributes_everywhere", NC4, """
    dimensions: d = 2 ; :early = 1 ;
    variables: int v(d) ; v:a = 1 ; :middle = 2 ; float w ; v:b = 2 ; w:a = "late" ; :late = 3 ;
    data: v = 1, 2 ;
    group: g { :inner = 1 ; variables: int v ; v:a = 1 ; :inner2 = 2 ; }
""")
sample("empty_attributes_and_data", CLASSIC, "dimensions: d = 2 ; variables: int v(d) ; float w ; v:a = ; double w:b = ; :c = ; data: v = ; w = ;",
       ["v = _, _", "w = _"], "4.9 crashes on it")

# Names.

sample("escaped_names", NC4, r"""
    dimensions: a\ b = 2 ; \1st = 3 ; x\(y\) = 1 ;
    variables: int v\:w(a\ b) ; float \9\,(\1st) ; int a.b-c+d@e ; int x\\y ; int q\'\"\`\~\!\#\$\%\^\&\*\<\>\[\]\{\}\|\; ; int é_ü ;
    v\:w:at\=t = 1 ; :g\ a = "x" ; data: v\:w = 1, 2 ; \9\, = 1, 2, 3 ; é_ü = 4 ;
""")
sample("question_marks", CLASSIC, r'variables: int a\? ; a\?:b\? = "a\?b" ; data: a\? = 1 ;', [r"int a\? ;", r"a\? = 1"],
       "4.9 makes DEL of them, and ncdump escapes them in names")
sample("escaped_names_of_classic", CLASSIC, r"dimensions: a\ b = 2 ; variables: int v\:w(a\ b) ; v\:w:a\ b = 1 ; data: v\:w = 1, 2 ;")
sample("keywords_as_names", NC4, """
    dimensions: byte = 2 ; char = 3 ; string = 2 ; unlimited_ = 4 ;
    variables: ubyte byte(byte) ; int string(string) ; int types ; int data ; int dimensions ; int variables ; int group ;
    int float ; float int ; int enum ; int opaque ; int compound ; int netcdf ; data:byte = 1 ; int:long = 2 ; string:string = "s" ;
    data: byte = 1, 2 ; string = 3, 4 ; data = 5 ; int = 1.5 ;
""", ["ubyte byte(byte)", "int string(string)", "byte = 1, 2", "string = 3, 4", "data = 5", "int = 1.5", "int:long = 2"],
       "4.9 takes few keywords as names")
sample("dataset_names", CLASSIC, "dimensions: d = 1 ;")
SAMPLES[-1].text = b"netcdf a name with, any: sign! { dimensions: d = 1 ; }\n"
sample("netcdf_in_capitals", CLASSIC, "")
SAMPLES[-1].text = b"NETCDF x { variables: int v ; data: v = 1 ; }\n"
sample("long_name", CLASSIC, f"variables: int {'n' * 250} ; data: {'n' * 250} = 1 ;")

# How a text is written.

sample("comments", CLASSIC, """ // a comment
    /* one
       of two lines { ; */ dimensions: // d = 5 ;
    d = /* 3 */ 2 ; variables: int v(d) ; // v
    v:s = "// not /* a */ comment" ; data: v = 1, // one
    /* , 3 */ 2 ; // the end""".replace("the end", "the end\n"))
sample("line_ends_of_windows", CLASSIC, "dimensions:\r\n\td = 2 ;\r\nvariables:\r\n\tint v(d) ;\r\n\tv:u = \"m\" ;\r\ndata:\r\n v = 1,\r\n  2 ;\r\n")
sample("byte_order_mark", CLASSIC, "")
SAMPLES[-1].text = b"\xef\xbb\xbfnetcdf x {\nvariables: int v ; data: v = 1 ; }\n"
sample("bytes_that_are_not_utf8", CLASSIC, b'variables: char c ; :a = "\xe9t\xe9" ; :b = "\xff\xfe" ; data: c = "\xe9" ;')
sample("no_blanks", CLASSIC, "dimensions:d=2,e=3;variables:int v(d,e),w;v:a=1,2;:g=3;data:v=1,2,3,4,5,6;w=7;")
sample("nothing", CLASSIC, "")
sample("empty_sections", NC4, "dimensions: variables: data:")
sample("trailing_text", CLASSIC, "variables: int v ; data: v = 1 ;")

# Types.

sample("type_synonyms", CLASSIC, "variables: real r ; long l ; integer i ; data: r = 1.5 ; l = 2 ; i = 3 ;")
sample("unsigned_type_synonyms", CDF5, "variables: ulong l ; uinteger i ; uint u ; data: l = 1 ; i = 2 ; u = 3 ;")
sample("enums", NC4, """
    types: byte enum b { x = -1, y = 0, z = 127 } ; ubyte enum ub { lo = 0, hi = 255 } ; short enum s { p = -300, q = 300 } ;
    ushort enum us { r = 65535 } ; int enum i { m = -2147483648, n = 2147483647 } ; uint enum u { o = 4294967295 } ;
    int64 enum l { k = -9223372036854775807 } ; uint64 enum ul { j = 1 } ;
    dimensions: d = 3 ;
    variables: b vb(d) ; ub vub(d) ; s vs(d) ; us vus ; i vi(d) ; u vu ; l vl ; ul vul ;
    b vb:a = x, z ; s :g = q ; vb:_FillValue = y ;
    data: vb = x, y, z ; vub = lo, hi, lo ; vs = q, p, s.q ; vus = r ; vi = m, n, m ; vu = o ; vl = k ; vul = j ;
""")
sample("enum_constants_by_path", NC4, """
    types: int enum e { one = 1, two = 2 } ; int enum f { one = 10, two = 20 } ;
    variables: e v ; f w ; e x ;
    data: v = e.two ; w = f.one ; x = /e.one ;
    group: g { variables: e y ; data: y = two ; }
""")
sample("opaque", NC4, """
    types: opaque(4) o4 ; opaque(11) raw ;
    dimensions: d = 2 ;
    variables: o4 a(d) ; raw b ; o4 a:att = 0x01020304, 0xffffffff ; o4 c ; c:_FillValue = 0xdeadbeef ;
    data: a = 0x0A0b0C0d, 0XFFFEFDFC ; b = 0x0102030405060708090a0b ; c = _ ;
""")
sample("opaque_of_other_lengths", NC4, """
    types: opaque(4) o ; dimensions: d = 3 ; variables: o v(d) ; data: v = 0x01, 0x0102030405, 0x123 ;
""")
sample("vlen", NC4, """
    types: int(*) row ; float(*) frow ;
    dimensions: d = 4 ; t = UNLIMITED ;
    variables: row v(d) ; frow f(t) ; row s ; v:plain = 1 ; row v:att = {1, 2}, {}, {3} ; row :g = {7} ;
    data: v = {1, 2, 3}, {}, {4}, {5, 6} ; f = {1.5}, {2, 3, _} ; s = {1} ;
""")
sample("vlen_of_vlen", NC4, """
    types: int(*) row ; string(*) words ; row(*) rows ; dimensions: d = 2 ;
    variables: rows r(d) ; words w(d) ;
    data: r = {{1, 2}, {}, {3}}, {{4}} ; w = {"a", "b"}, {"c"} ;
""")
sample("compounds", NC4, """
    types: compound point { double x ; double y ; int n(3) ; int m ; } ;
    compound line { point a ; point b ; } ;
    dimensions: d = 2 ;
    variables: point p(d) ; line l ; point p:att = {1, 2, {3, 4, 5}, 6} ; point :g = {1, 1, {1, 1, 1}, 1}, {2, 2, {2, 2, 2}, 2} ;
    data: p = {1.5, 2.5, {1, 2, 3}, 4}, {-1, -2, {4, 5, 6}, 7} ; l = {{1, 2, {3, 4, 5}, 6}, {7, 8, {9, 10, 11}, 12}} ;
""")
sample("compounds_with_few_values", NC4, """
    types: compound c { int a ; short b ; float f(3) ; } ; dimensions: d = 2 ; variables: c v(d) ; data: v = {1}, {2, 3, {1}} ;
""")
sample("compounds_with_padding", NC4, """
    types: compound padded { byte b ; double d ; short s ; int i ; char c ; } ; compound outer { byte b ; padded p(2) ; } ;
    dimensions: d = 2 ;
    variables: padded v(d) ; padded v:a = {1, 2.5, 3, 4, 'x'} ; outer o ;
    data: v = {1, 1.5, 2, 3, 'a'}, {-1, -1.5, -2, -3, 'b'} ; o = {9, {{1, 1.5, 2, 3, 'a'}, {2, 2.5, 3, 4, 'b'}}} ;
""", ['v = {1, 1.5, 2, 3, "a"}, {-1, -1.5, -2, -3, "b"}'], "4.9 writes the fields where they do not belong")
sample("structures", NC4, """
    types: struct s { int a ; float b ; } ; structure t { int c ; } ;
    variables: s v ; t w ; data: v = {1, 2.5} ; w = {3} ;
""")
sample("types_in_each_other", NC4, """
    types: int enum colour { red = 1, blue = 2 } ; opaque(2) o ; int(*) row ;
    compound all { int i ; colour c ; float f(2) ; o q ; } ; all(*) many ;
    dimensions: d = 2 ;
    variables: all v(d) ; many m(d) ;
    data: v = {1, red, {1, 2}, 0x0102}, {2, blue, {3, 4}, 0x0304} ; m = {{1, red, {1, 2}, 0x0102}}, {} ;
""")
sample("strings_and_rows_in_compounds", NC4, """
    types: int(*) row ; compound c { string s ; row r ; int n ; } ; dimensions: d = 2 ; variables: c v(d) ;
    data: v = {"one", {1, 2}, 3}, {"two", {}, 4} ;
""")
sample("types_by_path", NC4, """
    types: int enum e { a = 1 } ; opaque(1) o ;
    group: g { types: int enum e { b = 2 } ; /e(*) row ;
        variables: /e v ; e w ; row r ; data: v = a ; w = b ; r = {a, a} ;
        group: h { variables: e x ; /g/e y ; data: x = b ; y = b ; } }
""")
# Dimensions, records and data.

sample("records", CLASSIC, """
    dimensions: t = UNLIMITED ; x = 2 ;
    variables: int v(t, x) ; float w(t) ; byte b(t) ; char c(t, x) ; int fixed(x) ; double none(t) ;
    data: v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3 ; b = 1, 2, 3 ; c = "ab", "cd", "ef" ; fixed = 7, 8 ;
""")
sample("records_of_different_counts", CLASSIC, """
    dimensions: t = UNLIMITED ; x = 2 ; variables: int v(t, x) ; float w(t) ; char c(t, x) ;
    data: v = 1, 2, 3, 4, 5, 6 ; w = 1 ; c = "ab" ;
""")
sample("no_records", CLASSIC, "dimensions: t = UNLIMITED ; variables: int v(t) ; float w ; data: w = 1 ;")
sample("unlimited_in_other_words", CLASSIC, "dimensions: t = unlimited ; variables: int v(t) ; data: v = 1, 2 ;")
sample("dimension_of_length_zero", CLASSIC, "dimensions: t = 0 ; variables: int v(t) ; data: v = 1, 2 ;",
       ["t = UNLIMITED ; // (2 currently)", "v = 1, 2"], "4.9 drops the values")
sample("too_few_values", CLASSIC, "dimensions: x = 4 ; y = 2 ; variables: int v(x) ; float w(y, x) ; v:_FillValue = -9 ; data: v = 1, 2 ; w = 1, 2, 3 ;")
sample("fill_in_data", CLASSIC, """
    dimensions: x = 4 ; variables: int v(x) ; v:_FillValue = -9 ; float w(x) ; short s(x) ; char c(x) ; c:_FillValue = "-" ; data: v = 1, _, 3, _ ;
    w = _, 2, _, 4 ; s = _ , _ , 1 ; c = "ab" ;
""")
sample("two_unlimited", NC4, """
    dimensions: t = UNLIMITED ; u = UNLIMITED ; x = 2 ;
    variables: int v(t, u) ; int w(u, t) ; float f(t, x, u) ;
    data: v = {1, 2, 3}, {4, 5, 6} ; w = {1, 2}, {3, 4}, {5, 6} ; f = {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12} ;
""")
sample("unlimited_not_first", NC4, """
    dimensions: x = 2 ; t = UNLIMITED ; variables: int v(x, t) ; data: v = {1, 2, 3}, {4, 5, 6} ;
""")
sample("unlimited_of_different_lengths", NC4, """
    dimensions: t = UNLIMITED ; u = UNLIMITED ; variables: int v(t, u) ; data: v = {1, 2, 3}, {4}, {5, 6} ;
""")
sample("characters_of_two_unlimited", NC4, """
    dimensions: a = UNLIMITED ; b = UNLIMITED ; c = UNLIMITED ; variables: char v(a, b, c) ;
    data: v = {{"1", "two"}}, {{"three"}, {"four", "xy"}} ;
""", ["a = UNLIMITED ; // (2 currently)", "b = UNLIMITED ; // (2 currently)", "c = UNLIMITED ; // (6 currently)",
       'v = {{"1two"}, {""}}, {{"three"}, {"fourxy"}} ;'],
       "4.9 moves the later characters forward")
sample("groups", NC4, """
    dimensions: x = 2 ; t = UNLIMITED ; variables: int v(x) ; data: v = 1, 2 ;
    group: a { dimensions: y = 3 ; x = 5 ; variables: int v(x) ; int w(y) ; int r(t) ; v:att = "in a" ; data: v = 1, 2, 3, 4, 5 ; w = 6, 7, 8 ; r = 1, 2 ;
      group: b { variables: int v(x, y) ; int root(/x) ; :att = 1 ; data: root = 3, 4 ; group: c { } } }
    group: z { variables: int v(x) ; data: v = 9, 8 ; }
""")
sample("group_attribute_behind_it", NC4, "group: g { variables: int v ; data: v = 1 ; } :after = 1 ;")
sample("characters_in_arrays", CLASSIC, r"""
    dimensions: x = 3 ; y = 4 ; one = 1 ;
    variables: char a(x) ; char b(x, y) ; char c(x, y) ; char d(x, y) ; char e(x, one) ; char f(x) ; char g(x, y) ; char h(x, x, y) ; char i(y) ;
    data: a = "abc" ; b = "one", "two", "3" ; c = "four", "five", "six" ; d = "a" ; e = "x", "y", "z" ; f = 'a', 'b', 'c' ;
    g = "", "b", "" ; h = "1", "two", "3", "4", "5", "six", "7", "8", "nine" ; i = "a", "b", 'c', "d" ;
""")
sample("characters_with_escapes", CLASSIC, r"""
    dimensions: x = 2 ; y = 6 ; variables: char a(x, y) ; char b(y) ;
    data: a = "\001\300.", "\tb\n\"\\\177" ; b = "é\000z" ;
""".replace("\\000z", "z"))
sample("string_arrays", NC4, r"""
    dimensions: x = 3 ; t = UNLIMITED ; variables: string a(x) ; string b(t, x) ; string c(t) ; a:_FillValue = "none" ; string d(x) ;
    data: a = "one", _, "three" ; b = "1", "2", "3", "4", "5", "6" ; c = "x", NIL ; d = "only" ;
""")
sample("many_values", CLASSIC, "dimensions: x = 5000 ; variables: int v(x) ; float f(x) ; data: v = "
       + ", ".join(map(str, range(5000))) + " ; f = " + ", ".join(f"{i / 7:.7g}" for i in range(5000)) + " ;")
sample("data_in_many_sections", NC4, "variables: int a ; int b ; data: a = 1 ; b = 2 ;")
sample("data_twice", CLASSIC, "variables: int a ; data: a = 1 ; a = 2 ;")
sample("attributes_twice", CLASSIC, ':a = 1 ; :a = "two" ;')
# Special attributes.

sample("storage", NC4 + ["nc7"], """
    dimensions: x = 20 ; y = 30 ; t = UNLIMITED ;
    variables: int a(x) ; a:_Storage = "contiguous" ; int b(x, y) ; b:_ChunkSizes = 5, 6 ;
    int c(x, y) ; c:_Storage = "chunked" ; c:_ChunkSizes = 7, 8 ; c:_DeflateLevel = 4 ; c:_Shuffle = "true" ; c:_Fletcher32 = "true" ;
    int d(x) ; d:_DeflateLevel = 1 ; int e(x) ; e:_Storage = "compact" ; int f(t, x) ; f:_ChunkSizes = 3, 20 ; f:_DeflateLevel = 9 ;
    short g(x) ; g:_Endianness = "big" ; double h(x) ; h:_Endianness = "little" ; int i(x) ; i:_Fletcher32 = "true" ;
    int j(x) ; j:_DeflateLevel = 2 ; j:_Shuffle = "false" ; int k(x) ; k:_FillValue = 7 ; k:_Endianness = "big" ;
    data: a = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 ; f = 1, 2, 3, 4 ; g = 1, 2 ; h = 1, 2 ; c = 5 ; e = 4 ;
""")
sample("filters", NC4, """
    dimensions: x = 20 ; y = 30 ;
    variables: int a(x, y) ; a:_Filter = "1,5" ; int b(x, y) ; b:_Filter = "1,4" ; b:_ChunkSizes = 10, 10 ; b:_Fletcher32 = "true" ;
    float c(x, y) ; c:_Shuffle = "true" ; c:_DeflateLevel = 3 ;
    data: a = 1, 2 ; b = 3 ; c = 1.5 ;
""")
sample("ignored_special_attributes", NC4, """
    variables: int v ; :_NCProperties = "version=2,x=1" ; :_SuperblockVersion = 2 ; :_IsNetcdf4 = 1 ; :_Format = "netCDF-4" ; data: v = 1 ;
""")
for kind in ["classic", "64-bit offset", "cdf5", "netCDF-4", "netCDF-4 classic model"]:
    sample("format_" + kind.replace(" ", "_"), CLASSIC, f'variables: int v ; :_Format = "{kind}" ; data: v = 1 ;')
sample("fill_values", CLASSIC, """
    dimensions: x = 3 ; variables: byte b(x) ; b:_FillValue = 1b ; short s(x) ; s:_FillValue = 2s ; int i(x) ; i:_FillValue = 3 ;
    float f(x) ; f:_FillValue = 4.5f ; double d(x) ; d:_FillValue = 5.5 ; char c(x) ; c:_FillValue = "x" ; float n(x) ; n:_FillValue = NaNf ;
""")
sample("fill_values_of_another_type", CLASSIC, "dimensions: x = 2 ; variables: short s(x) ; s:_FillValue = 2 ; float f(x) ; f:_FillValue = -999. ; data: s = 1 ;")
sample("no_fill", NC4, 'dimensions: x = 2 ; variables: int v(x) ; v:_NoFill = "true" ; int w(x) ; w:_NoFill = "false" ; data: v = 1, 2 ; w = 1 ;')
sample("long_dimension", NC4, "dimensions: x = 5000000000 ; y = 2 ; variables: int v(y) ; data: v = 1 ;", ["x = 5000000000"],
       "4.9 takes lengths of 32 bits only")
