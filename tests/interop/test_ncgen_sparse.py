"""What ncgen makes of texts that give few of a variable's values: chunks, fill values, and how much memory it takes."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest

from conftest import BIN, installed
from peak_memory import peak
from test_ncgen import folder, generate, run  # noqa: F401

NEVER, IFSET = h5py.h5d.FILL_TIME_NEVER, h5py.h5d.FILL_TIME_IFSET


def made(folder, text, *arguments, warning=""):
    """Makes out.nc of a text; returns it, and the most memory that took, in bytes."""
    (folder / "text.cdl").write_text(text)
    out = folder / "out.nc"
    return out, peak(BIN / "ncgen", "-4", "-o", out, *arguments, folder / "text.cdl", warning=warning)


@pytest.mark.parametrize("attribute, arguments", [('v:_NoFill = "true";', []), ("", ["-x"])])
def test_no_fill_stays_where_another_variable_has_more_records(folder, attribute, arguments):
    text = f"""netcdf a {{ dimensions: b = 2; u = unlimited; variables: int v(u, b); {attribute} int w(u);
    data: w = 1, 2, 3; v = 1, 2, 3, 4; }}"""
    out = generate(folder, text, "-4", *arguments)
    theirs = folder / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", *arguments, "-o", theirs, folder / "text.cdl"], check=True)
    for path in (out, theirs):
        with h5py.File(path) as f:
            plist = f["v"].id.get_create_plist()
            assert plist.get_fill_time() == NEVER
            assert plist.fill_value_defined() == h5py.h5d.FILL_VALUE_DEFAULT
            assert f["v"].id.get_num_chunks() == 3
            assert f["v"][:].tolist() == [[1, 2], [3, 4], [-2147483647] * 2]
        dump = subprocess.run([installed("ncdump"), "-hs", path], capture_output=True, text=True, check=True).stdout
        assert 'v:_NoFill = "true"' in dump


@pytest.mark.parametrize("attribute", ["", "v:_FillValue = 7b;", 'v:_NoFill = "true";', "v:_DeflateLevel = 1;"])
def test_chunks_behind_the_values_are_not_in_the_file(folder, attribute):
    text = f"netcdf a {{ dimensions: a = 100000000; variables: byte v(a); v:_ChunkSizes = 1; {attribute} data: v = 1, _, 3; }}"
    out, memory = made(folder, text, warning="too few values")
    assert memory < 50e6 and out.stat().st_size < 100_000
    fill = 7 if "_FillValue" in attribute else -127
    with h5py.File(out) as f:
        assert f["v"].shape == (100_000_000,) and f["v"].id.get_num_chunks() == 3
        assert f["v"][:3].tolist() == [1, fill, 3]
        if "_NoFill" in attribute:
            assert f["v"].id.get_create_plist().get_fill_time() == NEVER
        else:
            assert (f["v"][99_999_000:] == fill).all()


def test_a_long_list_among_short_ones_writes_its_own_chunks(folder):
    rows = [[n] for n in range(5_000)] + [list(range(5_000))]
    lists = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows)
    text = f"""netcdf a {{ dimensions: t = unlimited; u = unlimited; variables: int v(t, u); v:_ChunkSizes = 100, 100;
    data: v = {lists}; }}"""
    out, memory = made(folder, text)
    theirs = folder / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", "-o", theirs, folder / "text.cdl"], check=True)
    assert memory < 50e6
    for path in (out, theirs):
        with h5py.File(path) as f:
            v = f["v"]
            assert v.shape == (5_001, 5_000)
            # One column of chunks and one row; the list that is long is alone in its row.
            assert v.id.get_num_chunks() == 100 or path == theirs
            assert (v[:5_000, 0] == np.arange(5_000)).all() and (v[5_000] == np.arange(5_000)).all()
            assert (v[[0, 150, 4_999], 1:] == -2147483647).all()


def test_part_of_a_grid_reads_as_that_of_netcdf_c(folder):
    text = """netcdf a { types: opaque(2) o_t; compound c_t { int a; short b; }; byte enum e_t { zero = 0, one = 1 };
    dimensions: x = 7; y = 5; z = 3;
    variables: int i(x, y, z); i:_ChunkSizes = 2, 2, 2; string s(x, y); s:_ChunkSizes = 2, 3; char t(x, y); t:_ChunkSizes = 3, 2;
    o_t o(x); o:_ChunkSizes = 1; c_t c(x); c:_ChunkSizes = 1; float f(x, y); f:_ChunkSizes = 1, 2; f:_FillValue = 5.f;
    data: i = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17; s = "a", "b", "c", "d", "e", "f"; t = "abcde", "f";
    o = 0x0102, 0x0304; c = {1, 2}; f = 1, 2, 3, 4, 5, 6, _, 8; }"""
    out = generate(folder, text, "-4")
    theirs = folder / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", "-o", theirs, folder / "text.cdl"], check=True)
    with netCDF4.Dataset(out) as ours, netCDF4.Dataset(theirs) as d:
        for name in d.variables:
            for mask in (True, False):
                ours[name].set_auto_mask(mask)
                d[name].set_auto_mask(mask)
                if name == "c":
                    # netCDF-C's ncgen leaves what it finds in memory there.
                    assert ours[name][0].tolist() == d[name][0].tolist()
                else:
                    assert np.ma.filled(ours[name][:], 0).tolist() == np.ma.filled(d[name][:], 0).tolist(), name
    with h5py.File(out) as f:
        # Strings whose fill value is "" are written whole: HDF5 up to 2.0 fails where a chunk of them is not there.
        assert [f[name].id.get_num_chunks() for name in "istofc"] == [6, 8, 3, 2, 5, 7]


def test_a_chunk_larger_than_the_memory_asked_for_is_there_once(folder):
    text = """netcdf a { dimensions: a = unlimited; variables: byte v(a); v:_ChunkSizes = 300000000; v:_DeflateLevel = 1;
    data: v = 1, 2; }"""
    out, memory = made(folder, text, "-m", "1M")
    assert 300e6 < memory < 360e6
    with h5py.File(out) as f:
        assert f["v"].chunks == (300_000_000,) and f["v"][:].tolist() == [1, 2]
        assert f["v"].id.get_chunk_info(0).size < 1_000_000


# Elements of user types that are larger than a fill value can be

LARGE = "types: opaque(70000) o_t; compound c_t { int a(60000); };"


def test_elements_larger_than_a_fill_value(folder):
    text = f"""netcdf a {{ {LARGE} dimensions: x = 3; u = unlimited;
    variables: o_t s; c_t w(x); o_t v(x); v:_ChunkSizes = 1; o_t r(u); c_t z; o_t q(x); o_t q:_FillValue = 0x00; int n(u);
    data: v = 0x01; r = 0x02; z = {{{{1, 2}}}}; n = 1, 2, 3; }}"""
    out = generate(folder, text, "-4")
    with h5py.File(out) as f:
        assert f["s"][()].tobytes() == bytes(70_000)
        assert not f["w"][:]["a"].any() and not np.void(f["q"][:]).tobytes().strip(b"\0")
        for name in "vr":
            assert f[name].id.get_num_chunks() == 1
            assert f[name][0].tobytes() == bytes([1 if name == "v" else 2]) + bytes(69_999)
            assert f[name].shape == (3,) and f[name][1:].tobytes() == bytes(140_000)
        assert f["z"][()]["a"][:3].tolist() == [1, 2, -2147483647]
        assert f["w"].id.get_create_plist().get_fill_time() == IFSET
    run("-b", "text.cdl", folder=folder)


@pytest.mark.parametrize("arguments", [[], ["-bo", "out.nc"]])
@pytest.mark.parametrize(
    "body, place, says",
    [
        ("opaque(70000) t; variables: t v;\n t v:_FillValue = 0xff;", ":2:6: ", "70000"),
        ("opaque(16777217) t; variables: t v;", ":1:26: ", "16777216"),
        ("compound t { int a(60000, 100); }; variables: t v;", ":1:28: ", "16777216"),
    ],
)
def test_what_no_file_can_hold_is_an_error_with_its_place(folder, body, place, says, arguments):
    (folder / "b.cdl").write_text(f"netcdf a {{ types: {body} }}")
    error = run(*arguments, "b.cdl", folder=folder, ok=False)
    assert error.startswith(f"ncgen: b.cdl{place}") and says in error, error
    assert not (folder / "out.nc").exists()
