"""References to what lies in other files: raw data of HDF5, sources of virtual datasets; chunks of variables in one piece, as they are asked for."""

import json

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy, ncdump
from forked import run
from references_read import VARIABLES, check, needs_references

pytestmark = needs_references


def refs_of(path):
    return json.loads(path.read_text())["refs"]


def places(path, variable):
    """The references of a variable that lead to a file, by the numbers of chunks."""
    found = refs_of(path).items()
    return {key.partition("/")[2]: value for key, value in found if key.startswith(f"{variable}/") and isinstance(value, list)}


def inlined(path, variable):
    found = refs_of(path).items()
    return [key for key, value in found if key.startswith(f"{variable}/") and "/.z" not in key and not isinstance(value, list)]


@pytest.fixture
def external(tmp_path):
    """A dataset of 40 steps in two files, of 30 and of 10."""
    path = tmp_path / "in.h5"
    values = np.arange(40 * 25 * 30, dtype="f4").reshape(40, 25, 30)
    step = values[0].nbytes
    with h5py.File(path, "w") as f:
        parts = [(str(tmp_path / "first.raw"), 100, 30 * step), (str(tmp_path / "second.raw"), 0, 10 * step)]
        f.create_dataset("v", data=values, external=parts)
    return path


@pytest.mark.parametrize("form", ["refs.json", "refs.parq"])
def test_external_data(external, tmp_path, form):
    nccopy(external, tmp_path / form)
    check(tmp_path / form, external)
    if form == "refs.json":
        found = places(tmp_path / form, "v")
        # The largest chunks that lie in one file each.
        assert [value[0] for value in found.values()] == 3 * [str(tmp_path / "first.raw")] + [str(tmp_path / "second.raw")]
        assert found["0.0.0"][1:] == [100, 30_000] and found["3.0.0"][1:] == [0, 30_000]
        nccopy("--relative", external, tmp_path / "beside.json")
        assert places(tmp_path / "beside.json", "v")["3.0.0"][0] == "second.raw"


def test_a_missing_external_file_is_named(external, tmp_path):
    (tmp_path / "first.raw").unlink()
    told = nccopy(external, tmp_path / "refs.json", ok=False)
    assert "v" in told and "first.raw" in told and "does not exist" in told


def virtual(path, shape, parts, dtype="f4", fill=0):
    """A virtual dataset of `parts`, each the first step, the source and its shape. A source is a path and its dataset `d`."""
    layout = h5py.VirtualLayout(shape, dtype)
    for at, source, own in parts:
        layout[at:at + own[0]] = h5py.VirtualSource(source.name, "d", own)
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=fill)
    return path


def source(path, values, **options):
    with h5py.File(path, "w") as f:
        f.create_dataset("d", data=values, **options)
    return path


@pytest.fixture
def sources(tmp_path):
    values = np.random.default_rng(3).normal(size=(24, 40, 50)).astype("f4")
    options = {"chunks": (4, 20, 50), "compression": "gzip", "shuffle": True}
    return values, [source(tmp_path / f"s{n}.h5", values[8 * n:8 * n + 8], **options) for n in range(3)]


