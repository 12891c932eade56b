"""Parts of files that `nccopy -k h5` copies as they are, judged by h5py and netCDF4."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "in.nc"
    rng = np.random.default_rng(5)
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createDimension("lat", 9)
        f.createDimension("lon", 36)
        f.createDimension("n", 4)
        for name, units, values in [
            ("time", "days since 2000-01-01", np.arange(40)),
            ("lat", "degrees_north", np.linspace(-80, 80, 9)),
            ("lon", "degrees_east", np.arange(0, 360, 10.0)),
        ]:
            var = f.createVariable(name, "f8", (name,))
            var.units = units
            var[:] = values
        options = {"zlib": True, "shuffle": True, "chunksizes": (3, 4, 10)}
        f.createVariable("chunked", "i4", ("time", "lat", "lon"), **options)[:] = rng.integers(0, 99, (40, 9, 36))
        f.createVariable("plain", "f4", ("lat", "lon"), contiguous=True, endian="big")[:] = rng.random((9, 36))
        f.createVariable("names", str, ("time",))[:] = np.array([f"t{n}" * (n % 5) for n in range(40)], object)
        f.createVariable("places", str, ("lat", "n"))[:] = np.array([[f"{y},{x}" for x in range(4)] for y in range(9)], object)
        group = f.createGroup("g")
        group.createVariable("below", "i2", ("lat", "n"), fill_value=-5)[:] = np.arange(36).reshape(9, 4)
    with h5py.File(path, "r+") as f:
        # What netCDF does not hold, and must stay.
        f["half"] = np.arange(5, dtype="f2")
        f["bits"] = h5py.Empty("u1")
        f["link"] = h5py.SoftLink("/g/below")
        f["ref"] = f["chunked"].ref
    return path


SLICES = [
    (["--isel", "time=5:12"], {"time": np.s_[5:12]}),
    (["--isel", "time=3:30:4", "--isel", "lon=7"], {"time": np.s_[3:30:4], "lon": np.s_[7:8]}),
    (["--isel", "lat=-3:", "--isel", "time=0,2,39"], {"lat": np.s_[-3:], "time": [0, 2, 39]}),
    (["--sel", "lat=-40..40", "--sel", "time=2000-02"], {"lat": np.s_[2:7], "time": np.s_[31:40]}),
    (["--isel", "n=1:3"], {"n": np.s_[1:3]}),
    (["--sel", "lon=-20..20"], {"lon": [34, 35, 0, 1, 2]}),
]


@pytest.mark.parametrize("options", [[], ["-d1"], ["-c", "chunked:5,2,1"], ["-u", "-m", "20M"], ["--page", "4096"]])
@pytest.mark.parametrize("arguments, cells", SLICES)
def test_parts_are_those_of_numpy(tmp_path, source, arguments, cells, options):
    target = tmp_path / "out.h5"
    nccopy("-k", "h5", *arguments, *options, source, target)
    with h5py.File(source) as a, h5py.File(target) as b:
        for path in ["time", "lat", "lon", "n", "chunked", "plain", "names", "places", "g/below"]:
            expected = a[path][:]
            names = [dim[0].name[1:] for dim in a[path].dims] if not a[path].is_scale else [path]
            for axis, name in enumerate(names):
                if name in cells:
                    expected = np.take(expected, np.arange(expected.shape[axis])[cells[name]], axis)
            if path == "lon" and "--sel" in arguments and "lon" in cells:
                expected = (expected + 180) % 360 - 180
            assert [dim.keys() for dim in b[path].dims] == [dim.keys() for dim in a[path].dims]
            assert b[path].shape == expected.shape and np.array_equal(b[path][:], expected), path
    with h5py.File(source) as a, h5py.File(target) as b:
        assert list(a) == list(b) and b["half"].dtype == "f2" and b["half"][4] == 4
        assert b[b["ref"][()]] == b["chunked"] and b["link"] == b["g/below"]
        assert b["plain"].dtype == ">f4" and b["g/below"].fillvalue == -5
        assert (b["chunked"].maxshape[0] is None) == ("-u" not in options)
        assert b["chunked"].compression == a["chunked"].compression


@pytest.mark.parametrize("storage", [{}, {"chunks": (4, 3)}, {"chunks": (4, 3), "compression": 3}])
def test_elements_with_addresses_are_cut(tmp_path, storage):
    path, target = tmp_path / "in.h5", tmp_path / "out.h5"
    both = np.dtype([("s", h5py.string_dtype()), ("n", "i4"), ("r", h5py.ref_dtype)])
    with h5py.File(path, "w") as f:
        rows = f.create_dataset("x", data=np.arange(10))
        rows.make_scale("x")
        d = f.create_dataset("d", (10, 7), both, maxshape=(20, 7) if storage else None, **storage)
        for n in range(10):
            if not (storage and n in (4, 5, 6, 7)):
                d[n] = np.array([(f"{n}{m}" * m, n * m, rows.ref) for m in range(7)], both)
        d.dims[0].attach_scale(rows)
        f.create_dataset("unwritten", (10,), h5py.string_dtype()).dims[0].attach_scale(rows)
        expected = d[2:9:3]
    assert not nccopy("-k", "h5", "--isel", "x=2:9:3", path, target)
    with h5py.File(target) as f:
        got = f["d"][()]
        assert got.shape == (3, 7) and f["d"].maxshape == ((20, 7) if storage else (3, 7))
        for field in "sn":
            assert got[field].tolist() == expected[field].tolist()
        assert all(not r or f[r] == f["x"] for r in got["r"].ravel()) and f[got["r"][0, 0]] == f["x"]
        assert f["d"].compression == ("gzip" if "compression" in storage else None)
        assert f["unwritten"].shape == (3,) and f["unwritten"].id.get_storage_size() == 0
        assert f["x"][()].tolist() == [2, 5, 8]


def test_dimensions_without_variables_and_shorter_variables(tmp_path):
    path, target = tmp_path / "in.nc", tmp_path / "out.h5"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("t", None)
        f.createDimension("x", 6)
        f.createVariable("long", "i4", ("t", "x"))[:] = np.arange(60).reshape(10, 6)
        f.createVariable("short", "i4", ("t",))[:] = np.arange(4)
        f.createVariable("texts", str, ("t",))[:] = np.array(["a", "b", "c"], object)
    for arguments, t, x in [
        (["--isel", "t=2:9"], np.s_[2:9], np.s_[:]),
        (["--isel", "t=1::2", "--isel", "x=4:"], np.s_[1::2], np.s_[4:]),
    ]:
        nccopy("-k", "h5", *arguments, path, target)
        with netCDF4.Dataset(path) as a, netCDF4.Dataset(target) as b:
            for name in "long", "short":
                expected = a[name][t] if name == "short" else a[name][t][:, x]
                assert np.ma.allequal(b[name][:], expected) and b[name].shape == expected.shape, name
                assert np.array_equal(np.ma.getmaskarray(b[name][:]), np.ma.getmaskarray(expected))
            assert b["texts"][:].tolist() == a["texts"][t].tolist()
            assert b.dimensions["x"].size == len(range(6)[x])


@pytest.mark.parametrize("filters", [{}, {"zlib": True}], ids=["plain", "deflated"])
def test_variables_without_elements_are_cut(tmp_path, filters):
    """A variable along an unlimited dimension that was only created has no elements of its own."""
    path, target = tmp_path / "in.nc", tmp_path / "out.h5"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("t", None)
        f.createDimension("x", 6)
        f.createVariable("a", "i4", ("t",))[:] = np.arange(5)
        f.createVariable("two", "i4", ("t",), **filters)[:] = np.arange(2)
        f.createVariable("never", "i4", ("t",), **filters)
        f.createVariable("rows", "i4", ("t", "x"), chunksizes=(1, 6), **filters)
        f.createVariable("texts", str, ("t", "x"))
    for arguments, t, x in [
        (["--isel", "t=0:3"], np.s_[0:3], np.s_[:]),
        (["--isel", "t=3:5"], np.s_[3:5], np.s_[:]),
        (["--isel", "x=1:3"], np.s_[:], np.s_[1:3]),
        (["--isel", "t=1:4:2", "--isel", "x=0,5"], np.s_[1:4:2], [0, 5]),
    ]:
        nccopy("-k", "h5", "--verify", *arguments, path, target)
        nccopy("-k", "nc4", *arguments, path, tmp_path / "out.nc")
        length, width = np.arange(5)[t].size, np.arange(6)[x].size
        with h5py.File(target) as f:
            shapes = {name: f[name].shape for name in ("a", "two", "never", "rows", "texts")}
            assert shapes == {"a": (length,), "two": (np.arange(2)[t].size,), "never": (0,), "rows": (0, width), "texts": (0, width)}
            assert f["never"].maxshape == (None,) and f["rows"].maxshape == (None, width)
            assert f["rows"].chunks == (1, min(6, width)) and f["rows"].compression == ("gzip" if filters else None)
        with netCDF4.Dataset(target, "a") as a, netCDF4.Dataset(tmp_path / "out.nc") as b:
            for name in shapes:
                assert a[name].shape == b[name].shape == ((length, width) if len(shapes[name]) == 2 else (length,))
                values = [file[name][:] for file in (a, b)]
                assert np.array_equal(*(np.ma.filled(found, 7) if name != "texts" else found for found in values)), name
            a["rows"][:] = np.ones((length, width))


def test_a_filter_for_chunks_of_one_shape_keeps_them(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=np.arange(6.0)).make_scale("x")
        for name, rows in ("d", 0), ("whole", 0):
            f.create_dataset(name, (rows, 6), "i4", maxshape=(None, 6), chunks=(1, 6 if name == "d" else 1), scaleoffset=0)
            f[name].dims[1].attach_scale(f["x"])
    command = [BIN / "nccopy", "-k", "h5", "--isel", "x=0:2", path, tmp_path / "o.h5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "variable d: its cells cannot be chosen with -k h5: its chunks are longer than the part" in done.stderr, done
    nccopy("-k", "h5", "--exclude", "d", "--isel", "x=0:2", path, tmp_path / "o.h5")
    with h5py.File(tmp_path / "o.h5") as f:
        assert f["whole"].shape == (0, 2) and f["whole"].chunks == (1, 1) and f["whole"].scaleoffset is not None


def test_scales_of_dimensions_that_stay_whole_are_no_warning(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 6)
        f.createDimension("bnds", 2)
        f.createVariable("x_bnds", "f4", ("x", "bnds"))[:] = np.arange(12).reshape(6, 2)
    assert not nccopy("-k", "h5", "--isel", "x=1:4", path, tmp_path / "out.h5")
    with h5py.File(tmp_path / "out.h5") as f:
        assert f["x_bnds"][:].tolist() == [[2, 3], [4, 5], [6, 7]] and f["bnds"].shape == (2,)


def test_what_cannot_be_cut_is_an_error(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("d", (4,), "i4", external=[("raw.bin", 0, 16)])
    (tmp_path / "raw.bin").write_bytes(bytes(16))
    for dim, says in ("phony_dim_0", "-k h5 leaves it there; copy to -k nc4\n"), ("none", "none"):
        command = [BIN / "nccopy", "-k", "h5", "--isel", f"{dim}=0", path, tmp_path / "o.h5"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1 and says in done.stderr, done
    assert not (tmp_path / "o.h5").exists()


def test_ranges_that_stay_are_told(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("lon", 36)
        lon = f.createVariable("lon", "f4", ("lon",))
        lon[:] = np.arange(-180, 180, 10)
        lon.units, lon.valid_range, lon.valid_min = "degrees_east", np.array([-180, 180], "f4"), np.float32(-180)
    told = nccopy("-k", "h5", "--sel", "lon=160..200", path, tmp_path / "out.h5")
    assert told.count("stays as it is") == 1 and "the attribute valid_range of lon" in told
    assert not nccopy("-k", "h5", "--sel", "lon=160..170", path, tmp_path / "out.h5")
