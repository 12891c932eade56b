"""Wrong CDL texts: where and what is wrong is said, and there is no output."""

import re
import resource
import subprocess

import pytest
from conftest import BIN

# A text, in which ¦ stands before the character that is wrong, and a word of the message.
ERRORS = {
    "no_netcdf": ("¦dimensions: x = 2 ;", "netcdf"),
    "no_brace": ("netcdf x¦", "{"),
    "not_closed": ("netcdf x { variables: int v ; ¦", "}"),
    "behind_the_end": ("netcdf x { } ¦more", ""),
    "no_semicolon": ("netcdf x {\nvariables:\n\tint v\n\t¦int w ;\n}", ";"),
    "unknown_type": ("netcdf x {\nvariables:\n\t¦flaot v ;\n}", "flaot"),
    "unknown_dimension": ("netcdf x {\ndimensions:\n\tx = 2 ;\nvariables:\n\tint v(x, ¦y) ;\n}", "y"),
    "dimension_out_of_scope": ("netcdf x { variables: int v(¦d) ; group: g { dimensions: d = 2 ; } }", "d"),
    "unknown_variable": ("netcdf x {\nvariables: int v ;\ndata:\n ¦w = 1 ;\n}", "w"),
    "attribute_of_nothing": ("netcdf x {\nvariables: int v ;\n ¦w:a = 1 ;\n}", "w"),
    "chunk_beyond_its_dimension": ("netcdf x {\ndimensions: x = 2 ;\nvariables:\n\tint v(x) ; v:¦_ChunkSizes = 3 ;\n}", "exceeds"),
    "filter_without_chunks": ("netcdf x {\nvariables: int ¦v ; v:_DeflateLevel = 1 ;\n}", "scalar"),
    "too_many_of_a_scalar": ("netcdf x {\nvariables: int v ;\ndata:\n v = 1, ¦2 ;\n}", "v"),
    "no_braces_along_unlimited": ("netcdf x {\ndimensions: x = 2 ; u = unlimited ;\nvariables: int v(x, u) ;\ndata: v = ¦1, 2 ;\n}", "{"),
    "no_braces_around_strings": ("netcdf x {\ndimensions: u = unlimited ; w = unlimited ;\nvariables: string v(u, w) ;\ndata: v = {\"a\"}, ¦\"b\" ;\n}", "{"),
    "no_braces_around_text": ("netcdf x {\ndimensions: x = 2 ; u = unlimited ;\nvariables: char v(x, u) ;\ndata: v = ¦\"ab\", \"c\" ;\n}", "{"),
    "dimension_twice": ("netcdf x {\ndimensions: x = 2 ; ¦x = 3 ;\n}", "x"),
    "variable_twice": ("netcdf x {\nvariables: int v ; float ¦v ;\n}", "v"),
    "type_twice": ("netcdf x {\ntypes: opaque(1) t ; opaque(2) ¦t ;\n}", "t"),
    "group_twice": ("netcdf x {\ngroup: g { } group: ¦g { }\n}", "g"),
    "member_twice": ("netcdf x {\ntypes: int enum e { a = 1, ¦a = 2 } ;\n}", "a"),
    "negative_length": ("netcdf x {\ndimensions: x = ¦-2 ;\n}", "from 0"),
    "length_is_no_number": ("netcdf x {\ndimensions: x = ¦two ;\n}", ""),
    "octal_with_nine": ("netcdf x {\nvariables: int v ; data: v = ¦09 ;\n}", "octal"),
    "byte_out_of_range": ("netcdf x {\nvariables: byte v ; data: v = ¦256 ;\n}", "byte"),
    "short_out_of_range": ("netcdf x {\nvariables: short v ; data: v = ¦-32769 ;\n}", "short"),
    "int_out_of_range": ("netcdf x {\nvariables: int v ; data: v = ¦4294967296 ;\n}", "int"),
    "suffix_out_of_range": ("netcdf x {\nvariables: int v ; data: v = ¦300b ;\n}", "8 bits"),
    "beyond_64_bits": ("netcdf x {\nvariables: uint64 v ; data: v = ¦18446744073709551616 ;\n}", "64"),
    "not_a_number": ("netcdf x {\nvariables: int v ; data: v = ¦1x2 ;\n}", "1x2"),
    "number_for_text": ("netcdf x {\nvariables: char v ; data: v = ¦1.5 ;\n}", "char"),
    "string_for_number": ("netcdf x {\nvariables: int v ; data: v = ¦\"a\" ;\n}", "int"),
    "unclosed_string": ("netcdf x {\n:a = ¦\"abc ;\n}", "\""),
    "unclosed_comment": ("netcdf x {\n¦/* abc ;\n}", "*/"),
    "unclosed_character": ("netcdf x {\nvariables: char v ; data: v = ¦'a ;\n}", "'"),
    "unclosed_list": ("netcdf x {\ntypes: int(*) t ; variables: t v ; data: v = {1, 2 ¦;\n}", "}"),
    "unknown_member": ("netcdf x {\ntypes: int enum e { a = 1 } ; variables: e v ; data: v = ¦b ;\n}", "b"),
    "too_many_fields": ("netcdf x {\ntypes: compound c { int a ; int b ; } ; variables: c v ; data: v = {1, 2, ¦3} ;\n}", ""),
    "list_for_number": ("netcdf x {\nvariables: int v ; data: v = ¦{1} ;\n}", ""),
    "number_for_list": ("netcdf x {\ntypes: int(*) t ; variables: t v ; data: v = ¦1 ;\n}", "braces"),
    "member_out_of_range": ("netcdf x {\ntypes: byte enum e { a = ¦300 } ;\n}", "300"),
    "enum_of_floats": ("netcdf x {\ntypes: ¦float enum e { a = 1 } ;\n}", "integer"),
    "bad_level": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:_DeflateLevel = ¦10 ;\n}", "_DeflateLevel"),
    "bad_storage": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:_Storage = ¦\"heap\" ;\n}", "_Storage"),
    "bad_endianness": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:_Endianness = ¦\"middle\" ;\n}", "_Endianness"),
    "bad_format": ("netcdf x {\n:_Format = ¦\"netCDF-5\" ;\n}", "netCDF-5"),
    "bad_filter": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:_Filter = ¦\"x,y\" ;\n}", ""),
    "nul_in_a_name": ("netcdf x {\nvariables: int ¦\0 ;\n}", ""),
    "name_not_utf8": (b"netcdf x {\nvariables: int \xc2\xa6\xff\xfe ;\n}", "UTF-8"),
    "after_many_lines": ("netcdf x {\n" + "// comment\n" * 500 + "variables:\n  int ¦( ;\n}", ""),
    "brace_behind_the_name": ("netcdf x¦\ndimensions: y = 1 ;\ngroup: g { }\n}", "'{' behind the dataset's name 'x'"),
    "name_of_two_lines": ("netcdf the sea¦\nof 2020 {\n}", "'the sea'"),
    "misspelt_section": ("netcdf x {\n¦variable:\n int v ;\n}", "is the section 'variables:' meant?"),
    "section_without_colon": ("netcdf x {\n¦dimensions x = 2 ;\n}", "dimensions:"),
    "no_semicolon_before_a_section": ("netcdf x {\ndimensions: x = 2\n¦variables: int v(x) ;\n}", "',' or ';', found 'variables'"),
    "no_semicolon_before_data": ("netcdf x {\nvariables: int v\n¦data: v = 1 ;\n}", "';'"),
    "no_semicolon_behind_data": ("netcdf x {\nvariables: int v ;\ndata: v = 1\n¦}", "expected ',' or ';', found '}'"),
    "no_semicolon_behind_an_attribute": ("netcdf x {\n:a = 1\n¦:b = 2 ;\n}", "expected ',' or ';'"),
    "no_comma": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; data: v = 1 ¦2 ;\n}", "expected ',' or ';', found '2'"),
    "two_commas": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; data: v = 1,¦, 2 ;\n}", "expected a value, found ','"),
    "comma_at_the_end": ("netcdf x {\nvariables: int v ; v:a = 1, ¦;\n}", "expected a value, found ';'"),
    "string_of_an_earlier_line": ('netcdf x {\n:a = ¦"abc ;\n:b = "d" ;\n}', "goes on in the next line"),
    "fraction_for_length": ("netcdf x {\ndimensions: x = ¦2.5 ;\n}", "fraction"),
    "length_for_dimension": ("netcdf x {\nvariables: int v(¦2) ;\n}", "a length needs a name"),
    "misspelt_type": ("netcdf x {\nvariables: ¦flaot v ;\n}", "'float'"),
    "misspelt_dimension": ("netcdf x {\ndimensions: lat = 2 ; variables: int v(¦Lat) ;\n}", "'lat'"),
    "misspelt_variable": ("netcdf x {\nvariables: int temp ; data: ¦tmep = 1 ;\n}", "'temp'"),
    "brackets_for_a_shape": ("netcdf x {\ndimensions: x = 2 ; variables: int v¦[x] ;\n}", "'('"),
    "text_without_quotes": ("netcdf x {\n:a = ¦m ;\n}", "text stands between \""),
    "mixed_attribute": ('netcdf x {\n:a = 1, ¦"m" ;\n}', "expected a number"),
    "format_is_a_number": ("netcdf x {\n:_Format = ¦3 ;\n}", "is text"),
    "enum_without_type": ("netcdf x {\ntypes: ¦enum e { a = 1 } ;\n}", "int enum name"),
    "member_without_value": ("netcdf x {\ntypes: int enum e { a¦, b } ;\n}", "'='"),
    "members_by_semicolons": ("netcdf x {\ntypes: int enum e { a = 1 ¦; b = 2 } ;\n}", "',' or '}'"),
    "unknown_member_of_two": ("netcdf x {\ntypes: int enum e { a = 1, b = 2 } ; variables: e v ; data: v = ¦c ;\n}", "it has a, b"),
    "vlen_as_a_shape": ("netcdf x {\ntypes: int ¦l(*) ;\n}", "T(*) name"),
    "field_without_semicolon": ("netcdf x {\ntypes: compound c { int a ¦} ;\n}", "';'"),
    "field_of_no_type": ("netcdf x {\ntypes: compound c { ¦foo a ; } ;\n}", "foo"),
    "array_field_without_braces": ("netcdf x {\ntypes: compound c { int a(2) ; } ; variables: c v ; data: v = {¦1, 2} ;\n}", "list in braces"),
    "brace_within": ("netcdf x {\ntypes: compound c { int a(2) ; } ; variables: c v ; data: v = {{1, 2} ¦;\n}", "'}'"),
    "brace_too_many": ("netcdf x {\ntypes: int(*) t ; variables: t v ; data: v = {1}¦} ;\n}", "closes no list"),
    "opaque_is_a_number": ("netcdf x {\ntypes: opaque(2) o ; variables: o v ; data: v = ¦5 ;\n}", "0x"),
    "too_large_a_float": ("netcdf x {\nvariables: int v ; data: v = ¦1e400 ;\n}", "1e400"),
    "two_characters": ("netcdf x {\nvariables: char v ; data: v = ¦'ab' ;\n}", "one character"),
    "fill_of_another_type": ("netcdf x {\nvariables: int v ; double v:_FillValue = ¦1e10 ;\n}", "1e10 does not fit in int"),
    "two_fill_values": ("netcdf x {\nvariables: int v ; v:_FillValue = ¦1, 2 ;\n}", "one value"),
    "chunk_of_zero": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:_ChunkSizes = ¦0 ;\n}", "at least 1"),
    "shuffle_is_yes": ('netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:_Shuffle = ¦"yes" ;\n}', "true"),
    "contiguous_and_unlimited": ('netcdf x {\ndimensions: t = UNLIMITED ; variables: int v(t) ; v:¦_Storage = "contiguous" ;\n}', "unlimited"),
    "path_to_nothing": ("netcdf x {\nvariables: int v ; data: ¦/g/v = 1 ;\n}", "'/g/v'"),
    "a_declaration_in_data": ("netcdf x {\nvariables: int v ; data: v = 1 ; int ¦w ;\n}", "'='"),
    "a_netcdf_file": ("¦CDF\1\0\0\0\0", "ncdump"),
    "a_text_of_utf_16": ("¦".encode() + "\ufeffnetcdf x { }".encode("utf-16-be"), "UTF-16"),
    "a_packed_text": (b"\xc2\xa6" + b"\x1f\x8b\x08\0\0\0", "gzip"),
    "fill_value_in_text": ("netcdf x {\nchar :a = ¦_ ;\n}", "fill value"),
    "fill_value_of_fill_value": ("netcdf x {\nvariables: char c ; c:_FillValue = ¦_ ;\n}", "fill value"),
    "shortened_section": ("netcdf x {\n¦vars: int a ;\n}", "'variables:'"),
    "section_in_capitals": ("netcdf x {\n¦DIMENSIONS: a = 1 ; b = 2 ;\n}", "'dimensions:'"),
    "attribute_of_a_misspelt_variable": ("netcdf x {\nvariables: int retime ; ¦reftime:a = 1 ;\n}", "and no type: is 'retime' meant?"),
    "filter_not_built_in": ("netcdf x {\ndimensions: x = 2 ; variables: int v(x) ; v:¦_Filter = \"511,1\" ; data: v = 1, 2 ;\n}", "-H"),
    "nothing": ("¦", "netcdf"),
    "after_wide_characters": ("netcdf x {\n:a = \"äöü\" ; :b = ¦? ;\n}", ""),
}