def test_chunks_of_virtual_datasets(sources, tmp_path):
    values, files = sources
    path = virtual(tmp_path / "in.h5", values.shape, [(8 * n, file, (8, 40, 50)) for n, file in enumerate(files)])
    nccopy(path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", path)
    found = places(tmp_path / "refs.json", "v")
    assert len(found) == 12 and inlined(tmp_path / "refs.json", "v") == []
    assert found["2.0.0"][0] == str(files[1])


def test_missing_sources_read_as_fill(sources, tmp_path):
    values, files = sources
    parts = [(8 * n, file, (8, 40, 50)) for n, file in enumerate(files)]
    path = virtual(tmp_path / "in.h5", values.shape, parts, fill=-7)
    files[1].unlink()
    nccopy(path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", path)
    assert len(places(tmp_path / "refs.json", "v")) == 8 and inlined(tmp_path / "refs.json", "v") == []


def test_chunks_that_read_as_another_fill_value_are_told(sources, tmp_path):
    values, files = sources
    files[1].unlink()
    with h5py.File(files[1], "w") as f:
        d = f.create_dataset("d", (8, 40, 50), "f4", chunks=(4, 20, 50), compression="gzip", shuffle=True, fillvalue=5)
        d[:4] = values[:4]
    path = virtual(tmp_path / "in.h5", values.shape, [(8 * n, file, (8, 40, 50)) for n, file in enumerate(files)], fill=-7)
    told = nccopy(path, tmp_path / "refs.json", ok=False)
    assert "v (2 of 12 chunks are not stored" in told and "--copy-ragged" in told
    assert "d in s1.h5 has no such chunk, and another fill value than the dataset" in told
    nccopy("--copy-ragged", path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", path)
    assert len(inlined(tmp_path / "refs.json", "v")) == 2


def test_chunks_of_several_sources_are_told_of_later_inputs(tmp_path):
    """The second input of a join is a virtual dataset, one of whose chunks has two sources."""
    values = np.arange(24 * 10, dtype="f4").reshape(24, 10)
    files = [tmp_path / f"{name}.h5" for name in "abc"]
    for file, rows in zip(files, [slice(0, 8), slice(8, 18), slice(18, 24)]):
        with h5py.File(file, "w") as f:
            f["t"] = np.arange(24.0)[rows]
            f["t"].make_scale("t")
            d = f.create_dataset("v", data=values[rows], chunks=(4, 10))
            d.dims[0].attach_scale(f["t"])
    layout = h5py.VirtualLayout((16, 10), "f4")
    layout[:10] = h5py.VirtualSource(files[1], "v", (10, 10))
    layout[10:] = h5py.VirtualSource(files[2], "v", (6, 10))
    with h5py.File(tmp_path / "virtual.h5", "w", libver="latest") as f:
        f["t"] = np.arange(8.0, 24)
        f["t"].make_scale("t")
        f.create_virtual_dataset("v", layout).dims[0].attach_scale(f["t"])
    told = nccopy("--inline", "0", "--join", "t", files[0], tmp_path / "virtual.h5", tmp_path / "refs.json", ok=False)
    assert "v (" in told and "chunks are not stored as one chunk or one run of one source" in told and "--copy-ragged" in told


def test_sources_that_do_not_fit_are_told(sources, tmp_path):
    values, files = sources
    shifted = virtual(tmp_path / "shifted.h5", (22, 40, 50), [(0, files[0], (6, 40, 50)), (6, files[1], (8, 40, 50)), (14, files[2], (8, 40, 50))])
    told = nccopy(shifted, tmp_path / "refs.json", ok=False)
    assert "chunks are not stored as one chunk or one run of one source: the first is not, as d in s0.h5 fills 6,40,50 cells by 8,40,50" in told
    both = virtual(tmp_path / "both.h5", (18, 40, 50), [(0, files[0], (8, 40, 50)), (10, files[1], (8, 40, 50))])
    told = nccopy(both, tmp_path / "refs.json", ok=False)
    assert "the first is not, as d in s1.h5 has no chunk of the same cells" in told, told
    source(tmp_path / "other.h5", values[:8], chunks=(4, 20, 50), compression="gzip")
    other = virtual(tmp_path / "of_other.h5", (16, 40, 50), [(0, files[0], (8, 40, 50)), (8, tmp_path / "other.h5", (8, 40, 50))])
    told = nccopy(other, tmp_path / "refs.json", ok=False)
    assert "v (its sources are stored in different ways: d in other.h5 has other filters than d in s0.h5)" in told and "--inline" in told
    finer = source(tmp_path / "finer.h5", values[8:16], chunks=(2, 20, 50), compression="gzip", shuffle=True)
    for name, second in [("chunks.h5", finer), ("whole.h5", source(tmp_path / "w.h5", values[8:16])), ("type.h5", source(tmp_path / "t.h5", values[8:16].astype("f8")))]:
        path = virtual(tmp_path / name, (16, 40, 50), [(0, files[0], (8, 40, 50)), (8, second, (8, 40, 50))])
        told = nccopy(path, tmp_path / "refs.json", ok=False)
        assert {
            "chunks.h5": "4 of 8 chunks are not stored as one chunk or one run of one source: the first is not, as d in finer.h5 has chunks of 2,20,50, not of 4,20,50 as d in s0.h5",
            "whole.h5": "d in w.h5 has no chunks, unlike d in s0.h5",
            "type.h5": "d in t.h5 has another type than the dataset",
        }[name] in told, told


def test_sources_without_chunks(tmp_path):
    values = np.arange(30 * 40 * 50, dtype="f4").reshape(30, 40, 50)
    lengths = [(0, 12), (12, 12), (24, 6)]
    files = [source(tmp_path / f"s{at}.h5", values[at:at + n]) for at, n in lengths]
    path = virtual(tmp_path / "in.h5", values.shape, [(at, file, (n, 40, 50)) for (at, n), file in zip(lengths, files)])
    nccopy(path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", path)
    found = places(tmp_path / "refs.json", "v")
    assert len(found) == 5 and found["4.0.0"][0] == str(files[2]) and inlined(tmp_path / "refs.json", "v") == []
    # An ordinary copy of it has no chunks.
    nccopy(path, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as d:
        assert d["v"].chunking() == "contiguous" and (d["v"][:] == values).all()


def test_a_source_in_the_same_file(tmp_path):
    values = np.arange(8 * 40 * 50, dtype="f4").reshape(8, 40, 50)
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("d", data=values, chunks=(4, 40, 50))
        layout = h5py.VirtualLayout((4, 40, 50), "f4")
        layout[:] = h5py.VirtualSource(".", "d", (8, 40, 50))[4:]
        f.create_virtual_dataset("v", layout)
    nccopy("--relative", path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", path, cwd=tmp_path)
    assert places(tmp_path / "refs.json", "v")["0.0.0"] == places(tmp_path / "refs.json", "d")["1.0.0"]


@pytest.fixture(params=["NETCDF4", "NETCDF3_64BIT_DATA"])
def whole(tmp_path, request):
    """A variable in one piece, and one of records in the classic file."""
    path = tmp_path / "whole.nc"
    with netCDF4.Dataset(path, "w", format=request.param) as f:
        for name, length in [("time", 60), ("y", 40), ("x", 50)]:
            f.createDimension(name, length)
        v = f.createVariable("v", "f4", ("time", "y", "x"))
        v[:] = np.arange(60 * 40 * 50).reshape(60, 40, 50)
    return path


def cut(path, out, *cells):
    with netCDF4.Dataset(path) as f, netCDF4.Dataset(out, "w") as o:
        values = f["v"][cells]
        for name, length in zip(("time", "y", "x"), values.shape):
            o.createDimension(name, length)
        o.createVariable("v", "f4", ("time", "y", "x"))[:] = values
    return out


def test_lengths_of_chunks(whole, tmp_path):
    for argument, count, size in [("time/10", 6, 80_000), ("v:1,20,50", 120, 4_000), ("y/20", 120, 4_000), ("time/1", 60, 8_000)]:
        nccopy("-c", argument, whole, tmp_path / "refs.json")
        check(tmp_path / "refs.json", whole)
        found = places(tmp_path / "refs.json", "v")
        assert len(found) == count and {value[2] for value in found.values()} == {size}, argument
    for argument in ["time/7", "time/10,y/20", "x/25,y/40"]:
        told = nccopy("-c", argument, whole, tmp_path / "refs.json", ok=False)
        assert "its chunks have another shape in the output" in told, argument


@pytest.mark.parametrize("cells, kept", [
    (["time=3:50"], (slice(3, 50),)),
    (["time=::2"], (slice(None, None, 2),)),
    (["time=5:41:7", "y=3:30"], (slice(5, 41, 7), slice(3, 30))),
    (["time=4,8,15"], ([4, 8, 15],)),
])
def test_chosen_cells_are_whole_chunks(whole, tmp_path, cells, kept):
    options = [option for cell in cells for option in ("--isel", cell)]
    nccopy(*options, whole, tmp_path / "refs.json")
    expected = cut(whole, tmp_path / "cut.nc", *kept)
    check(tmp_path / "refs.json", expected)
    assert places(tmp_path / "refs.json", "v") and inlined(tmp_path / "refs.json", "v") == []


def test_steps_of_chunks_of_one(tmp_path):
    """Of stored chunks too, and also where they pass as they are."""
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", 20)
        f.createDimension("x", 3000)
        v = f.createVariable("v", "f4", ("time", "x"), zlib=True, chunksizes=(1, 1000), fill_value=-1)
        for step in [*range(0, 9), *range(13, 20)]:
            v[step] = np.arange(3000) + step
    nccopy("--isel", "time=1:18:3", path, tmp_path / "out.nc")
    with netCDF4.Dataset(path) as f, netCDF4.Dataset(tmp_path / "out.nc") as d:
        assert np.ma.allequal(f["v"][1:18:3], d["v"][:]) and (f["v"][1:18:3].mask == d["v"][:].mask).all()
    nccopy("--isel", "time=1:18:3", path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", tmp_path / "out.nc")
    assert len(places(tmp_path / "refs.json", "v")) == 5 * 3


@pytest.mark.parametrize("form", ["refs.json", "refs.parq"])
def test_characters_with_a_fill_value(tmp_path, form):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 6000)
        f.createDimension("n", 10)
        v = f.createVariable("c", "S1", ("x", "n"), chunksizes=(1000, 10), zlib=True, fill_value="X")
        v[2000:3000] = np.full((1000, 10), b"a", "S1")
    nccopy(path, tmp_path / form)
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, fsspec, xarray\n"
        "keys = fsspec.filesystem('reference', fo=sys.argv[1], remote_protocol='file').get_mapper('')\n"
        "d = xarray.open_zarr(keys, consolidated=False, zarr_format=2, chunks=None, mask_and_scale=False, concat_characters=False)\n"
        "print((d.c.values == b'X').sum(), (d.c.values[2000:3000] == b'a').sum(), d.c.shape)\n"
    )
    code, printed, error = run(("xarray", "fsspec"), script, tmp_path / form, variables=VARIABLES, timeout=120)
    assert (code, printed) == (0, "50000 10000 (6000, 10)\n"), error
    nccopy(tmp_path / form, tmp_path / "back.nc")
    with netCDF4.Dataset(path) as f, netCDF4.Dataset(tmp_path / "back.nc") as d:
        for file in (f, d):
            file.set_auto_mask(False)
        assert (f["c"][:].astype(str) == d["c"][:].astype(str)).all()
    if form == "refs.json":
        assert list(places(tmp_path / form, "c")) == ["2.0"]


@pytest.mark.parametrize("name", ["refs.json", "refs.parq", "repo#mode=icechunk"])
def test_objects_are_listed(external, tmp_path, name):
    (tmp_path / "other").mkdir()
    third = tmp_path / "other" / "third.raw"
    with h5py.File(external, "r+") as f:
        f.create_dataset("w", data=np.arange(5000.0), external=[(str(third), 0, 40_000)])
        f.create_dataset("inside", data=np.arange(5000.0))
    out = f"{tmp_path}/{name}"
    nccopy("--data-dir", tmp_path / "other", external, out)
    files = [external, tmp_path / "first.raw", tmp_path / "other" / "third.raw", tmp_path / "second.raw"]
    third.unlink()
    printed = ncdump("--sources", out).decode()
    expected = {file: str(file) if file != third else "does not exist" for file in files}
    assert printed == "".join(f"reference {file}: {expected[file]}\n" for file in sorted(files, key=str))


@pytest.mark.parametrize("name", ["refs.json", "refs.parq", "refs.json.zst"])
def test_update_leaves_what_is_newer(external, tmp_path, name):
    out = tmp_path / name
    assert "1 copied, 0 skipped" in nccopy("--update", external, out)
    assert "0 copied, 1 skipped" in nccopy("--update", external, out)
    with h5py.File(external, "r+") as f:
        f.attrs["new"] = 1
    assert "1 copied, 0 skipped" in nccopy("--update", external, out)


def test_jobs_of_references_are_refused(external, tmp_path):
    told = nccopy("--plan", tmp_path / "job", "--parts", "2", external, tmp_path / "refs.json", ok=False)
    assert "references are written at once by one process" in told and told.count("\n") == 1
