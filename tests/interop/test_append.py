"""`nccopy --append`: a dataset that exists grows. Other programs read it, and go on adding to it."""

import fcntl
import itertools
import pathlib
import shutil
import subprocess

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pytest
import xarray
import zarr
from conftest import BIN
from join_files import days
from stop_points import stopped

CLASSIC = {"nc3": "NETCDF3_CLASSIC", "nc6": "NETCDF3_64BIT_OFFSET", "nc5": "NETCDF3_64BIT_DATA"}
HDF5 = ["nc4", "nc7", "ours", "earliest", "v108", "latest"]
ZARR = ["zarr2", "zarr2-consolidated", "zarr3", "zarr3-consolidated", "zarr3-shards", "nczarr"]
MAKERS = [*CLASSIC, *HDF5, *ZARR]


def values(first, count):
    """What `count` cells from `first` on hold: time, v (time, x) and w (x, time)."""
    v = (first * 6 + np.arange(count * 6)).reshape(count, 6).astype("f4")
    return {"time": first + np.arange(count, dtype="f8"), "v": v, "w": v.T.astype("i2")}


def netcdf(path, first, count, kind):
    told = values(first, count)
    with netCDF4.Dataset(path, "w", format=kind) as out:
        out.createDimension("time", None)
        out.createDimension("x", 6)
        out.createDimension("only_grid", 3)
        out.title = "made"
        out.createVariable("x", "i4", ("x",))[:] = np.arange(6)
        time = out.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = told["time"]
        storage = dict(zlib=True, shuffle=True, fletcher32=True, chunksizes=(4, 5)) if "NETCDF4" in kind else {}
        v = out.createVariable("v", "f4", ("time", "x"), fill_value=-1.0, **storage)
        v.long_name = "what grows"
        v[:] = told["v"]
        if "NETCDF4" in kind:
            out.createVariable("w", "i2", ("x", "time"), zlib=True, chunksizes=(4, 3))[:] = told["w"]
        if kind == "NETCDF4":
            names = out.createVariable("name", str, ("time",))
            for n in range(count):
                names[n] = f"cell {first + n}"
            inner = out.createGroup("inner")
            inner.createVariable("v", "f4", ("time", "x"), chunksizes=(3, 6))[:] = told["v"]
    return path


def by_h5py(path, first, count, version, **properties):
    told = values(first, count)
    with h5py.File(path, "w", libver=version, **properties) as out:
        time = out.create_dataset("time", data=told["time"], maxshape=(None,), chunks=(4,))
        time.make_scale("time")
        v = out.create_dataset("v", data=told["v"], maxshape=(None, 6), chunks=(4, 5), compression="gzip", fletcher32=True)
        w = out.create_dataset("w", data=told["w"].astype(">i2"), maxshape=(None, None), chunks=(4, 3), **hdf5plugin.Zstd())
        name = out.create_dataset(
            "name", data=[f"cell {first + n}" for n in range(count)], dtype=h5py.string_dtype(), maxshape=(None,), chunks=(5,),
        )
        for variable, axis in [(v, 0), (w, 1), (name, 0)]:
            variable.dims[axis].attach_scale(time)
        out.create_dataset("indexed", data=np.arange(1000), chunks=(10,))
        out["plain"] = np.arange(7)
        out["soft"] = h5py.SoftLink("/v")
        out["hard"] = out["indexed"]
        out["inner/deep"] = np.arange(3)
        for n in range(20):
            out["inner/deep"].attrs[f"a{n}"] = "x" * n
        out["inner"].attrs["which"] = v.ref
    return path


