"""`nccopy --join` of coordinates, types, units and sources that need care. The truth is made by hand, or xarray's."""

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from join_files import check, joined, refused


def test_unsigned_coordinates_go_by_their_values(tmp_path):
    paths = []
    for n, first in enumerate([100, 120, 200]):
        paths.append(tmp_path / f"{n}.nc")
        with netCDF4.Dataset(paths[-1], "w", format="NETCDF3_CLASSIC") as out:
            out.createDimension("x", None)
            x = out.createVariable("x", "i1", ("x",))
            x._Unsigned = "true"
            x.set_auto_maskandscale(False)
            x[:] = np.arange(first, first + 20, dtype="u1").view("i1")
            out.createVariable("v", "i4", ("x",))[:] = np.arange(first, first + 20)
    for order in ([0, 1, 2], [2, 0, 1]):
        joined(tmp_path / "out.nc", "x", *(["--sort"] if order[0] else []), *(paths[n] for n in order))
        with netCDF4.Dataset(tmp_path / "out.nc") as found:
            wanted = [*range(100, 140), *range(200, 220)]
            assert found["x"][:].view("u1").tolist() == wanted and found["v"][:].tolist() == wanted
    assert "begins at x = 120, and" in refused("x", paths[2], paths[1], tmp_path / "out.nc")


def test_types_may_be_numbered_otherwise(tmp_path):
    pair = np.dtype([("a", "i4"), ("b", "f8")])
    for n in range(2):
        with netCDF4.Dataset(tmp_path / f"{n}.nc", "w") as out:
            out.createDimension("t", None)
            if n:
                out.createEnumType("i1", "other", {"none": 0})
            ty = out.createCompoundType(pair, "pair")
            list_type = out.createVLType("i4", "list")
            out.createVariable("t", "i4", ("t",))[:] = 3 * n + np.arange(3)
            out.createVariable("v", ty, ("t",))[:] = np.array([(3 * n + k, k / 4) for k in range(3)], dtype=pair)
            lists = out.createVariable("l", list_type, ("t",))
            for k in range(3):
                lists[k] = np.arange(3 * n + k, dtype="i4")
    joined(tmp_path / "out.nc", "t", "--verify", tmp_path / "0.nc", tmp_path / "1.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as found:
        assert found["v"][:]["a"].tolist() == list(range(6)) and found["v"][:]["b"].tolist() == [0, 0.25, 0.5] * 2
        assert [len(found["l"][k]) for k in range(6)] == list(range(6)) and found["l"][5].tolist() == [0, 1, 2, 3, 4]


def test_units_shorter_than_a_second_are_converted(tmp_path):
    paths = []
    for n, (units, first) in enumerate([("seconds since 2000-01-01", 0), ("milliseconds since 2000-01-01", 3000), ("nanoseconds since 2000-01-01", 6 * 10**9)]):
        paths.append(tmp_path / f"{n}.nc")
        with netCDF4.Dataset(paths[-1], "w") as out:
            out.createDimension("time", None)
            time = out.createVariable("time", "i8", ("time",))
            time.units = units
            time[:] = first + np.arange(3) * {"s": 1, "m": 10**3, "n": 10**9}[units[0]]
    joined(tmp_path / "out.nc", "time", "--verify", *paths)
    check(tmp_path / "out.nc", {"time": np.arange(9)})
    wanted = np.concatenate([xarray.open_dataset(path)["time"].values for path in paths])
    with xarray.open_dataset(tmp_path / "out.nc") as found:
        np.testing.assert_array_equal(found["time"].values, wanted)
    with netCDF4.Dataset(paths[1], "a") as out:
        out["time"][1] = 4001
    assert "the time 4001 has no exact form" in refused("time", *paths, tmp_path / "out.nc")


def virtual_rows(tmp_path, n, is_there=True):
    """A file with three rows of a virtual dataset, whose source is another file."""
    source = tmp_path / f"source{n}.h5"
    with h5py.File(source, "w") as out:
        out["d"] = np.arange(6, dtype="i4").reshape(3, 2) + 10 * n
    with h5py.File(tmp_path / f"{n}.h5", "w") as out:
        out["t"] = 3 * n + np.arange(3)
        out["t"].make_scale("t")
        layout = h5py.VirtualLayout(shape=(3, 2), dtype="i4")
        layout[:] = h5py.VirtualSource(source.name, "d", (3, 2))
        out.create_virtual_dataset("v", layout, fillvalue=-1)
        out["v"].dims[0].attach_scale(out["t"])
    if not is_there:
        source.unlink()
    return tmp_path / f"{n}.h5"


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_missing_source_is_told_with_its_input(tmp_path, missing):
    paths = [virtual_rows(tmp_path, n, n != missing) for n in range(3)]
    told = joined(tmp_path / "out.nc", "t", "-k", "nc4", "--verify", *paths)
    warning = f"{paths[missing]}: warning: variable v: 1 of 1 source is missing, the first d in source{missing}.h5"
    assert told.count("source is missing") == 1 and warning in told, told
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        rows = [np.full((3, 2), -1) if n == missing else np.arange(6).reshape(3, 2) + 10 * n for n in range(3)]
        out.set_auto_mask(False)
        np.testing.assert_array_equal(out["v"][:], np.concatenate(rows))


@pytest.mark.parametrize("open_one", [0, 1])
def test_a_source_that_is_not_closed_is_refused_with_its_input(tmp_path, open_one):
    paths = [virtual_rows(tmp_path, n) for n in range(2)]
    # The flag of a file that is open for writing, in superblock 3.
    with h5py.File(tmp_path / f"source{open_one}.h5", "w", libver="latest") as out:
        out["d"] = np.arange(6, dtype="i4").reshape(3, 2)
        out.flush()
        held = (tmp_path / f"source{open_one}.h5").read_bytes()
    (tmp_path / f"source{open_one}.h5").write_bytes(held)
    error = refused("t", "-k", "nc4", *paths, tmp_path / "out.nc")
    assert f"{paths[open_one]}: it refers to" in error and "--unfinished" in error, error
    told = joined(tmp_path / "out.nc", "t", "-k", "nc4", "--unfinished", *paths)
    assert f"{paths[open_one]}: warning: it refers to" in told
