"""ncgen's command line: options, names, kinds, storage; h5py and netCDF4-python read what it makes."""

import os
import subprocess
import threading

import h5py
import netCDF4
import numpy as np
import pytest
import strict

from conftest import BIN, compare, installed

SMALL = """netcdf small\\ name {
dimensions: t = unlimited ; x = 4 ;
variables:
  int v(t, x) ;
    v:units = "m" ;
  float w(x) ;
data:
  v = 1, 2, 3, 4, 5, 6, 7, 8 ;
}
"""

KINDS = {
    "classic": ["classic", "nc3", "1"],
    "64-bit offset": ["64-bit offset", "64-bit-offset", "nc6", "2"],
    "cdf5": ["cdf5", "cdf-5", "64-bit data", "64-bit-data", "nc5", "5"],
    "netCDF-4": ["netCDF-4", "nc4", "hdf5", "enhanced", "netcdf4", "netCDF4", "netcdf-4", "3"],
    "netCDF-4 classic model": ["netCDF-4 classic model", "nc7", "hdf5-nc3", "enhanced-nc3", "netCDF-4_classic", "4"],
}
DIGITS = {"3": "classic", "6": "64-bit offset", "5": "cdf5", "4": "netCDF-4", "7": "netCDF-4 classic model"}


def run(*arguments, folder, ok=True, **options):
    """Runs our ncgen in `folder`; returns what it printed on standard error."""
    command = [str(BIN / "ncgen"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, cwd=folder, timeout=120, **options)
    text = done.stderr.decode()
    assert done.returncode == (0 if ok else 1), f"{command}: exit status {done.returncode}, {text}"
    assert ok or text.startswith("ncgen: "), text
    if ok and "-o" in arguments:
        strict.wrote(folder / arguments[arguments.index("-o") + 1], arguments, text)
    return text


def kind(path):
    done = subprocess.run([str(BIN / "ncdump"), "-k", str(path)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def made(folder):
    return sorted(p.name for p in folder.iterdir() if p.suffix != ".cdl")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.b.cdl").write_text(SMALL)
    return tmp_path


def generate(folder, text, *arguments, **options):
    """Makes out.nc of a text."""
    (folder / "text.cdl").write_text(text)
    out = folder / "out.nc"
    out.unlink(missing_ok=True)
    run("-o", out, *arguments, "text.cdl", folder=folder, **options)
    return out


# Names


@pytest.mark.parametrize(
    "arguments, name",
    [
        (["-b", "a.b.cdl"], "a.b.nc"),
        (["-n", "a.b.cdl"], "a.b.cdf"),
        (["-bn", "a.b.cdl"], "a.b.cdf"),
        (["-4", "a.b.cdl"], "a.b.nc"),
        (["a.b.cdl", "-knc4"], "a.b.nc"),
        (["-v", "3", "a.b.cdl"], "a.b.nc"),
        (["-lb", "a.b.cdl"], "a.b.nc"),
        (["-bxo", "named", "a.b.cdl"], "named"),
        (["-no", "named", "a.b.cdl"], "named"),
        (["-bN", "other", "a.b.cdl"], "a.b.nc"),
        (["-bPdD1", "-B9", "-L", "0", "-W8", "-Mmain", "-1", "a.b.cdl"], "a.b.nc"),
    ],
)
def test_the_file_is_named_after_the_text(folder, arguments, name):
    run(*arguments, folder=folder)
    assert made(folder) == [name]


@pytest.mark.parametrize("arguments", [[], ["-x"], ["-H"], ["-N", "a"], ["-1"]])
def test_without_a_reason_nothing_is_made(folder, arguments):
    assert run(*arguments, "a.b.cdl", folder=folder) == ""
    assert made(folder) == []


@pytest.mark.parametrize("arguments", [["-o", "a.cdl", "a.cdl"], ["-o", "link", "a.cdl"], ["-b", "own.nc"],
                                       ["-b", "link"], ["-o", "a.cdl"]])
def test_the_text_is_not_replaced(tmp_path, arguments):
    """Neither by its own name, nor through a link, nor by the name that the output gets, nor as standard input."""
    text = tmp_path / "a.cdl"
    text.write_text(SMALL)
    (tmp_path / "link").symlink_to(text)
    (tmp_path / "link.nc").hardlink_to(text)
    (tmp_path / "own.nc").write_text(SMALL)
    before = sorted(p.name for p in tmp_path.iterdir())
    with open(text) as stdin:
        error = run(*arguments, folder=tmp_path, ok=False, stdin=stdin)
    assert "same file; name another output" in error and error.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert text.read_text() == SMALL and (tmp_path / "own.nc").read_text() == SMALL


def test_files_of_other_folders_are_made_here(folder):
    here = folder / "here"
    here.mkdir()
    run("-b", "../a.b.cdl", folder=here)
    assert made(here) == ["a.b.nc"]


@pytest.mark.parametrize("arguments, name", [(["-b"], "smallname.nc"), (["-bN", "q"], "q.nc"), (["-n", "-"], "smallname.cdf")])
def test_from_standard_input_the_dataset_names_the_file(folder, arguments, name):
    run(*arguments, folder=folder, input=SMALL.encode())
    assert made(folder) == [name]


def test_a_text_does_not_choose_a_folder(folder):
    text = "netcdf /tmp/ncgen-chosen {}"
    assert "-o" in run("-b", folder=folder, ok=False, input=text.encode())
    run("-bN", "q", folder=folder, input=text.encode())
    assert made(folder) == ["q.nc"]


# Kinds


@pytest.mark.parametrize("name, expected", [(n, k) for k, names in KINDS.items() for n in names])
def test_names_of_kinds(folder, name, expected):
    assert kind(generate(folder, SMALL, "-k", name)) == expected


@pytest.mark.parametrize("digit", DIGITS)
def test_digits(folder, digit):
    assert kind(generate(folder, SMALL, f"-{digit}")) == DIGITS[digit]
    assert kind(generate(folder, SMALL, "-4", f"-{digit}")) == DIGITS[digit]


@pytest.mark.parametrize(
    "body, expected",
    [
        ("dimensions: t = unlimited; variables: int v(t); double w;", "classic"),
        ("variables: int64 v;", "cdf5"),
        ("variables: ubyte v;", "cdf5"),
        ("variables: int v; uint v:a = 3u;", "cdf5"),
        ("dimensions: x = 2147483648;", "cdf5"),
        ("variables: string v;", "netCDF-4"),
        ('variables: int v; string v:a = "b";', "netCDF-4"),
        ("types: opaque(3) o;", "netCDF-4"),
        ("group: g {}", "netCDF-4"),
        ("dimensions: t = unlimited; u = unlimited;", "netCDF-4"),
        ("dimensions: t = unlimited; x = 2; variables: int v(x, t);", "netCDF-4"),
        ("variables: int v; v:_Endianness = \"big\";", "netCDF-4"),
        ("variables: int v; v:_NoFill = \"true\";", "netCDF-4"),
        (':_Format = "64-bit offset";', "64-bit offset"),
        (':_Format = "netCDF-4 classic model";', "netCDF-4 classic model"),
    ],
)
def test_the_kind_that_the_text_needs(folder, body, expected):
    text = f"netcdf a {{ {body} }}"
    assert kind(generate(folder, text)) == expected
    assert kind(generate(folder, text, "-k", "nc4")) == "netCDF-4"


@pytest.mark.parametrize(
    "body, arguments, says",
    [
        ("variables: int64 v;", ["-3"], "variable v is of type int64"),
        ("variables: string v;", ["-5"], "variable v is of type string"),
        ("group: g {}", ["-7"], "/g is a group"),
        ("types: opaque(3) o;", ["-6"], "o is a user-defined type"),
        ("dimensions: t = unlimited; u = unlimited;", ["-7"], "t and u"),
        ("dimensions: t = unlimited; x = 2; variables: int v(x, t);", ["-3"], "the first"),
        ('variables: string v; :_Format = "classic";', [], "type string"),
        ("dimensions: x = 2; variables: int v(x); v:_DeflateLevel = 1;", ["-3"], "_DeflateLevel"),
    ],
)
def test_a_kind_that_cannot_hold_the_text_is_an_error(folder, body, arguments, says):
    (folder / "b.cdl").write_text(f"netcdf b {{ {body} }}")
    assert says in run("-b", *arguments, "b.cdl", folder=folder, ok=False)
    assert made(folder) == []


def test_integers_are_not_narrowed(folder):
    out = generate(folder, "netcdf a { variables: int64 v; data: v = 1234567890123456789; }")
    with netCDF4.Dataset(out) as d:
        assert d.data_model == "NETCDF3_64BIT_DATA"
        assert d["v"][...] == 1234567890123456789


# Storage


def plist(path, name):
    with h5py.File(path) as f:
        p = f[name].id.get_create_plist()
        filters = [(p.get_filter(i)[0], p.get_filter(i)[2]) for i in range(p.get_nfilters())]
        chunk = p.get_chunk() if p.get_layout() == h5py.h5d.CHUNKED else None
        return p.get_layout(), chunk, filters, f[name].dtype.byteorder, p.get_fill_time()


COMPACT, CONTIGUOUS, CHUNKED = h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED
STORAGE = [
    ("int v(x)", "", CONTIGUOUS, None, []),
    ("int v(t)", "", CHUNKED, (1024,), []),
    ("int v(t, x)", "", CHUNKED, (1, 10), []),
    ("int v(t, u)", "", CHUNKED, (2048, 2048), []),
    ("int v(x)", 'v:_Storage = "chunked";', CHUNKED, (10,), []),
    ("int v(x)", 'v:_Storage = "compact";', COMPACT, None, []),
    ("int v", 'v:_Storage = "compact";', COMPACT, None, []),
    ("int v(x, y)", "v:_ChunkSizes = 3, 4;", CHUNKED, (3, 4), []),
    ("int v(x, y)", 'v:_ChunkSizes = 3, 4; v:_Storage = "contiguous";', CONTIGUOUS, None, []),
    ("int v(x, y)", 'v:_Storage = "contiguous"; v:_ChunkSizes = 3, 4;', CHUNKED, (3, 4), []),
    ("int v(x, y)", 'v:_Storage = "contiguous"; v:_DeflateLevel = 3;', CHUNKED, (10, 6), [(1, (3,))]),
    ("int v(x)", "v:_DeflateLevel = 0;", CONTIGUOUS, None, []),
    ("int v(x)", 'v:_Shuffle = "true";', CHUNKED, (10,), [(2, (4,))]),
    ("short v(x)", "v:_Fletcher32 = 1; v:_Shuffle = 1; v:_DeflateLevel = 9;", CHUNKED, (10,), [(3, ()), (2, (2,)), (1, (9,))]),
    ("int v(x)", 'v:_Filter = "1,3"; v:_DeflateLevel = 2;', CHUNKED, (10,), [(1, (3,))]),
    ("int v(x)", 'v:_Filter = "4,32,8";', CHUNKED, (10,), None),
]


@pytest.mark.parametrize("variable, attributes, layout, chunk, filters", STORAGE)
def test_storage_is_what_the_attributes_ask_for(folder, variable, attributes, layout, chunk, filters):
    dims = "x = 10; y = 6; t = unlimited; u = unlimited;"
    text = f"netcdf a {{ dimensions: {dims} variables: {variable}; {attributes} }}"
    out = generate(folder, text, "-4")
    found = plist(out, "v")
    assert found[:2] == (layout, chunk)
    assert filters is None or found[2] == filters
    theirs = folder / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", "-o", theirs, folder / "text.cdl"], check=True)
    assert plist(theirs, "v") == found
    with netCDF4.Dataset(out) as d:
        assert not [name for name in d["v"].ncattrs()]


@pytest.mark.parametrize(
    "attributes, filters",
    [
        # netCDF-C's ncgen sorts these.
        ('_Filter = "2|1,4|3"', [(2, (4,)), (1, (4,)), (3, ())]),
        ('_Filter = "[0]shuffle|zstd,level=4"', [(2, (4,)), (32015, (4,))]),
        ('_Filter = "bzip2,3"', [(307, (3,))]),
        (r'_Codecs = "[{\"id\": \"shuffle\", \"elementsize\": 4}, {\"id\": \"zlib\", \"level\": 2}]"', [(2, (4,)), (1, (2,))]),
        (r'_Codecs = "[{\"id\": \"zlib\", \"level\": 2}]"; v:_Filter = "307,9"', [(307, (9,))]),
    ],
)
def test_filters_in_their_order_by_name_and_as_json(folder, attributes, filters):
    text = f"netcdf a {{ dimensions: x = 4; variables: int v(x); v:{attributes}; data: v = 1, 2, 3, 4; }}"
    out = generate(folder, text)
    assert plist(out, "v")[2] == filters
    with h5py.File(out) as f:
        assert f["v"][:].tolist() == [1, 2, 3, 4]


def test_filters_that_are_built_in_need_no_plugin(folder):
    text = 'netcdf a { dimensions: x = 10; variables: int v(x); v:_Filter = "307,9|32015,3"; data: v = 1, 2, 3; }'
    _, _, filters, _, _ = plist(generate(folder, text), "v")
    assert filters == [(307, (9,)), (32015, (3,))]


@pytest.mark.parametrize("order, dtype", [("big", ">i4"), ("little", "<i4")])
def test_byte_order(folder, order, dtype):
    text = f'netcdf a {{ dimensions: x = 3; variables: int v(x); v:_Endianness = "{order}"; data: v = 1, 2, 300; }}'
    with h5py.File(generate(folder, text)) as f:
        assert f["v"].dtype == np.dtype(dtype)
        assert f["v"][:].tolist() == [1, 2, 300]


def test_fill(folder):
    text = """netcdf a { types: byte enum e_t { zero = 0, one = 1 }; dimensions: x = 2; t = unlimited;
    variables: int d(x); int a(x); a:_FillValue = 7; int n(x); n:_NoFill = "true"; e_t e(x); string s(x); int r(t); int q(t);
    data: n = 1, 2; r = 1, 2, 3; q = 9; }"""
    out = generate(folder, text)
    with h5py.File(out) as f:
        assert f["d"].fillvalue == -2147483647 and f["d"][:].tolist() == [-2147483647] * 2
        assert f["a"].fillvalue == 7 and f["a"][:].tolist() == [7, 7]
        assert f["n"].id.get_create_plist().get_fill_time() == h5py.h5d.FILL_TIME_NEVER
        assert f["e"].fillvalue == -127
        assert f["q"].shape == (3,)
    with netCDF4.Dataset(out) as d:
        assert d["q"].shape == (3,)
        assert d["q"][:].tolist() == [9, None, None]
        assert d["s"][:].tolist() == ["", ""]


def test_no_fill(folder):
    text = "netcdf a { dimensions: x = 2; variables: int v(x); data: v = 1, 2; }"
    fill_time = plist(generate(folder, text, "-4", "-x"), "v")[4]
    assert fill_time == h5py.h5d.FILL_TIME_NEVER
    assert plist(generate(folder, text, "-4"), "v")[4] != fill_time
    generate(folder, text, "-x")


@pytest.mark.parametrize("arguments", [["-4"], ["-3"], ["-7"]])
def test_header_only(folder, arguments):
    with netCDF4.Dataset(generate(folder, SMALL, "-H", *arguments)) as d:
        assert len(d.dimensions["t"]) == 0 and d["v"].shape == (0, 4)
        assert d["v"].units == "m"


@pytest.mark.parametrize(
    "attributes, says",
    [
        ("v:_ChunkSizes = 3;", "2 in all, not 1"),
        ("v:_ChunkSizes = 11, 1;", "exceeds"),
        ("v:_ChunkSizes = 0, 1;", "_ChunkSizes"),
        ("v:_DeflateLevel = 10;", "_DeflateLevel"),
        ('v:_Storage = "heap";', "_Storage"),
        ('v:_Endianness = "middle";', "_Endianness"),
        ('v:_Filter = "nonsense";', "_Filter"),
        ('s:_Shuffle = "true";', "scalar"),
        ('r:_Storage = "contiguous";', "unlimited"),
        ('large:_Storage = "compact";', "65531"),
    ],
)
def test_storage_that_cannot_be_is_an_error(folder, attributes, says):
    (folder / "b.cdl").write_text(
        f"""netcdf b {{ dimensions: x = 10; y = 6; t = unlimited; z = 20000;
        variables: int v(x, y); int s; int r(t); int large(z); {attributes} }}"""
    )
    assert says in run("-b4", "b.cdl", folder=folder, ok=False)
    assert made(folder) == []


# Input and output


@pytest.mark.parametrize("arguments", [["-"], []])
def test_standard_input(folder, arguments):
    run("-o", "piped.nc", *arguments, folder=folder, input=SMALL.encode())
    with open(folder / "a.b.cdl") as file:
        run("-o", "redirected.nc", *arguments, folder=folder, stdin=file)
    assert (folder / "piped.nc").read_bytes() == (folder / "redirected.nc").read_bytes()


def test_named_pipes(folder):
    os.mkfifo(folder / "pipe.cdl")
    writer = threading.Thread(target=lambda: (folder / "pipe.cdl").write_text(SMALL))
    writer.start()
    run("-b", "pipe.cdl", folder=folder)
    writer.join()
    assert made(folder) == ["pipe.nc"]


def test_text_that_does_not_fit_into_memory(folder):
    count = 600_000
    numbers = ", ".join(map(str, range(count)))
    text = f"netcdf big {{ dimensions: x = {count}; variables: int v(x); data: v = {numbers}; }}"
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    run("-b", "-m", "4M", folder=folder, input=text.encode(), env=environment)
    assert list(temporary.iterdir()) == []
    with netCDF4.Dataset(folder / "big.nc") as d:
        assert np.array_equal(d["v"][:], np.arange(count))
    missing = {**os.environ, "TMPDIR": str(folder / "missing")}
    error = run("-bN", "other", "-m", "4M", folder=folder, ok=False, input=text.encode(), env=missing)
    assert "temporary file" in error and "missing" in error


@pytest.mark.parametrize(
    "text", ["", "netcdf", "netcdf a { variables: int v(y); }", "netcdf a { dimensions: x = 2; variables: int v(x); data: v = 1, 09; }"]
)
@pytest.mark.parametrize("arguments", [[], ["-b"], ["-lc"]])
def test_an_error_shows_the_place_and_leaves_nothing(folder, text, arguments):
    (folder / "bad.cdl").write_text(text)
    (folder / "bad.nc").write_text("older")
    error = run(*arguments, "bad.cdl", folder=folder, ok=False)
    assert error.startswith("ncgen: bad.cdl:1:"), error
    assert error.splitlines()[-1].strip() == "^", error
    assert made(folder) == ["bad.nc"]
    assert (folder / "bad.nc").read_text() == "older"
    error = run(*arguments, folder=folder, ok=False, input=text.encode())
    assert error.startswith("ncgen: stdin:1:"), error


def test_warnings_do_not_fail(folder):
    text = "netcdf a { dimensions: x = 2; variables: int v(x); data: v = 1, 2; v = 3, 4; }"
    (folder / "twice.cdl").write_text(text)
    warning = run("-b", "twice.cdl", folder=folder)
    assert warning.startswith("ncgen: warning: twice.cdl:1:"), warning
    with netCDF4.Dataset(folder / "twice.nc") as d:
        assert d["v"][:].tolist() == [3, 4]


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["none.cdl"], "none.cdl"),
        (["."], "directory"),
        (["-k", "nc9", "a.b.cdl"], "nc9"),
        (["-lperl", "a.b.cdl"], "perl"),
        (["-b", "-c", "a.b.cdl"], "languages"),
        (["-lj", "a.b.cdl"], "Java"),
        (["-m", "much", "a.b.cdl"], "much"),
        (["-lc", "-M", "a b", "a.b.cdl"], "function"),
        (["-o", "no/such/folder.nc", "a.b.cdl"], "cannot create"),
    ],
)
def test_wrong_arguments(folder, arguments, says):
    error = run(*arguments, folder=folder, ok=False)
    assert says in error and len(error.splitlines()) == 1, error
    assert made(folder) == []