def by_zarr(path, first, count, version, consolidated, shards=False):
    told = values(first, count)
    dataset = xarray.Dataset(
        {"v": (("time", "x"), told["v"]), "w": (("x", "time"), told["w"]), "flag": ("time", told["time"] % 2 > 0), "plain": ("x", np.arange(6))},
        coords={"time": ("time", told["time"], {"units": "days since 2000-01-01"})}, attrs={"title": "made", "numbers": [1, 2]},
    )
    storage = {"v": {"chunks": (4, 3)}, "w": {"chunks": (3, 4)}}
    if shards:
        storage["v"]["shards"] = (8, 6)
    dataset.to_zarr(path, zarr_format=version, consolidated=consolidated, encoding=storage)
    return path


def made(maker, path, first, count):
    if maker in CLASSIC:
        return netcdf(path, first, count, CLASSIC[maker])
    if maker in ("nc4", "nc7"):
        return netcdf(path, first, count, {"nc4": "NETCDF4", "nc7": "NETCDF4_CLASSIC"}[maker])
    if maker in ("ours", "nczarr"):
        source = netcdf(path.with_suffix(".source"), first, count, "NETCDF4")
        kind = ["-k", "nczarr"] if maker == "nczarr" else []
        subprocess.run([BIN / "nccopy", *kind, source, path], check=True)
        source.unlink()
        return path
    if maker in HDF5:
        return by_h5py(path, first, count, maker)
    return by_zarr(path, first, count, int(maker[4]), "consolidated" in maker, "shards" in maker)


def name_of(maker, path):
    return path.with_suffix(".zarr" if maker in ZARR else ".nc")


def found(maker, path):
    """What another program finds: the values of each variable."""
    if maker in CLASSIC or maker in ("nc4", "nc7", "ours"):
        with netCDF4.Dataset(path) as read:
            read.set_auto_mask(False)
            all = {name: variable[:] for name, variable in read.variables.items()}
            if "inner" in read.groups:
                all["inner/v"] = read["inner/v"][:]
            assert read.title == "made"
            return all
    if maker in HDF5:
        with h5py.File(path) as read:
            assert read[read["inner"].attrs["which"]].name == "/v"
            assert len(read["inner/deep"].attrs) == 20
            assert (read["hard"][:] == np.arange(1000)).all() and (read["plain"][:] == np.arange(7)).all()
            assert read["soft"].shape == read["v"].shape
            all = {name: read[name][:] for name in ("time", "v", "w", "name")}
            return {**all, "name": np.array([name.decode() for name in all["name"]])}
    group = zarr.open_group(path, mode="r", use_consolidated="consolidated" in maker)
    all = {name: array[...] for name, array in group.arrays()}
    if "name" in all:
        all["name"] = np.array([text.decode() for text in all["name"]])
    return all


def is_whole(all, count):
    """True if all variables hold `count` cells, with the values of these."""
    wanted = values(0, count)
    wanted["inner/v"] = wanted["v"]
    wanted["flag"] = wanted["time"] % 2 > 0
    wanted["name"] = np.array([f"cell {n}" for n in range(count)])
    same = [np.array_equal(all[name], wanted[name]) for name in wanted if name in all]
    return len(same) >= 1 and False not in same


def append(*arguments):
    return subprocess.run([BIN / "nccopy", "--append", *map(str, arguments)], capture_output=True, text=True)


def appended(*arguments):
    done = append(*arguments)
    assert done.returncode == 0, done.stderr
    return done


def dim(maker):
    """h5py's files have several unlimited dimensions, those of xarray none."""
    return [] if maker in CLASSIC or maker in ("nc4", "nc7", "ours", "nczarr") else ["--join", "time"]


