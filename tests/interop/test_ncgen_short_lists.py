"""Records that a list does not give, and dimensions of length 0, in what ncgen makes: as netCDF-C's ncgen and h5py have them."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest

from conftest import compare, installed, ncdump, ncgen

SHORT = """netcdf short {
types: compound c_t { int i; int j(2); }; int(*) v_t; compound d_t { int i; float f; }; d_t(*) w_t; short enum e_t { one = 1, two = 2 }; opaque(3) o_t;
dimensions: t = unlimited; x = 2;
variables: int i(t); c_t c(t), cx(t, x), none(t); v_t v(t); w_t w(t); string s(t); o_t o(t);
  c:_ChunkSizes = CHUNK; cx:_ChunkSizes = CHUNK, 2; v:_ChunkSizes = CHUNK; w:_ChunkSizes = CHUNK;
data:
  i = 1, 2, 3, 4, 5; c = {1, {2, 3}}; cx = {1, {2, 3}}; v = {7}; w = {{1, 2}}; s = "a"; o = 0x010203;
}
"""


def generate(folder, text, *arguments):
    """Makes out.nc of a text; returns it and what was printed on standard error."""
    (folder / "text.cdl").write_text(text)
    out = folder / "out.nc"
    return out, ncgen(*arguments, "-o", out, folder / "text.cdl")


@pytest.mark.parametrize("chunk", [1, 2, 64])
def test_records_that_are_not_given_are_made_of_fill_values(tmp_path, chunk):
    """Wherever chunks end."""
    out, _ = generate(tmp_path, SHORT.replace("CHUNK", str(chunk)), "-4")
    theirs = tmp_path / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", "-o", theirs, tmp_path / "text.cdl"], check=True)
    status, differences = compare("--layout", theirs, out)
    assert status == 0, differences
    fill = -2147483647
    with h5py.File(out) as f:
        assert f["c"][0].tolist()[0] == 1 and (f["c"]["i"][1:] == fill).all() and (f["c"]["j"][1:] == fill).all()
        assert (f["cx"]["j"][1:] == fill).all() and f["cx"]["i"].ravel().tolist() == [1] + [fill] * 9
        assert [list(v) for v in f["v"]] == [[7]] + [[fill]] * 4
        assert [v["i"].tolist() for v in f["w"]] == [[1]] + [[fill]] * 4
        # Nothing of it is given.
        assert f["none"].shape == (0,)


def test_records_of_two_unlimited_dimensions_that_are_not_given(tmp_path):
    out, _ = generate(
        tmp_path,
        """netcdf a { types: compound c_t { short i; float f; }; dimensions: t = unlimited; u = unlimited;
        variables: int i(t, u); c_t c(t, u); c:_ChunkSizes = 1, 2; c:_Endianness = "big";
        data: i = {1, 2, 3}, {4}, {5}, {6}; c = {{1, 1}, {2, 2}}, {{3, 3}}; }""",
    )
    with h5py.File(out) as f:
        given = np.full((4, 3), -32767)
        given[0, :2], given[1, 0] = (1, 2), 3
        assert f["c"]["i"].tolist() == given.tolist()


def test_a_variable_much_larger_than_its_list_is_not_made_up(tmp_path):
    """Here the two lists make it one of 10^10 elements."""
    ones = ", ".join(["1"] * 100_000)
    out, _ = generate(
        tmp_path,
        f"""netcdf a {{ types: compound c_t {{ int i; }}; dimensions: t = unlimited; u = unlimited;
        variables: int i(t), j(u); c_t c(t, u); data: i = {ones}; j = {ones}; c = {{{{1}}}}; }}""",
    )
    assert out.stat().st_size < 50_000_000
    with h5py.File(out) as f:
        assert f["c"].shape == (100_000, 100_000) and f["c"][0, 0].tolist() == (1,)


def test_what_ncdump_prints_of_an_empty_variable_in_one_piece_is_read_again(tmp_path):
    with h5py.File(tmp_path / "empty.h5", "w") as f:
        f.create_dataset("empty", (0,), dtype="i4")
        f.create_dataset("rows", (3, 0), dtype="f8")
        f.create_dataset("full", data=np.arange(3))
    printed = ncdump("-s", tmp_path / "empty.h5").decode()
    assert 'empty:_Storage = "contiguous"' in printed
    out, warnings = generate(tmp_path, printed)
    assert warnings.count("means unlimited") == 2 and "variable 'empty' is chunked" in warnings
    with h5py.File(out) as f:
        assert f["empty"].shape == (0,) and f["empty"].chunks and f["rows"].shape == (3, 0)
        assert f["full"][:].tolist() == [0, 1, 2] and f["full"].chunks is None


def test_chunks_of_compounds_with_strings_are_those_of_netcdf_c(tmp_path):
    """It counts a string as a pointer."""
    text = """netcdf a { types: compound h { string s; }; compound a { int b; string s; }; compound c { a x(2); string s; };
    dimensions: t = unlimited; x = 1000; variables: h vh(t); a va(t), vax(x, t); c vc(t); }"""
    out, _ = generate(tmp_path, text, "-4")
    theirs = tmp_path / "theirs.nc"
    subprocess.run([installed("ncgen"), "-4", "-o", theirs, tmp_path / "text.cdl"], check=True)
    with h5py.File(out) as ours, h5py.File(theirs) as expected:
        for name in ("vh", "va", "vax", "vc"):
            assert ours[name].chunks == expected[name].chunks, name


def test_empty_braces_make_no_record(tmp_path):
    """netCDF-C never makes a variable that has a length along one unlimited dimension only, and reads its memory along it."""
    out, _ = generate(tmp_path, """netcdf a { dimensions: a = unlimited; b = unlimited; x = 2;
    variables: int v(a, b), w(a, b), y(x, a), z(a, b, a); data: v = {}; w = {1, 2}, {3, 4}, {5, 6}; z = {{}}, {{}}; }""", "-4")
    with h5py.File(out) as f:
        assert [f[name].shape for name in "vwyz"] == [(0, 0), (3, 2), (2, 0), (0, 0, 0)]
    with netCDF4.Dataset(out) as d:
        assert d["v"].shape == (3, 2) and d["v"][:].mask.all() and d["z"][:].mask.all()
