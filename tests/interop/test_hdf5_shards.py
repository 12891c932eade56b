"""`nccopy --as-shards`: each shard is an HDF5 file and an object of a Zarr array, and one netCDF-4 file has all of them."""

import hashlib
import pathlib
import shutil
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
import zarr
import zarr_reference
from conftest import BIN, nccopy, ncdump
from remote_run import on

FILTERS = {
    "as it is": [],
    "none": ["-F", "*,none"],
    "zstd": ["-F", "*,zstd,3"],
    "shuffle": ["-F", "*,shuffle|zstd,3"],
    "blosc": ["-F", "*,blosc"],
    "checksum": ["-F", "*,zstd|fletcher32"],
}
# No plugin of HDF5 is installed for the others.
OF_LIBHDF5 = ["as it is", "none"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.title = "Wetter in 50 % der Fälle"
        for name, length in (("time", None), ("lat", 10), ("lon", 13), ("none", 0)):
            f.createDimension(name, length)
        time = f.createVariable("time", "f8", ("time",), chunksizes=(4,))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(7)
        f.createVariable("lat", "f4", ("lat",))[:] = np.arange(10)
        f.createVariable("lon", "f4", ("lon",))[:] = np.arange(13)
        v = f.createVariable("v", "f4", ("time", "lat", "lon"), zlib=True, shuffle=True, chunksizes=(2, 4, 5), fill_value=-9)
        v.units = "K"
        v[:] = np.arange(7 * 130).reshape(7, 10, 13)
        packed = f.createVariable("packed", "i2", ("time", "lat"), zlib=True, chunksizes=(3, 10))
        packed.set_auto_maskandscale(False)
        packed.scale_factor = 0.1
        packed[:] = np.arange(70).reshape(7, 10)
        f.createVariable("big", ">i4", ("lat", "lon"), chunksizes=(4, 4), endian="big")[:] = np.arange(130).reshape(10, 13)
        f.createVariable("unwritten", "i4", ("lat", "lon"), chunksizes=(4, 4))
        sparse = f.createVariable("sparse", "i4", ("lat", "lon"), chunksizes=(2, 2), fill_value=-1)
        sparse[6:8, 2:4] = 5
        f.createVariable("text", "S1", ("lat", "lon"))[:] = np.full((10, 13), b"x")
        f.createVariable("50%", "u1", ("lat",))[:] = np.arange(10)
        f.createVariable("strings", str, ("lat",))[:] = np.array([f"a{n}" for n in range(10)], dtype=object)
        f.createVariable("scalar", "f8", ())[...] = 4.5
        f.createVariable("empty", "f8", ("none", "lat"))
        group = f.createGroup("g")
        group.createVariable("time", "f4", ("lat", "lat"))[:] = np.eye(10)
        group.createVariable("word", str, ())[...] = "hello"
    return path


def made(source, folder, *options):
    nccopy("--as-shards", *options, source, folder / "out.zarr")
    return folder / "out.zarr"


@pytest.fixture(scope="module")
def dual(source, tmp_path_factory):
    """The output with each kind of filters, in shards of 4 x 4 x 5 elements at most where they are asked for."""
    found = {}

    def of(filters, *options):
        if (filters, options) not in found:
            found[filters, options] = made(source, tmp_path_factory.mktemp("dual"), *FILTERS[filters], *options)
        return found[filters, options]

    return of


SMALL = ("--shard", "time/4,lat/4,lon/5")


def variables(group, path=""):
    for name, variable in group.variables.items():
        yield path + name, variable
    for name, child in group.groups.items():
        yield from variables(child, f"{path}{name}/")


def raw(variable):
    variable.set_auto_maskandscale(False)
    return variable[...]


def shards(store):
    """The paths of all HDF5 files that are shards."""
    files = [path for path in sorted(store.glob("**/c/**/*")) if path.is_file()]
    return [path for path in files if path.read_bytes()[:4] == b"\x89HDF"]


def ran(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("options", [(), SMALL], ids=["large", "small"])
@pytest.mark.parametrize("filters", FILTERS)
def test_all_read_the_same(source, dual, filters, options):
    """netCDF4-python, h5py (where libhdf5 has the filters), zarr-python and ncdump."""
    store = dual(filters, *options)
    hierarchy = zarr.open_group(store, mode="r")
    with netCDF4.Dataset(source) as wanted:
        for name, variable in variables(wanted):
            values = raw(variable)
            found = np.asarray(hierarchy[name][...])
            assert np.array_equal(np.asarray(values).astype(found.dtype), found), name
        if filters in OF_LIBHDF5:
            with netCDF4.Dataset(store / "out.nc") as found, h5py.File(store / "out.nc") as file:
                assert found.__dict__ == wanted.__dict__
                assert {d: (len(n), n.isunlimited()) for d, n in found.dimensions.items()} == {
                    d: (len(n), n.isunlimited()) for d, n in wanted.dimensions.items()
                }
                for name, variable in variables(wanted):
                    assert np.array_equal(raw(variable), raw(found[name])), name
                    assert found[name].dimensions == variable.dimensions
                    assert {k: repr(v) for k, v in found[name].__dict__.items()} == {k: repr(v) for k, v in variable.__dict__.items()}
                    assert file[name].is_virtual == (name not in ("strings", "scalar", "g/word"))
    text = ncdump(source).split(b"\n", 1)[1]
    for output in (store, store / "out.nc"):
        assert ncdump(output).split(b"\n", 1)[1] == text


@pytest.mark.parametrize("options", [(), SMALL], ids=["large", "small"])
def test_programs_of_hdf5_read_shards(dual, options, tmp_path):
    """h5dump, h5repack, ncdump of netCDF-C and h5py open each shard, and the file of them all."""
    store = dual("as it is", *options)
    assert len(shards(store)) == (10 if options == () else 33)
    for path in shards(store):
        ran("h5dump", path)
        ran("ncdump", path)
        ran("h5repack", path, tmp_path / "repacked.h5")
        with h5py.File(path) as before, h5py.File(tmp_path / "repacked.h5") as after:
            for name in before:
                assert np.array_equal(before[name][...], after[name][...])
    ran("h5dump", store / "out.nc")
    ran("ncdump", store / "out.nc")


@zarr_reference.needs_zarr3
@pytest.mark.parametrize("reader", ["zarr", "zarrs", "tensorstore"])
def test_readers_of_version_3(source, dual, reader):
    for options in (), SMALL:
        (found,) = zarr_reference.by_readers_of_version_3(reader, dual("as it is" if reader == "zarr" else "zstd", *options))
        with netCDF4.Dataset(source) as wanted:
            for name in "time", "lat", "v", "packed", "big", "unwritten", "sparse", "50%":
                values = raw(wanted[name])
                read = np.array(found["variables"]["/" + name]["values"], values.dtype)
                assert np.array_equal(read.reshape(values.shape), values), name


@pytest.mark.parametrize("name", ["v", "sparse"])
def test_what_grows_is_refused(dual, tmp_path, name):
    """After h5py has appended to a shard, its index is not where Zarr looks for it, and no old data is read."""
    store = tmp_path / "out.zarr"
    shutil.copytree(dual("none"), store)
    (path,) = [path for path in shards(store) if path.relative_to(store).parts[0] == name]
    # Opened for writing, and closed.
    with h5py.File(path, "r+") as f:
        assert f[name].shape
    zarr.open_array(store / name)[...]
    with h5py.File(path, "r+") as f:
        f["new"] = np.arange(1000)
    with pytest.raises(Exception, match="(?i)checksum|crc"):
        zarr.open_array(store / name)[...]


@zarr_reference.needs_zarr3
def test_what_grows_is_refused_by_tensorstore(dual, tmp_path):
    store = tmp_path / "out.zarr"
    shutil.copytree(dual("none"), store)
    assert "values" in zarr_reference.by_readers_of_version_3("tensorstore", store)[0]["variables"]["/v"]
    with h5py.File(store / "v/c/0/0/0", "r+") as f:
        f["new"] = np.arange(1000)
    assert "DATA_LOSS" in zarr_reference.by_readers_of_version_3("tensorstore", store)[0]["variables"]["/v"]["error"]


def test_missing_shards_read_as_fill(source, tmp_path):
    store = made(source, tmp_path, "--skip-fill", *SMALL)
    assert [path.relative_to(store).as_posix() for path in shards(store) if path.relative_to(store).parts[0] == "sparse"] == ["sparse/c/1/0"]
    with netCDF4.Dataset(source) as wanted, netCDF4.Dataset(store / "out.nc") as found:
        for name in "sparse", "unwritten":
            assert np.array_equal(raw(wanted[name]), raw(found[name]))


def test_bytes_do_not_depend_on_threads(source, tmp_path):
    def digests(threads):
        (tmp_path / str(threads)).mkdir()
        store = made(source, tmp_path / str(threads), "--threads", str(threads), *SMALL)
        return {path.relative_to(store): hashlib.sha256(path.read_bytes()).hexdigest() for path in store.rglob("*") if path.is_file()}

    first = digests(1)
    assert len(first) > 50
    assert digests(2) == first == digests(8)


def test_a_copy_back_is_the_source(source, dual, tmp_path):
    """Both sides are inputs like any other."""
    for name, given in (("a.nc", dual("as it is", *SMALL)), ("b.nc", dual("as it is", *SMALL) / "out.nc")):
        nccopy("-k", "nc4", given, tmp_path / name)
        assert ncdump(tmp_path / name).split(b"\n", 1)[1] == ncdump(source).split(b"\n", 1)[1]


def test_check_compares_both_sides(dual, tmp_path):
    store = tmp_path / "out.zarr"
    shutil.copytree(dual("as it is"), store)
    checked = subprocess.run([BIN / "ncdump", "--check", store], capture_output=True, text=True)
    assert checked.returncode == 0 and "no fault in 15 variables" in checked.stdout
    shard = store / "v/c/0/0/0"
    assert "nothing refers to" not in ncdump("--check", shard).decode()
    damaged = bytearray(shard.read_bytes())
    # The size of the first chunk in HDF5's B-tree.
    damaged[damaged.find(b"TREE") + 24] -= 1
    shard.write_bytes(damaged)
    checked = subprocess.run([BIN / "ncdump", "--check", store], capture_output=True, text=True)
    assert checked.returncode == 1
    assert "variable v: chunk [0, 0, 0]: key v/c/0/0/0: the index of the shard tells" in checked.stdout


def test_check_compares_the_netcdf_file(dual, tmp_path):
    """It must be there, and show what Zarr shows."""
    store, file = tmp_path / "out.zarr", tmp_path / "out.zarr/out.nc"
    shutil.copytree(dual("as it is", *SMALL), store)

    def told():
        checked = subprocess.run([BIN / "ncdump", "--check", store], capture_output=True, text=True)
        assert checked.returncode == (0 if "no fault" in checked.stdout else 1)
        return checked.stdout

    whole = file.read_bytes()
    # A folder may be renamed.
    file.rename(store / "before.nc")
    assert "no fault" in told()
    (store / "before.nc").unlink()
    assert "key out.nc: the netCDF-4 file of the shards is missing" in told()
    file.write_text("no-op")
    assert "key out.nc: not an HDF5 file" in told()
    shutil.copy(dual("as it is") / "out.nc", file)
    assert "variable v: key out.nc: 18 of 18 shards are not mapped to their places, the first v/c/0/0/0" in told()
    file.write_bytes(whole)
    with netCDF4.Dataset(file, "a") as f:
        f["lat"].units = "degrees_north"
        f["strings"][3] = "other"
        f.createVariable("more", "i4")
    found = told()
    for line in "/lat: attribute units: only in out.nc", '/strings: 1 of 10 elements differ; first [3]: "a3" and "other"', "/more: only in out.nc":
        assert f"key out.nc: {line}" in found


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_file_is_changed_alone(source, dual, tmp_path):
    """The shards, the documents of Zarr and the netCDF-4 file fit each other."""
    store = tmp_path / "moved.zarr"
    shutil.copytree(dual("as it is"), store)
    (store / "out.nc").rename(store / "moved.nc")
    before = content(store)
    for *arguments, output in (
        ("--append", source, store),
        ("--append", source, store / "moved.nc"),
        ("--append", source, store / "v/c/0/0/0"),
        ("--in-place", "-d", "1", store / "v/c/0/0/0"),
        ("--in-place", "-d", "1", store / "moved.nc"),
        ("--in-place", "-d", "1", store),
    ):
        done = subprocess.run([BIN / "nccopy", *arguments, output], capture_output=True, text=True)
        assert done.returncode == 1 and "--as-shards makes it anew" in done.stderr, (arguments, done.stderr)
        assert str(output) in done.stderr
    assert content(store) == before


def test_a_hierarchy_is_replaced_with_its_netcdf_file(source, dual, tmp_path):
    store = tmp_path / "moved.zarr"
    shutil.copytree(dual("as it is"), store)
    nccopy("--as-shards", source, store)
    assert sorted(path.name for path in store.glob("*.nc")) == ["moved.nc"]
    nccopy("-k", "zarr3", source, store)
    assert not list(store.glob("*.nc"))
    nccopy("--as-shards", source, store)

    def refuses(name):
        before = content(store)
        assert f"the folder holds {name}, which is no part of a Zarr dataset" in nccopy("--quiet", "--as-shards", source, store, ok=False)
        assert content(store) == before

    # Files that others have made, or added to.
    shutil.copy(source, store / "own.nc")
    refuses("own.nc")
    (store / "own.nc").unlink()
    with netCDF4.Dataset(store / "moved.nc", "a") as f:
        f.createVariable("more", "i4")
    refuses("moved.nc")


def test_filters_are_told_to_those_who_lack_them(source, tmp_path):
    out = tmp_path / "out.zarr"
    for options in ([], ["-d", "1", "-s"]):
        assert "lack" not in nccopy("--as-shards", *options, source, out)
    assert "Debian's netcdf-bin, cdo and nco lack these filters" in nccopy("--as-shards", "-F", "*,zstd,3", source, out)
    assert nccopy("--for", "netcdf-c", "--as-shards", "-F", "*,zstd,3", source, out) == ""
    assert nccopy("--for", "netcdf-c-4.8,zarr-python", "--as-shards", source, out) == ""
    assert "--for: netcdf-c-4.8 lacks zstd" in nccopy("--for", "netcdf-c-4.8", "--as-shards", "-F", "*,zstd,3", source, out, ok=False)


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
def test_a_remote_hierarchy(source, store, tmp_path):
    target = store.url("dual/out.zarr")
    on(store, "nccopy", "--as-shards", *SMALL, source, target).whole()
    assert "no fault in 15 variables" in on(store, "ncdump", "--check", target).whole().out
    on(store, "nccopy", "--replace", "--as-shards", source, target).whole()
    on(store, "nccopy", "-k", "nc4", target, tmp_path / "back.nc").whole()
    assert ncdump(tmp_path / "back.nc").split(b"\n", 1)[1] == ncdump(source).split(b"\n", 1)[1]


def test_several_inputs_become_folders(source, tmp_path):
    (tmp_path / "out").mkdir()
    nccopy("--as-shards", source, f"{tmp_path / 'out'}/")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["in.zarr"]
    assert (tmp_path / "out/in.zarr/in.nc").is_file()


def test_what_cannot_be_is_refused(source, tmp_path):
    typed = tmp_path / "typed.nc"
    with netCDF4.Dataset(typed, "w") as f:
        f.createDimension("x", 3)
        kind = f.createEnumType("u1", "kind", {"a": 0, "b": 1})
        f.createVariable("kinds", kind, ("x",))[:] = [0, 1, 0]
        f.createVariable("x", "i4", ("x",))[:] = [1, 2, 3]
    out = tmp_path / "out.zarr"
    for says, *arguments in (
        ("--as-shards cannot be given beside --page", "--page", "4096", source, out),
        ("--as-shards cannot be given beside --append", "--append", source, out),
        ("none can do without", "--shard", "none", source, out),
        ("--shard-index start is not possible", "--shard-index", "start", source, out),
        ("name a folder", source, tmp_path / "out.zarr.zip"),
        ("leave out that the kind is", "-k", "nc4", source, out),
        ("variable time: codec numcodecs.lz4", "-F", "*,lz4", source, out),
        ("variable kinds is of the user-defined type kind", typed, out),
    ):
        assert says in nccopy("--as-shards", *arguments, ok=False)
        assert not out.exists()
    nccopy("--as-shards", "--drop-unsupported", typed, out)
    with netCDF4.Dataset(out / "out.nc") as f:
        assert list(f.variables) == ["x"]