@pytest.mark.parametrize("maker", MAKERS)
def test_other_programs_read_what_was_added(tmp_path, maker):
    old = made(maker, name_of(maker, tmp_path / "all"), 0, 10)
    further = [made(maker, name_of(maker, tmp_path / f"{first}"), first, count) for first, count in [(10, 1), (11, 7), (18, 5)]]
    appended(*dim(maker), *further[:2], old)
    assert is_whole(found(maker, old), 18)
    appended(*dim(maker), further[2], old)
    assert is_whole(found(maker, old), 23)
    check = subprocess.run([BIN / "ncdump", "--check", old], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("kind", CLASSIC.values())
def test_classic_files_are_those_of_netcdf_c(tmp_path, kind):
    old = netcdf(tmp_path / "all.nc", 0, 10, kind)
    appended(netcdf(tmp_path / "new.nc", 10, 7, kind), old)
    assert old.read_bytes() == netcdf(tmp_path / "whole.nc", 0, 17, kind).read_bytes()


def test_netcdf_c_goes_on(tmp_path):
    old = netcdf(tmp_path / "all.nc", 0, 10, "NETCDF4")
    for first in (10, 15):
        appended(netcdf(tmp_path / "new.nc", first, 3, "NETCDF4"), old)
        with netCDF4.Dataset(old, "a") as out:
            told = values(first + 3, 2)
            at = slice(first + 3, first + 5)
            out["time"][at] = told["time"]
            out["v"][at] = told["v"]
            out["w"][:, at] = told["w"]
            out["inner/v"][at] = told["v"]
            for n in (3, 4):
                out["name"][first + n] = f"cell {first + n}"
            out.setncattr(f"more{first}", first)
    assert is_whole(found("nc4", old), 20)


@pytest.mark.parametrize("version", ["earliest", "v108", "latest"])
@pytest.mark.parametrize(
    "properties",
    [{}, {"userblock_size": 1024}, {"fs_strategy": "page", "fs_page_size": 4096}, {"fs_strategy": "fsm", "fs_persist": True},
     {"fs_strategy": "page", "fs_page_size": 4096, "fs_persist": True}],
    ids=["plain", "user block", "pages", "free space", "pages and free space"],
)
def test_libhdf5_goes_on(tmp_path, version, properties):
    old = by_h5py(tmp_path / "all.h5", 0, 11, version, **properties)
    if "userblock_size" in properties:
        with open(old, "r+b") as file:
            file.write(b"of the user")
    appended("--join", "time", by_h5py(tmp_path / "new.h5", 11, 8, version), old)
    told = values(0, 30)
    with h5py.File(old, "r+") as out:
        for name in ("time", "v", "w"):
            out[name].resize(told[name].shape)
            out[name][:] = told[name]
        out["name"].resize((30,))
        out["name"][19:] = [f"cell {n}" for n in range(19, 30)]
        out.create_group("made later")
    appended("--join", "time", by_h5py(tmp_path / "new.h5", 30, 8, version), old)
    assert is_whole(found(version, old), 38)
    if "userblock_size" in properties:
        assert old.read_bytes().startswith(b"of the user")
    if properties.get("fs_strategy") == "page":
        assert old.stat().st_size % 4096 == 0


def test_a_reader_keeps_its_view(tmp_path):
    old = by_h5py(tmp_path / "all.h5", 0, 10, "v108")
    before = old.read_bytes()
    with h5py.File(old, locking=False) as reader:
        appended("--join", "time", by_h5py(tmp_path / "new.h5", 10, 7, "v108"), old)
        assert np.array_equal(reader["v"][:], values(0, 10)["v"])
    after = old.read_bytes()
    # Of the old bytes, the superblock alone has changed.
    assert after[48 : len(before)] == before[48:]


def old_or_new(maker, path, before, after):
    """Whether every array of a store is the old one or the new one; of files, all are."""
    all = found(maker, path)
    if maker not in ZARR or "consolidated" in maker:
        assert is_whole(all, before) or is_whole(all, after)
        return
    for name in all.keys() - {"x", "plain"}:
        one = {name: all[name]}
        assert is_whole(one, before) or is_whole(one, after), name


@pytest.mark.parametrize("maker", MAKERS)
def test_kills_leave_the_old_or_the_new(tmp_path, maker, some):
    old = made(maker, name_of(maker, tmp_path / "old"), 0, 10)
    new = made(maker, name_of(maker, tmp_path / "new"), 10, 7)
    target = name_of(maker, tmp_path / "all")
    points = [("write", n) for n in sorted({1, 2, *some(range(1, 60))})] + [("sync", 1), ("commit", 1), ("committed", 1)]
    killed = 0
    for point, time in points:
        copy_to(old, target)
        process = stopped(point, "nccopy", "--append", *dim(maker), new, target, time=time)
        if process is None:
            assert is_whole(found(maker, target), 17)
            continue
        process.kill()
        process.wait()
        killed += 1
        old_or_new(maker, target, 10, 17)
        if is_whole(found(maker, target), 17) and maker not in ZARR:
            continue
        appended(*dim(maker), new, target)
        assert is_whole(found(maker, target), 17)
    assert killed >= 3


def copy_to(old, target):
    if target.is_dir():
        shutil.rmtree(target)
    if old.is_dir():
        shutil.copytree(old, target)
    else:
        shutil.copy(old, target)


@pytest.mark.parametrize("maker", ["zarr2", "zarr3-shards", "nczarr"])
def test_what_a_killed_run_added_is_undone(tmp_path, maker):
    old = made(maker, name_of(maker, tmp_path / "all"), 0, 10)
    new = made(maker, name_of(maker, tmp_path / "new"), 10, 30)
    fresh = name_of(maker, tmp_path / "fresh")
    copy_to(old, fresh)
    # The new chunks are there, and the first document is written next.
    process = stopped("sync", "nccopy", "--append", *dim(maker), new, old)
    process.kill()
    process.wait()
    assert is_whole(found(maker, old), 10)
    check = subprocess.run([BIN / "ncdump", "--check", old], capture_output=True, text=True)
    assert check.returncode == 1 and "nccopy --append" in check.stdout + check.stderr
    # Fewer cells are added than before: those of the killed run are not seen.
    less = made(maker, name_of(maker, tmp_path / "less"), 10, 1)
    for store in (old, fresh):
        appended(*dim(maker), less, store)
        assert is_whole(found(maker, store), 11)
    assert keys_of(old) == keys_of(fresh)


def keys_of(store):
    return sorted(str(path.relative_to(store)) for path in store.rglob("*") if path.is_file())


def test_an_error_leaves_the_old_file(tmp_path):
    for maker in ("nc3", "nc4"):
        old = made(maker, tmp_path / "all.nc", 0, 10)
        before = old.read_bytes()
        other = netcdf(tmp_path / "other.nc", 10, 7, "NETCDF4")
        with netCDF4.Dataset(other, "a") as out:
            out["time"].units = "fortnights"
        assert append(other, old).returncode == 1
        assert old.read_bytes() == before
        # Cells that are there already.
        done = append(made(maker, tmp_path / "new.nc", 5, 7), old)
        assert done.returncode == 1 and "new.nc" in done.stderr and old.read_bytes() == before
        appended("--overlap", "first", tmp_path / "new.nc", old)
        assert is_whole(found(maker, old), 12)


def test_locked_files_are_refused(tmp_path):
    old = netcdf(tmp_path / "all.nc", 0, 10, "NETCDF4")
    new = netcdf(tmp_path / "new.nc", 10, 7, "NETCDF4")
    with h5py.File(old, "r+"):
        done = append(new, old)
        assert done.returncode == 1 and "all.nc" in done.stderr
    with open(old, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert append(new, old).returncode == 1
    appended(new, old)


@pytest.mark.parametrize("maker", ["nc4", "zarr3"])
def test_a_run_at_a_time(tmp_path, maker):
    old = made(maker, name_of(maker, tmp_path / "all"), 0, 10)
    new = made(maker, name_of(maker, tmp_path / "new"), 10, 7)
    process = stopped("write", "nccopy", "--append", *dim(maker), new, old)
    assert append(*dim(maker), new, old).returncode == 1
    process.communicate(b"\n", timeout=60)
    assert process.returncode == 0 and is_whole(found(maker, old), 17)


def refused(*arguments):
    done = append(*arguments)
    assert done.returncode == 1, done.stdout
    return done.stderr.strip().splitlines()[-1]


def test_what_cannot_grow_is_named(tmp_path):
    old, new = tmp_path / "all.h5", tmp_path / "new.h5"
    by_h5py(new, 10, 3, "v108")
    for spoil, told in [
        (lambda out: out.create_dataset("refs", data=[out["v"].ref], dtype=h5py.ref_dtype), "refs"),
        (lambda out: out.create_dataset("regions", data=[out["v"].regionref[:2]], dtype=h5py.regionref_dtype), "regions"),
    ]:
        by_h5py(old, 0, 10, "v108")
        for path in (old, new):
            with h5py.File(path, "r+") as out:
                spoil(out)
        assert f"variable /{told}: " in refused("--join", "time", new, old)
    fixed, further = tmp_path / "fixed.nc", tmp_path / "further.nc"
    for path, first in [(fixed, 0), (further, 2)]:
        with netCDF4.Dataset(path, "w") as out:
            out.createDimension("time", 2)
            out.createVariable("time", "i4", ("time",))[:] = [first, first + 1]
            out.createVariable("v", "i4", ("time",), chunksizes=(1,))[:] = [first, first + 1]
    assert "no dimension is unlimited" in refused(further, fixed)
    assert "time" in refused("--join", "time", further, fixed)
    assert "none.nc" in refused(further, tmp_path / "none.nc")
    assert "--append cannot be given beside -d\n" in append("-d", "5", further, fixed).stderr
    # A classic file whose dimension is fixed.
    classic = tmp_path / "classic.nc"
    subprocess.run([BIN / "nccopy", "-k", "nc3", fixed, classic], check=True)
    assert "fixed" in refused("--join", "time", further, classic)


@pytest.mark.parametrize("name", ["all.zip#mode=zarr,zip", "all.nc3z"])
def test_others_are_written_anew(tmp_path, name):
    path = tmp_path / name
    kind = ["-k", "archive"] if name.endswith("nc3z") else []
    first, second = (netcdf(tmp_path / f"{n}.nc", n, 10, "NETCDF3_CLASSIC") for n in (0, 10))
    subprocess.run([BIN / "nccopy", *kind, first, path], check=True)
    appended("--join", "time", second, path)
    back = tmp_path / "back.nc"
    subprocess.run([BIN / "nccopy", "-k", "nc3", path, back], check=True)
    assert is_whole(found("nc3", back), 20)


def test_a_day_is_cheap(tmp_path):
    old = tmp_path / "all.nc"
    with netCDF4.Dataset(old, "w") as out:
        out.createDimension("time", None)
        out.createDimension("x", 100_000)
        out.createVariable("v", "f4", ("time", "x"), chunksizes=(1, 100_000))[:] = np.random.default_rng(1).normal(size=(100, 100_000))
    new = tmp_path / "new.nc"
    with netCDF4.Dataset(new, "w") as out:
        out.createDimension("time", None)
        out.createDimension("x", 100_000)
        out.createVariable("v", "f4", ("time", "x"), chunksizes=(1, 100_000))[:] = np.ones((1, 100_000))
    size = old.stat().st_size
    appended(new, old)
    assert old.stat().st_size - size < 400_000 + 20_000


def test_what_comes_before_the_end_needs_a_new_dataset(tmp_path):
    one, other = days(tmp_path, 2, 3)
    done = subprocess.run([BIN / "nccopy", "--append", one, other], capture_output=True, text=True)
    assert done.returncode == 1 and "--join with --sort makes a new dataset" in done.stderr, done.stderr


def test_what_grows_must_exist(tmp_path):
    (one,) = days(tmp_path, 2)
    done = subprocess.run([BIN / "nccopy", "--append", one, tmp_path / "new.nc"], capture_output=True, text=True)
    assert done.returncode == 1 and "--append adds to a dataset that exists" in done.stderr, done.stderr
