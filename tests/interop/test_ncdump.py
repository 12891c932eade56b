"""Our ncdump prints what the installed one prints."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from allowed_differences import as_4_10, sections_as_names, vertical_tabs, without_ordered_filters
from conftest import BIN, each_in_corpus, installed, nccopy, ncdump

import generate

FLAGS = [[], ["-h"], ["-s"], ["-hs"], ["-c"], ["-k"]]


def theirs(path, flags):
    done = subprocess.run([installed("ncdump"), *flags, "-n", "x", str(path)], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("the installed ncdump cannot print this file")
    return done.stdout


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(printable, name, flags):
    path = printable(name)
    wanted = as_4_10(theirs(path, flags)) if name in ("nc7", "empty_nc4") else theirs(path, flags)
    # An attribute of a variable called data, which would begin a section: see differences-ncdump.md.
    wanted = sections_as_names(wanted)
    ours, wanted = without_ordered_filters(ncdump(*flags, "-n", "x", path), wanted)
    assert ours.decode(errors="replace") == wanted.decode(errors="replace")


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@each_in_corpus("netcdf/*.nc")
def test_corpus(path, flags):
    wanted = vertical_tabs(theirs(path, flags))
    ours, wanted = without_ordered_filters(ncdump(*flags, "-n", "x", path), wanted)
    assert ours.decode(errors="replace") == wanted.decode(errors="replace")


def test_variables_by_name_and_path(generated):
    path = generated / "groups_and_unlimited.nc"
    for names in "t", "/g/v", "v,w", "h/w":
        assert ncdump("-v", names, path) == theirs(path, ["-v", names]).replace(b"netcdf x", b"netcdf groups_and_unlimited")


def test_filters_in_the_order_of_the_file(generated):
    text = ncdump("-hF", generated / "h5py_earliest.nc").decode()
    assert 'gzip_fletcher:_Filter = "1,4|3"' in text


def test_an_order_that_ncgen_would_change_is_in_one_attribute(tmp_path):
    made, again = tmp_path / "made.h5", tmp_path / "again.nc"
    with h5py.File(made, "w") as f:
        options = {"chunks": (10,), "compression": "gzip", "shuffle": True}
        last = f.create_dataset("last", data=np.arange(10), fletcher32=True, **options)
        f.create_dataset("plain", data=np.arange(10), **options)
        order = [last.id.get_create_plist().get_filter(n)[0] for n in range(3)]
        assert order == [2, 1, 3]
    text = ncdump("-s", made).decode()
    assert 'last:_Filter = "2,8|1,4|3"' in text and "last:_Fletcher32" not in text
    assert 'plain:_Shuffle = "true"' in text and "plain:_DeflateLevel = 4" in text
    (tmp_path / "text.cdl").write_text(text)
    subprocess.run([BIN / "ncgen", "-k", "nc4", "-o", again, tmp_path / "text.cdl"], check=True)
    with h5py.File(again) as f:
        plist = f["last"].id.get_create_plist()
        assert [plist.get_filter(n)[0] for n in range(3)] == order
        assert f["last"][:].tolist() == list(range(10))


def test_text_that_can_be_read_back(tmp_path):
    """Text that the installed ncgen takes for something else, or not at all, when the installed ncdump prints it."""
    first, second = tmp_path / "first.nc", tmp_path / "second.nc"
    with netCDF4.Dataset(first, "w") as d:
        d.createDimension("x", 2)
        d.createDimension("s", 6)
        color = d.createEnumType("i1", "color of", {"red (dark)": 0, "blue": 1})
        d.createVariable("e", color, ("x",))[:] = [0, 1]
        d.createVariable("c", "S1", ("x", "s"))[:] = [list("a\nb\v\0\0"), list("\n\n\0\0\0\0")]
        d.createVariable("p", "S1", ("x", "s"), fill_value="x")[:] = [list("ab\0\0\0\0"), list("abcdef")]
        d.text = "a\vb"
    text = ncdump("-n", "x", first)
    (tmp_path / "x.cdl").write_bytes(text)
    subprocess.run([installed("ncgen"), "-k", "nc4", "-o", second, tmp_path / "x.cdl"], check=True, timeout=60)
    with netCDF4.Dataset(first) as a, netCDF4.Dataset(second) as b:
        assert a.text == b.text
        for name in a.variables:
            for v in a[name], b[name]:
                v.set_auto_maskandscale(False)
                v.set_auto_chartostring(False)
            assert a[name][:].tobytes() == b[name][:].tobytes(), name
    assert ncdump("-n", "x", second) == text


def test_characters_in_user_types(tmp_path):
    path = tmp_path / "x.nc"
    with h5py.File(path, "w", track_order=True) as f:
        f["chars"] = h5py.vlen_dtype(np.dtype("S1"))
        v = f.create_dataset("v", (2,), dtype=f["chars"])
        v[0] = np.array([b"a", b"\n", b"\0"], "S1")
    assert ncdump(path).decode().splitlines()[-2:] == [' v = {"a\\n\\000"}, {} ;', "}"]


def test_what_was_never_written_is_zeros(tmp_path):
    """Without a fill value there is nothing to print: never what memory holds, and in a copy it stays unwritten."""
    path, copy = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 50_000)
        nc.createDimension("t", None)
        nc.createVariable("contiguous", "f4", ("x",), fill_value=False)
        nc.createVariable("chunked", "f8", ("t", "x"), fill_value=False, chunksizes=(1, 1000))[1, 0] = 2
        record = nc.createCompoundType(np.dtype([("a", "i1"), ("b", "f8")], align=True), "record")
        nc.createVariable("records", record, ("x",), fill_value=False)
    nccopy(path, copy)
    for file in path, copy:
        with h5py.File(file) as f:
            assert f["contiguous"].id.get_offset() is None
            assert f["chunked"].id.get_num_chunks() == 1
        for name, written in ("contiguous", []), ("chunked", ["2"]), ("records", []):
            data = ncdump("-v", name, file).decode().partition("\ndata:\n")[2].partition("=")[2]
            numbers = data.partition(";")[0].replace("{", "").replace("}", "").replace(",", " ").split()
            assert [n for n in numbers if n != "0"] == written, name
            assert len(numbers) == (50_000 if name == "contiguous" else 100_000)
