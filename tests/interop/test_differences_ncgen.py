"""Differences between our ncgen and Debian's, as docs/reference/differences-ncgen.md lists them."""

import pytest
from conftest import BIN, installed
from differences import check, outcome

# The beginning of a row, the body of a text, options, and what is found in our outcome and in theirs: the exit status, what our
# ncdump prints of the file, and the messages. A text that begins with `netcdf` is whole.
STORAGE = "dimensions: d = 4; u = UNLIMITED; variables: int v(d)"
TYPES = "types:\n  compound c1 {\n    int a ;\n  }; // c1\n  compound c2 {\n    c1 b ;\n  }; // c2\n  int enum e {x = 1} ;\n"
CASES = [
    ("kind without `-k`", 'variables: string v; data: v = "a";', ["-b"], 'v = "a"', "status 1"),
    ("kind without `-k`", "variables: ubyte v; data: v = 5;", ["-b"], "v = 5", "status 1"),
    ("kind without `-k`", "variables: int64 v; data: v = 5000000000;", ["-b"], "v = 5000000000", "v = 705032704"),
    ("a kind that cannot hold the text", "group: g { variables: int v; }", ["-3"], "status 1", "status 0"),
    ("errors", "variables: int v(d) ; int w(e) ;", ["-4"], r"1:\d+: (.|\n)*1:\d+: ", r"!line(.|\n)*line"),
    ("the `{` of a dataset", "netcdf x\n// {\n { variables: int v; }", ["-4"], "int v", "status 1"),
    ("the `{` of a dataset", "netcdf x\ny { variables: int v; }", ["-4"], r"expected '\{'", "int v"),
    ("dimensions longer than 2147483644", "dimensions: d = 3000000000;", ["-b"], 'Format = "cdf5"', "status 1"),
    ("words such as", "dimensions: byte = 2; variables: int data(byte);", ["-4"], r"int data\(byte\)", "status 1"),
    ("names that netCDF-C refuses", r"dimensions: \-a = 2;", ["-4"], r"\\-a = 2(.|\n)*warning", "status 1"),
    ("names that netCDF-C refuses", r"dimensions: \-a = 2;", ["-3"], "status 1", "status 1"),
    ("`-P`", "variables: int v;", ["-P", "-4"], "status 0", "status -11"),
    ("Java", "variables: int v;", ["-lj"], "not offered", "status 0"),
    ("C programs", "variables: int v;", ["-lc"], "Build it with", "!Build it with"),
    ("`_Storage = \"contiguous\"` along", 'dimensions: d = 0; variables: int v(d); v:_Storage = "contiguous";', ["-4"], "warning", "status 1"),
    ("`_ChunkSizes`", "dimensions: d = 4; e = 4; variables: int v(d, e); v:_ChunkSizes = 2;", ["-4"], "needs one length for each", "= 2, 4"),
    ("storage that a variable cannot have", 'dimensions: u = UNLIMITED; variables: int v(u); v:_Storage = "contiguous";', ["-4"],
     "variable v: _Storage", "Invalid argument"),
    ("order of types", "types: compound c1 {int a;}; compound c2 {c1 b;}; int enum e {x = 1};", ["-4"], r"c1 \{(.|\n)*enum e(.|\n)*c2 \{",
     r"c1 \{(.|\n)*enum e(.|\n)*c2 \{"),
    ("order of types", f"netcdf x {{\n{TYPES}}}", ["-4"], r"c1 \{(.|\n)*c2 \{(.|\n)*enum e", r"c1 \{(.|\n)*enum e(.|\n)*c2 \{"),
    ("order of `_Filter`", STORAGE + '; v:_Filter = "1,4|2,4|3";', ["-4"], r'"1,4\|2,4\|3"', "_Fletcher32"),
    ("`_Codecs`", STORAGE + r'; v:_Codecs = "[{\"id\":\"zlib\",\"level\":\"3\"}]";', ["-4"], "_DeflateLevel = 3", "contiguous"),
    ("filters", STORAGE + '; v:_Filter = "bzip2,5";', ["-4"], '"307,5"', "!307,5"),
    ("`_Shuffle`, `_Fletcher32`, `_NoFill` of 0", STORAGE + "; v:_Shuffle = 0; v:_DeflateLevel = 1;", ["-4"], "!_Shuffle", "status"),
    ("enums and strings without values", "types: int enum e {a = 1}; dimensions: d = 2; variables: e v(d); data: v = a;", ["-4"],
     "v = a, _UNDEFINED", "status 1"),
    ("too many values", STORAGE + "; data: v = 1, 2, 3, 4, 5;", ["-4"], "1 is left out", "!left out"),
    ("too few values", STORAGE + "; data: v = 1;", ["-4"], "3 are missing", "!missing"),
    ("a number outside of its type's range", "variables: int v; data: v = 3000000000;", ["-4"], "v = -1294967296(.|\n)*warning", "!warning"),
    ("a number outside of its type's range", "variables: int v; v:_FillValue = 1.5;", ["-4"], "= 1 (.|\n)*int cannot hold 1.5", "!cannot hold"),
    ("a number outside of its type's range", "variables: float v; data: v = 1e300;", ["-4"], "Infinity(.|\n)*warning", "!warning"),
    ("a number outside of its type's range", "variables: int v; data: v = 0xffffffff;", ["-4"], "!warning", "v = -1"),
    ("`09`", "variables: int v; data: v = 09;", ["-4"], "09 is not a number", "v = 0"),
    ("`09`", "variables: byte v; data: v = 300;", ["-4"], "300 does not fit", "v = 44"),
    ("`0xabcdabcdabcdL`", ":a = 5000000000l;", ["-4"], "a = 5000000000LL(.|\n)*warning", "a = 705032704"),
    ("`-0` of a float", "variables: float v; data: v = -0;", ["-4"], "v = -0", "v = 0"),
    ("`'\\0'`", r"dimensions: d = 2; variables: char v(d); data: v = '\0', '\x41';", ["-4"], r'"\\000A"', r'"0\\332"'),
    ("suffixes `su`", ":a = 1su;", ["-4"], "a = 1US", "status 1"),
    ("`1.79769313486232e+308`", "variables: double v; data: v = 1.79769313486232e+308;", ["-4"], r"v = 1.79769313486232e\+308", "v = Infinity"),
    ("`_FillValue` of another type", "variables: short v; int v:_FillValue = 500000;", ["-4"], "does not fit", "FillValue = -24288s"),
    ("`_FillValue` of another type", "variables: short v; int v:_FillValue = 5;", ["-4"], "FillValue = 5s(.|\n)*warning", "!warning"),
    ("a string among numbers that begins", 'variables: int v; data: v = "ab";', ["-4"], "status 1", "v = 0"),
    ("`short :a = -2b`", "short :a = -2b;", ["-4"], "a = -2s", "a = 254s"),
    ("a list without a type", ":c = 3000000000, 18446744073709551615;", ["-4"], "18446744073709551615ULL", "= -1294967296, -1 "),
    ("`'a', \"\", 'b'`", "dimensions: d = 3; variables: char v(d); data: v = 'a', \"\", 'b';", ["-4"], r'"a\\000b"', '"ab"'),
    ("short rows of `char`", 'dimensions: d = 2; u = UNLIMITED; e = 2; variables: char v(d, u, e); data: v = {"a", "b"}, {"c"};', ["-4"],
     r'\{"c",\s+""\}', "status -11"),
]


@pytest.mark.parametrize("row, text, flags, ours, theirs", CASES, ids=[f"{n}-{c[0][:30]}" for n, c in enumerate(CASES)])
def test_rows(tmp_path, row, text, flags, ours, theirs):
    text = text if text.startswith("netcdf ") else f"netcdf x {{ {text} }}"
    (tmp_path / "x.cdl").write_text(text + "\n")
    for program, pattern in (BIN / "ncgen", ours), (installed("ncgen"), theirs):
        target = tmp_path / "x.nc"
        target.unlink(missing_ok=True)
        told = outcome([program, *flags, "-o", target, "x.cdl"], tmp_path)
        dump = outcome([BIN / "ncdump", "-s", target], tmp_path).partition("\n")[2] if target.exists() else ""
        status, _, messages = told.partition("\n")
        check(pattern, "\n".join([status, dump, messages]))