def test_two_texts_are_one_too_many(folder):
    done = subprocess.run([BIN / "ncgen", "a.b.cdl", "a.b.cdl"], cwd=folder, capture_output=True)
    assert done.returncode == 1 and b"unexpected argument" in done.stderr


def test_help(folder):
    for option in "-h", "--help":
        done = subprocess.run([BIN / "ncgen", option], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and "-o, --output FILE" in done.stdout, done


@pytest.mark.parametrize("option", ["-lc", "-lC", "-c", "-lf77", "-lfortran77", "-lFortran77", "-f"])
def test_programs_are_printed_and_nothing_is_made(folder, option):
    (folder / "a.cdl").write_text("netcdf a { dimensions: x = 2; variables: int v(x); data: v = 1, 2; }")
    command = [BIN / "ncgen", option, "-Mstory", "a.cdl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "a.nc" in done.stdout and "story" in done.stdout
    assert made(folder) == []


def test_threads_do_not_change_the_file(folder):
    files = []
    for threads in "1", "2", "5":
        out = generate(folder, SMALL, "-4", "--threads", threads)
        files.append(out.read_bytes())
    assert files[0] == files[1] == files[2]


# Against netCDF-C's


SAME = """netcdf same {
types: compound c_t { int i; double d(2); float f; }; int(*) v_t; opaque(5) o_t; short enum e_t { one = 1, two = 2 };
dimensions: t = unlimited; x = 3; n = 5;
variables:
  byte b(x); char c(x, n); short s(t, x); int i(t); float f(x); double d;
  ubyte ub(x); ushort us(x); uint ui(x); int64 l(x); uint64 ul(x); string st(x);
  c_t k(x); v_t v(x); o_t o(x); e_t e(x);
  f:_FillValue = -1.f; f:range = 1.f, 2.f; d:text = "a\\tb"; string d:list = "a", "b"; e_t d:state = one;
  s:_ChunkSizes = 4, 3; s:_DeflateLevel = 2; s:_Shuffle = "true"; i:_Fletcher32 = "true"; ui:_Endianness = "big";
  :title = "same";
data:
  b = -1, _, 3; c = "ab", "cde"; s = 1, 2, 3, 4, 5, 6; i = 1, 2; f = 1.5, _, NaN; d = 1e300;
  ub = 255; us = 1, 2, 65535; ui = 4294967295, 0, 1; l = -9223372036854775808, 1, 2; ul = 18446744073709551615, 1, 2;
  st = "one", "", NIL; k = {1, {2, 3}, 4}, {5, {6, 7}, 8}, {9, {10, 11}, 12}; v = {1, 2, 3}, {4}, {5, 6};
  o = 0x0102030405, 0x0000000000, 0xffffffffff; e = e_t.two, e_t.one, e_t.two;
group: g { dimensions: y = 2; variables: int q(y, x); data: q = 1, 2, 3, 4, 5, 6; }
}
"""


def test_the_file_is_that_of_netcdf_c(folder):
    out = generate(folder, SAME, "-4")
    theirs = folder / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", "-o", theirs, folder / "text.cdl"], check=True)
    status, differences = compare("--layout", "--kind", theirs, out)
    assert status == 0, differences


@pytest.mark.parametrize("option", ["-3", "-6", "-5", "-7"])
def test_the_file_of_a_smaller_kind_is_that_of_netcdf_c(folder, option):
    text = """netcdf a { dimensions: t = unlimited; x = 3; n = 5;
    variables: byte b(x); char c(x, n); short s(t, x); int i(t); float f(x); double d; f:_FillValue = -1.f; :title = "a";
    data: b = -1, 0, 3; c = "ab", "cde"; s = 1, 2, 3, 4, 5, 6; i = 1, 2; f = 1.5, _, 2; d = 1e300; }"""
    out = generate(folder, text, option)
    theirs = folder / "theirs.nc"
    subprocess.run([installed("ncgen"), option, "-o", theirs, folder / "text.cdl"], check=True)
    if option == "-7":
        status, differences = compare("--layout", "--kind", theirs, out)
        assert status == 0, differences
    else:
        assert out.read_bytes() == theirs.read_bytes()
