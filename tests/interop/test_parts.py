"""Parts of datasets by indices: random slices equal numpy's in each format, and ncdump prints what it prints of the copy."""

import random
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, nccopy, ncdump
from parts_sample import LENGTHS, make

zarr = pytest.importorskip("zarr", "3")

KINDS = {
    "classic": None,
    "netCDF-4": None,
    "NCZarr": "#mode=nczarr,file",
    "Zarr v2": "#mode=zarr,v2",
    "Zarr v3": "#mode=zarr,v3",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """The same dataset in each format, and its arrays."""
    folder = tmp_path_factory.mktemp("parts")
    arrays = make(folder / "n4.nc", strings=False)
    make(folder / "n3.nc", "NETCDF3_CLASSIC")
    places = {"classic": folder / "n3.nc", "netCDF-4": folder / "n4.nc"}
    for kind, fragment in KINDS.items():
        if fragment:
            places[kind] = folder / f"{kind.replace(' ', '')}.zarr"
            nccopy(folder / "n4.nc", f"{places[kind]}{fragment}")
    return places, arrays


def random_cells(rng, length):
    """Indices as they are typed, and as numpy takes them."""
    while True:
        items, cells = [], set()
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            if rng.random() < 0.3:
                at = rng.randrange(-length, length)
                items.append(str(at))
                cells.add(at % length)
                continue
            start, stop = (rng.choice([None, rng.randrange(-length, length + 1)]) for _ in range(2))
            step = rng.choice([None, 1, 2, 3, 7])
            text = lambda n: "" if n is None else str(n)
            items.append(f"{text(start)}:{text(stop)}" + (f":{step}" if step else ""))
            cells |= set(range(length)[start:stop:step])
        if cells:
            return ",".join(items), sorted(cells)


def random_part(rng):
    flags, cells = [], {}
    for dim, length in LENGTHS.items():
        if rng.random() < 0.6:
            text, cells[dim] = random_cells(rng, length)
            flags += ["--isel", f"{dim}={text}"]
    return flags, cells


def sliced(array, dims, cells):
    for axis, dim in enumerate(dims):
        if dim in cells:
            array = np.take(array, cells[dim], axis=axis)
    return array


@pytest.mark.parametrize("out", ["classic", "cdf5", "nc4", "#mode=zarr,v2", "#mode=zarr,v3"])
@pytest.mark.parametrize("kind", KINDS)
def test_random_slices_are_those_of_numpy(kind, out, inputs, tmp_path):
    places, arrays = inputs
    rng = random.Random(f"{kind} {out}")
    for n in range(6):
        flags, cells = random_part(rng)
        if out.startswith("#"):
            target = tmp_path / f"{n}.zarr"
            nccopy(*flags, places[kind], f"{target}{out}")
            found = {name: np.asarray(array[...]) for name, array in zarr.open_group(target, mode="r").arrays()}
        else:
            target = tmp_path / f"{n}.nc"
            nccopy("-k", out, *flags, places[kind], target)
            with netCDF4.Dataset(target) as d:
                found = {name: np.asarray(v[...]) for name, v in d.variables.items()}
                assert d.dimensions["time"].isunlimited() or kind.startswith("Zarr")
        for name, (array, dims) in arrays.items():
            expected = sliced(array, dims, cells)
            assert found[name].shape == expected.shape and np.array_equal(found[name], expected), (flags, name)


@pytest.mark.parametrize("kind", ["classic", "netCDF-4"])
def test_ncdump_prints_what_it_prints_of_the_copy(kind, tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    make(source, {"classic": "NETCDF3_CLASSIC", "netCDF-4": "NETCDF4"}[kind])
    rng = random.Random(kind)
    parts = [random_part(rng)[0] for _ in range(8)]
    parts += [["--sel", "lon=-30..30"], ["--sel", "time=2000-02", "--sel", "lat~33"], ["--sel", "lon=350..10", "--isel", "time=-1"]]
    for flags in parts:
        nccopy(*flags, source, target)
        for how in ([], ["-s"], ["--json"], ["-x"]):
            name = [] if "-x" in how else ["-n", "x"]
            part = ncdump(*how, *name, *flags, source).splitlines()
            whole = ncdump(*how, *name, target).splitlines()
            own = (b"_NCProperties", b"_SuperblockVersion", b"<netcdf")
            kept = lambda lines: [line for line in lines if not any(word in line for word in own)]
            assert kept(part) == kept(whole), flags


def test_strings_are_cut(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    make(source)
    nccopy("--isel", "lat=3:17:5,0", source, target)
    with netCDF4.Dataset(target) as d:
        assert list(d["name"][:]) == ["row 0", "row 3", "row 8", "row 13"]


def test_whole_chunks_pass_untouched(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    make(source, strings=False)
    nccopy("--isel", "time=8:20", source, target)
    with h5py.File(source) as a, h5py.File(target) as b:
        assert b["field"].chunks == (4, 7, 9) and b["field"].shape == (12, 19, 36)
        for n in range(b["field"].id.get_num_chunks()):
            at = b["field"].id.get_chunk_info(n).chunk_offset
            ours = b["field"].id.read_direct_chunk(at)
            assert ours == a["field"].id.read_direct_chunk((at[0] + 8, at[1], at[2]))


def test_chunks_are_cut_to_shorter_dimensions(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    make(source, strings=False)
    nccopy("--isel", "time=3,lat=2:7", source, target)
    with h5py.File(target) as f:
        assert f["field"].chunks == (1, 5, 9) and f["field"].maxshape == (None, 5, 36)
        assert f["field"].compression == "gzip" and f["field"].shuffle


def test_paths_and_phony_dimensions(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        f["x"] = np.arange(12).reshape(3, 4)
    nccopy("--isel", "phony_dim_1=1:3", source, target)
    with netCDF4.Dataset(target) as d:
        assert d["x"][:].tolist() == [[1, 2], [5, 6], [9, 10]]
    source = tmp_path / "groups.nc"
    with netCDF4.Dataset(source, "w") as d:
        for group in d, d.createGroup("g"):
            group.createDimension("x", 5)
            group.createVariable("v", "i4", ("x",))[:] = np.arange(5)
    assert "give a path, such as /x or /g/x" in nccopy("--isel", "x=1", source, target, ok=False)
    nccopy("--isel", "/g/x=1:3", "--isel", "/x=4", source, target)
    with netCDF4.Dataset(target) as d:
        assert d["v"][:].tolist() == [4] and d["g/v"][:].tolist() == [1, 2]


@pytest.mark.parametrize(
    "flags, told",
    [
        (["--isel", "tme=1"], "no dimension named 'tme': is 'time' meant?"),
        (["--isel", "time=25"], "index 25 is beyond the dimension time, which has 25 cells"),
        (["--isel", "time=5:5"], "selects nothing of the dimension time"),
        (["--isel", "time=::0"], "a step is a number from 1 on"),
        (["--isel", "time=1", "--sel", "time=2000-01"], "the dimension time is named twice"),
        (["--isel", "time=1.5"], "expected DIM=INDEX"),
        (["--sel", "nv=1"], "has no one-dimensional coordinate"),
        (["--sel", "lat=200.."], "selects nothing; the coordinate lat goes from -90 to 90"),
        (["--sel", "lat=10..-10"], "the lower end 10 is above the upper end -10"),
        (["--sel", "time=2001-02-29"], "'2001-02-29' is no date of the calendar, which lacks this day"),
        (["--sel", "time=30"], "write @30 for the number in 'days since 2000-01-01', or a date such as 2000-01-31"),
        (["--sel", "lat=-10,10"], "1 cells lie between -10 and 10: write lat=-10..10 for the range, or lat=@-10,@10 for"),
        (["--sel", "time=1990"], "selects nothing; the coordinate time goes from 0 to 72 (2000-01-01 to 2000-03-13)"),
    ],
)
def test_errors_come_before_the_output(flags, told, tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    make(source)
    said = nccopy(*flags, source, target, ok=False)
    assert told in said and f"{flags[-2]} '{flags[-1]}'" in said
    assert not target.exists()
    done = subprocess.run([str(BIN / "ncdump"), *flags, str(source)], capture_output=True, text=True)
    assert done.returncode == 1 and told in done.stderr and not done.stdout


def test_ncks_takes_the_same_indices(tmp_path):
    source, ours, theirs = tmp_path / "in.nc", tmp_path / "ours.nc", tmp_path / "theirs.nc"
    arrays = make(source, strings=False)
    for isel, d in [("time=5:20:3", "time,5,19,3"), ("lat=4", "lat,4"), ("lon=-3:", "lon,33,35")]:
        nccopy("--isel", isel, source, ours)
        subprocess.run([installed("ncks"), "-O", "-d", d, source, theirs], check=True, capture_output=True)
        with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
            for name in arrays:
                assert np.array_equal(a[name][...], b[name][...]), (isel, name)