def placed(text):
    """The text without its mark, and the line and column of it, which counts characters."""
    text = text if isinstance(text, bytes) else text.encode()
    mark = "¦".encode()
    before, _, after = text.partition(mark)
    line = before.rpartition(b"\n")[2]
    return before + after, before.count(b"\n") + 1, len(line.decode(errors="replace")) + 1


def within(memory):
    """For a child that may have so much address space, of which threads reserve some without using it."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def refused(folder, text, *flags, name="x.cdl", memory=1 << 30):
    source, target = folder / name, folder / "x.nc"
    source.write_bytes(text)
    command = [str(BIN / "ncgen"), "-b", *flags, "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, timeout=20, preexec_fn=within(memory))
    error = done.stderr.decode(errors="replace")
    assert done.returncode == 1, (done.returncode, error)
    assert "panicked" not in error and "internal" not in error.lower(), error
    assert not target.exists() and sorted(folder.iterdir()) == [source], "something is left"
    assert error.startswith("ncgen: "), error
    return error


@pytest.mark.parametrize("name", ERRORS)
def test_place_and_word(name, tmp_path):
    marked, word = ERRORS[name]
    text, line, column = placed(marked)
    # A list with an error may be too short as well.
    error = re.sub(r"ncgen: warning: .*\n.*\n *\^\n", "", refused(tmp_path, text))
    found = re.search(r"x\.cdl:(\d+):(\d+): (.*)\n(.*)\n( *)\^", error)
    assert found, error
    assert (int(found[1]), int(found[2])) == (line, column), error
    assert word in found[3], error
    # The caret stands below the place, in the line as it is.
    text = re.sub(rb"[\0-\x08\x0e-\x1f]", b" ", text)
    shown = text.split(b"\n")[line - 1].decode(errors="replace").rstrip("\r")
    assert shown[column - 1 : column + 5] == found[4][len(found[5]) :][: len(shown[column - 1 : column + 5])], error


# What a kind cannot hold, in which ¦ stands before the name of it; and words of the message.
KINDS = {
    ("-3", "variables: int u ; ubyte ¦v ;"): "ubyte nc5",
    ("-3", "variables: int64 ¦v ;"): "int64 nc5",
    ("-6", "variables: string ¦v ;"): "string nc4",
    ("-5", "types: int enum e { a = 1 } ; variables: e ¦v ;"): "e nc4",
    ("-5", "group: ¦g { variables: int v ; }"): "group nc4",
    ("-3", "dimensions: t = UNLIMITED ; ¦u = UNLIMITED ; variables: int v(t) ; int w(u) ;"): "unlimited t u",
    ("-3", "dimensions: x = 2 ; t = UNLIMITED ; variables: int ¦v(x, t) ;"): "unlimited nc7",
    ("-7", "variables: ubyte ¦v ;"): "ubyte nc4",
    ("-7", "variables: string ¦v ;"): "string",
    ("-7", "group: ¦g { }"): "group",
    ("-3", ":¦a = 1ull ;"): "uint64",
    ("-3", ":a = 1 ; :b = 2 ; :¦a = 1ull ;"): "uint64",
    ("-3", "variables: int v ; int w ; w:a = 1 ; w:¦b = 1ll ;"): "w:b int64",
    ("-6", 'string :¦a = "x" ;'): "string",
    ("-3", "variables: int v ; v:¦_Endianness = \"little\" ;"): "_Endianness nc4",
    ("-3", "dimensions: ¦x = 5000000000 ; variables: byte v(x) ;"): "5000000000 cdf5",
    ("-3", "dimensions: x = 2147483640 ; variables: int ¦v(x) ; int w(x) ;"): "8589934560 last",
    ("-6", "dimensions: x = 2147483640 ; variables: int v ; int ¦w(x) ; v:a = 1 ; int u ;"): "last",
    ("-3", "dimensions: ¦\\+x = 2 ;"): "letter",
    ("-3", "variables: int a\\ b ; int ¦\\.c ;"): ".c letter",
    ("-3", "variables: int v ; v:¦\\.c = 1 ;"): ".c letter",
    ("-3", "dimensions: ¦x\\  = 2 ;"): "space",
    ("-4", "types: int(*) x ; variables: int ¦x ;"): "x",
    ("-4", "variables: int v ; v:a = 1 ; v:¦DIMENSION_LIST = 1 ;"): "DIMENSION_LIST",
    ("-4", ":_Format = \"classic\" ; variables: int v ; v:¦REFERENCE_LIST = 1 ;"): "REFERENCE_LIST",
    ("-4", "dimensions: ¦n = 9223372036854775807 ;"): "n 9223372036854775807 4611686018427387903",
    ("-4", "dimensions: m = 1 ; ¦n = 4611686018427387904 ;"): "n 4611686018427387904",
    ("-4", "dimensions: x = 9 ; variables: byte v(x) ; v:¦_Filter = \"1,99\" ;"): "deflate",
}


@pytest.mark.parametrize("flag, marked", KINDS)
def test_what_a_kind_cannot_hold(flag, marked, tmp_path):
    text, line, column = placed(f"netcdf x {{\n{marked}\n}}")
    *warnings, first, shown, caret = refused(tmp_path, text, flag).splitlines()
    assert f"x.cdl:{line}:{column}: " in first, first
    missing = [word for word in KINDS[flag, marked].split() if word not in first]
    assert not missing, first
    assert caret.index("^") - 2 == column - 1 or len(marked) > 60, caret


@pytest.mark.parametrize("owner, most", [("", 65534), ("v", 65535)])
@pytest.mark.long
def test_more_attributes_than_hdf5_numbers(owner, most, tmp_path):
    attributes = "".join(f"{owner}:a{n} = 1b ;\n" for n in range(most))
    text = f"netcdf x {{ variables: int v ;\n{attributes}{owner}:¦last = 1b ;\n}}"
    text, line, column = placed(text)
    error = refused(tmp_path, text, "-4")
    assert f"x.cdl:{line}:{column}: " in error and f"{most + 1} attributes" in error and f"at most {most}" in error, error


def test_no_such_kind(tmp_path):
    done = subprocess.run([str(BIN / "ncgen"), "-k9", "/nonexistent.cdl"], capture_output=True, text=True)
    assert done.returncode == 1 and "panicked" not in done.stderr and "9" in done.stderr, done.stderr


DEEP = {
    "groups": "netcdf x { " + "group: g { " * 100_000,
    "lists": "netcdf x { types: int(*) t ; variables: t v ; data: v = " + "{" * 100_000,
    "attribute_lists": "netcdf x { :a = " + "{" * 100_000,
    "types": "netcdf x { types: int(*) t0 ; " + "".join(f"t{n}(*) t{n + 1} ; " for n in range(5000)),
    "parentheses": "netcdf x { variables: int v" + "(" * 100_000,
    "compounds": "netcdf x { types: " + "compound c { " * 100_000,
    "size": "netcdf x { types: compound c0 { int a(1000000) ; } ; "
            + "".join(f"compound c{n + 1} {{ c{n} a(1000000) ; }} ; " for n in range(20)) + "variables: c20 v ; }",
    "product": "netcdf x { dimensions: d = 4000000000 ; variables: int v(d, d, d, d) ; }",
    "unlimited": "netcdf x { dimensions: " + "".join(f"t{n} = UNLIMITED ; " for n in range(2000))
                 + "variables: int v(" + ", ".join(f"t{n}" for n in range(2000)) + ") ; data: v = " + "{" * 2000,
}


@pytest.mark.parametrize("name", DEEP)
def test_nesting_and_size_are_limited(name, tmp_path):
    refused(tmp_path, DEEP[name].encode())


UNSEEN = {
    "escape": "netcdf x { variables: ¦\x1b[31m int v ; }",
    "c1_in_a_type": "netcdf x { variables: ¦\x9b31m v ; }",
    "bell_and_delete": "netcdf x { :a = ¦\x07\x7f ; }",
    "bidi_in_a_dimension": "netcdf x { variables: int v(¦\u202ex\u2066) ; }",
    "escape_in_a_format": 'netcdf x { :_Format = ¦"\x1b]0;title\x07" ; }',
    "line_breaks_in_a_name": "netcdf x { variables: int v(¦\\\nncgen\\:\\ done) ; }",
    "line_breaks_in_a_format": 'netcdf x { :_Format = ¦"a\\nncgen: done" ; }',
}
SHOWN_RAW = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("name", UNSEEN)
def test_messages_do_not_steer_the_terminal(name, tmp_path):
    text, line, column = placed(UNSEEN[name])
    error = refused(tmp_path, text)
    assert not SHOWN_RAW.search(error), repr(error)
    first, shown, caret = error.splitlines()
    assert f"x.cdl:{line}:{column}: " in first, error
    assert caret.index("^") - 2 == column - 1, error


def test_messages_are_no_longer_than_a_screen(tmp_path):
    for token in ("9" * 1_000_000, "x" * 1_000_000, "ä" * 1_000_000):
        error = refused(tmp_path, f"netcdf x {{ variables: int v ; data: v = {token} ; }}".encode())
        first, *_ = error.splitlines()
        assert "x.cdl:1:41: " in first and "…" in first and len(first.encode()) <= 4096, error


def test_arguments_do_not_steer_the_terminal(tmp_path):
    for argument in ("--\x1b[31m", "-k\x1b[31m", "\x1b[31m\u202e.cdl"):
        done = subprocess.run([str(BIN / "ncgen"), argument], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 1 and done.stderr and not SHOWN_RAW.search(done.stderr), done.stderr


def test_chunk_sizes_that_do_not_fit(tmp_path):
    text = b"netcdf x { dimensions: x = 2 ; variables: int v(x) ; v:_ChunkSizes = 1, 1 ; }"
    error = refused(tmp_path, text)
    assert "variable v: _ChunkSizes" in error


def test_no_such_file(tmp_path):
    done = subprocess.run([str(BIN / "ncgen"), "-b", str(tmp_path / "no.cdl")], capture_output=True, text=True)
    assert done.returncode == 1 and "no.cdl" in done.stderr and not list(tmp_path.iterdir())


def test_an_older_file_survives(tmp_path):
    source, target = tmp_path / "x.cdl", tmp_path / "x.nc"
    source.write_text("netcdf x { variables: int v ; data: v = 1, 2 ; }")
    target.write_bytes(b"older")
    done = subprocess.run([str(BIN / "ncgen"), "-b", "-o", str(target), str(source)], capture_output=True, text=True)
    assert done.returncode == 1 and target.read_bytes() == b"older"
