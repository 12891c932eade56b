"""References of HDF5 as paths: what h5py's references lead to is what the strings say."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, CORPUS, nccopy, ncdump, needs_corpus

PATHS = ["/a", "/group", "/group/b", "", "/"]


def region(reference, file):
    """What h5py selects by a region reference, of a dataset whose elements are their own numbers."""
    dataset = file[reference]
    return dataset[reference].ravel().tolist()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "references.h5"
    with h5py.File(path, "w") as f:
        a = f.create_dataset("a", data=np.arange(60).reshape(6, 10))
        f.create_dataset("group/b", data=np.arange(9))
        f["second"] = f["a"]
        objects = [f["a"].ref, f["group"].ref, f["group/b"].ref, h5py.Reference(), f.ref]
        f.create_dataset("objects", data=np.array(objects, dtype=h5py.ref_dtype))
        chunked = f.create_dataset("chunked", (4, 3), dtype=h5py.ref_dtype, chunks=(2, 2), compression="gzip", shuffle=True)
        chunked[1, 2] = f["a"].ref
        regions = f.create_dataset("regions", (6,), dtype=h5py.regionref_dtype)
        regions[0] = a.regionref[0:3, 2:5]
        regions[1] = a.regionref[0:6:2, 4]
        regions[2] = a.regionref[...]
        points = np.zeros((6, 10), bool)
        points[0, 1] = points[5, 3] = True
        regions[3] = a.regionref[points]
        regions[4] = f["group/b"].regionref[2:]
        f["a"].attrs["one"] = f["group"].ref
        f["a"].attrs["some"] = np.array(objects, dtype=h5py.ref_dtype)
        f["a"].attrs["region"] = a.regionref[1:2, 0:4]
        pair = np.dtype([("n", "i4"), ("to", h5py.ref_dtype)])
        f.create_dataset("pairs", data=np.array([(7, f["a"].ref), (8, f["group/b"].ref)], dtype=pair))
        sequences = f.create_dataset("sequences", (2,), dtype=h5py.vlen_dtype(h5py.ref_dtype))
        sequences[0] = np.array([f["a"].ref, f.ref], dtype=h5py.ref_dtype)
    return path


@pytest.mark.parametrize("kind", ["nc4", "zarr3"])
def test_objects_and_regions(source, tmp_path, kind):
    if kind == "zarr3":
        zarr, out = f"{tmp_path}/out.zarr#mode=zarr,v3", tmp_path / "back.nc"
        nccopy("--references", "path", "-V", "objects,chunked,regions", source, zarr)
        nccopy("-k", "nc4", zarr, out)
    else:
        out = tmp_path / "out.nc"
        told = nccopy("-k", "nc4", "--references", "path", "--verify", source, out)
        assert "unknown" not in told and "left out" not in told
    with netCDF4.Dataset(out) as d, h5py.File(source) as f:
        assert list(d["objects"][:]) == PATHS
        assert [f[r].name if r else "" for r in f["objects"][:]] == PATHS
        expected = np.full((4, 3), "", dtype=object)
        expected[1, 2] = "/a"
        assert (d["chunked"][:] == expected).all()
        regions = list(d["regions"][:])
        assert regions[2:] == ["/a[...]", "/a[(0,1),(5,3)]", "/group/b[2:9]", ""] or regions[2:] == [
            "/a[0:6,0:10]", "/a[0:1,1:2][5:6,3:4]", "/group/b[2:9]", ""], regions
        assert regions[0] == "/a[0:3,2:5]"
        # A slice is one by its elements, however it is spelled.
        for text, reference in zip(regions[:5], f["regions"][:5]):
            path, _, slices = text.partition("[")
            whole = f[path][...]
            if slices.startswith("("):
                points = [tuple(map(int, p.strip("()").split(","))) for p in slices[:-1].split("),(")]
                got = [int(whole[p]) for p in points]
            else:
                got = []
                for box in ("[" + slices)[1:-1].split("]["):
                    got += eval(f"whole[{box}]").ravel().tolist()
            assert sorted(got) == sorted(region(reference, f)), text


def test_classic_files_have_characters(source, tmp_path):
    out = tmp_path / "out.nc"
    flags = ["--references", "path", "--strings", "char", "--flatten", "--drop-unsupported", "-V", "objects"]
    nccopy("-k", "nc3", *flags, source, out)
    with netCDF4.Dataset(out) as d:
        assert d["objects"].dtype == "S1" and list(d["objects"][:]) == PATHS


def test_attributes_fields_and_sequences(source, tmp_path):
    out = tmp_path / "out.nc"
    nccopy("-k", "nc4", "--references", "path", source, out)
    with netCDF4.Dataset(out) as d:
        assert d["a"].one == "/group" and d["a"].region == "/a[1:2,0:4]"
        assert d["a"].some == PATHS
    printed = ncdump("--references", "path", source).decode()
    assert "string to ;" in printed and 'pairs = {7, "/a"}, {8, "/group/b"} ;' in printed
    assert 'sequences = {"/a", "/"}, {} ;' in printed
    assert ncdump(out, "-n", "references") == printed.encode()
    for flags in ([], ["--references", "path"]):
        done = subprocess.run([BIN / "ncdump", "--digest", *flags, source], capture_output=True, text=True, check=True)
        assert ("objects" in done.stdout) == bool(flags)


def test_without_the_option_they_are_left_out(source, tmp_path):
    out = tmp_path / "out.nc"
    told = nccopy("-k", "nc4", source, out)
    for name in ("objects", "chunked", "regions", "pairs", "sequences"):
        assert f"/{name} is left out: netCDF has no references; --references path gives the paths, -k h5 keeps them" in told
    assert "the attribute /a:one is left out" in told
    told = nccopy("-k", "h5", "--references", "path", source, out, ok=False)
    assert "leave out --references path" in told


@pytest.mark.parametrize("address", [1, 4095, 1 << 40, (1 << 64) - 2])
def test_what_is_no_object_is_shown_and_told(source, tmp_path, address):
    """An address is only looked up: it may lead anywhere."""
    with h5py.File(source, "r+") as f:
        place = f["objects"].id.get_offset()
    with open(source, "r+b") as f:
        f.seek(place + 8)
        f.write(address.to_bytes(8, "little"))
    out = tmp_path / "out.nc"
    told = nccopy("-k", "nc4", "--references", "path", source, out)
    assert f"variable objects refers to what is no object of the dataset, shown as unknown@{address}" in told
    with netCDF4.Dataset(out) as d:
        assert list(d["objects"][:]) == ["/a", f"unknown@{address}", "/group/b", "", "/"]


@pytest.mark.parametrize("at, value", [(0, 1), (0, (1 << 64) - 2), (8, 0xFFFF)], ids=str)
def test_a_region_that_is_not_in_the_heap(source, tmp_path, at, value):
    """The address of a heap collection and an index in it, which lead nowhere."""
    with h5py.File(source, "r+") as f:
        f.create_dataset("one", (1,), dtype=h5py.regionref_dtype)[0] = f["a"].regionref[0:2, 0:2]
        place = f["one"].id.get_offset()
    with open(source, "r+b") as f:
        f.seek(place + at)
        f.write(value.to_bytes(8 if at == 0 else 2, "little"))
    out = tmp_path / "out.nc"
    command = [BIN / "nccopy", "--references", "path", "-V", "one", source, out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and not out.exists(), done.stderr
    assert "one" in done.stderr and "panicked" not in done.stderr, done.stderr


def test_cycles_of_groups_and_many_points(source, tmp_path):
    """A group has the name by which it is met first. A region of many points is text of as many."""
    with h5py.File(source, "r+") as f:
        f["group/again"] = f["group"]
        f["group/root"] = f["/"]
        f.create_dataset("to", data=np.array([f["group/again"].ref, f["group/root"].ref], dtype=h5py.ref_dtype))
        wide = f.create_dataset("wide", (20_000,), "i1")
        points = np.zeros(20_000, bool)
        points[::2] = points[1] = True
        f.create_dataset("region", (), dtype=h5py.regionref_dtype)[()] = wide.regionref[points]
    out = tmp_path / "out.nc"
    nccopy("-k", "nc4", "--references", "path", source, out)
    with netCDF4.Dataset(out) as d:
        assert list(d["to"][:]) == ["/group", "/"]
        text = str(d["region"][...])
    assert text.startswith("/wide[") and len(text) > 60_000


def test_a_deleted_object(source, tmp_path):
    with h5py.File(source, "r+") as f:
        f["a"].attrs["gone"] = f["group/b"].ref
        address = h5py.h5o.get_info(f["group/b"].id).addr
        del f["group/b"]
    out = tmp_path / "out.nc"
    told = nccopy("-k", "nc4", "--references", "path", source, out)
    assert f"the attribute /a:gone refers to what is no object of the dataset, shown as unknown@{address}" in told
    assert "variable objects refers" in told and "variable pairs refers" in told and "variable regions refers" in told
    with netCDF4.Dataset(out) as d:
        assert d["a"].gone == f"unknown@{address}" and d["regions"][4] == f"unknown@{address}[2:9]"


@needs_corpus
def test_a_file_of_matlab(tmp_path):
    """Every string is the path to which h5py's reference leads, or empty."""
    source, out = CORPUS / "reports" / "a36_matlab73.mat", tmp_path / "out.nc"
    nccopy("-k", "nc4", "--references", "path", source, out)
    seen = 0
    with h5py.File(source) as f, netCDF4.Dataset(out) as d:

        def compare(found, references):
            nonlocal seen
            for text, reference in zip(np.ravel(found), np.ravel(references)):
                assert (f[text] == f[reference]) if reference else text == ""
                seen += 1

        def visit(path, item):
            if isinstance(item, h5py.Dataset) and h5py.check_ref_dtype(item.dtype) is h5py.Reference:
                compare(d[path][...], item[...])
            for key, value in item.attrs.items():
                if isinstance(value, h5py.Reference) and key not in ("DIMENSION_LIST", "REFERENCE_LIST"):
                    compare(d[path].getncattr(key), value)

        f.visititems(visit)
    assert seen, "no references"
