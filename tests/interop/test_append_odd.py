"""`nccopy --append` of odd datasets: what does not grow, what was never written, marks and leftovers of others."""

import os
import shutil
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
import zarr
from conftest import BIN, nccopy
from stop_points import stopped
from test_append import append, appended, by_h5py, found, is_whole, keys_of, netcdf, refused


def sparse_strings(path, first, count, texts):
    with netCDF4.Dataset(path, "w") as out:
        out.createDimension("time", None)
        out.createVariable("time", "i4", ("time",))[:] = first + np.arange(count)
        names = out.createVariable("name", str, ("time",), chunksizes=(3,))
        for n, text in enumerate(texts):
            names[n] = text
    return path


@pytest.mark.parametrize("old, new", [(["a"] * 2, ["b"]), (["a"] * 5, []), ([], ["b"] * 4), ([], [])])
def test_strings_that_were_never_written_are(tmp_path, old, new):
    """libhdf5 cannot read a chunk of strings that is not there from a file that it opens for reading."""
    path = sparse_strings(tmp_path / "all.nc", 0, 5, old)
    appended(sparse_strings(tmp_path / "new.nc", 5, 4, new), path)
    wanted = [*old, *[""] * (5 - len(old)), *new, *[""] * (4 - len(new))]
    with h5py.File(path) as read:
        assert [text.decode() for text in read["name"][:]] == wanted


def store_of(path, first, last, **more):
    """A store of an array of the numbers from `first` on, two a chunk."""
    version = more.pop("zarr_format", 2)
    group = zarr.open_group(path, mode="w", zarr_format=version)
    names = {"dimension_names": ["time"]} if version == 3 else {"attributes": {"_ARRAY_DIMENSIONS": ["time"]}}
    for name, chunk in [("time", (100,)), ("v", (2,))]:
        stored = {} if name == "time" else more
        array = group.create_array(name, shape=(last - first,), chunks=chunk, dtype="i4", fill_value=-1, **names, **stored)
        array[...] = np.arange(first, last) if name == "time" else 5
    return path


def test_what_lies_behind_an_array_is_not_seen(tmp_path):
    old, new = store_of(tmp_path / "all.zarr", 0, 4), store_of(tmp_path / "new.zarr", 4, 6)
    # Another program has made the array shorter, and left a chunk behind it.
    shutil.copy(old / "v" / "1", old / "v" / "2")
    (new / "v" / "0").unlink()
    appended("--join", "time", new, old)
    assert list(zarr.open_group(old, mode="r")["v"][:]) == [5, 5, 5, 5, -1, -1]


def test_what_another_program_added_after_a_kill_stays(tmp_path):
    old, new = store_of(tmp_path / "all.zarr", 0, 4), store_of(tmp_path / "new.zarr", 4, 6)
    process = stopped("sync", "nccopy", "--append", "--join", "time", new, old)
    process.kill()
    process.wait()
    group = zarr.open_group(old, mode="r+")
    for name in ("time", "v"):
        group[name].resize((6,))
        group[name][4:] = [40, 50]
    assert ".ncutils-growing" in refused("--join", "time", new, old)
    assert list(zarr.open_group(old, mode="r")["v"][:]) == [5, 5, 5, 5, 40, 50]


def test_hostile_marks(tmp_path):
    old, new = store_of(tmp_path / "all.zarr", 0, 4), store_of(tmp_path / "new.zarr", 4, 6)
    precious, mark = tmp_path / "precious", old / ".ncutils-growing"
    precious.write_text("precious")
    for make in (lambda: mark.symlink_to(precious), lambda: mark.symlink_to(tmp_path / "none"), lambda: os.mkfifo(mark), mark.mkdir):
        make()
        refused("--join", "time", new, old)
        assert precious.read_text() == "precious" and not (tmp_path / "none").exists()
        mark.rmdir() if mark.is_dir() else mark.unlink()
    for note in (b"\x00", b"{", b'{"version": 9}', b'{"version": 1, "documents": [["../../x", "1", "2"]], "arrays": {"/etc": {}}}'):
        store_of(old, 0, 4)
        mark.write_bytes(note)
        done = append("--join", "time", new, old)
        assert done.returncode == (1 if b"version" in note else 0), (note, done.stderr)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["all.zarr", "new.zarr", "precious"]


@pytest.mark.parametrize("index", [[zarr.codecs.BytesCodec()], [zarr.codecs.BytesCodec(endian="big"), zarr.codecs.Crc32cCodec()]])
def test_shards_of_another_form_are_refused(tmp_path, index):
    codec = zarr.codecs.ShardingCodec(chunk_shape=(1,), index_codecs=index)
    made = [store_of(tmp_path / f"{n}.zarr", n, n + 4, zarr_format=3, serializer=codec, compressors=None) for n in (0, 4)]
    before = keys_of(made[0])
    assert "variable v: its codecs is" in refused("--join", "time", made[1], made[0])
    assert keys_of(made[0]) == before


def test_links_to_other_files_stay(tmp_path):
    for name, first in (("all", 0), ("new", 10)):
        with h5py.File(by_h5py(tmp_path / f"{name}.h5", first, 10, "v108"), "r+") as out:
            out["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
    with h5py.File(tmp_path / "other.h5", "w") as out:
        out["x"] = [1, 2, 3]
    appended("--join", "time", tmp_path / "new.h5", tmp_path / "all.h5")
    assert is_whole(found("v108", tmp_path / "all.h5"), 20)
    with h5py.File(tmp_path / "all.h5") as read:
        assert list(read["elsewhere"]) == [1, 2, 3]


def test_strings_of_a_fixed_length_are_refused(tmp_path):
    for name, first in (("all", 0), ("new", 3)):
        with h5py.File(tmp_path / f"{name}.h5", "w") as out:
            out.create_dataset("time", data=first + np.arange(3), maxshape=(None,), chunks=(2,)).make_scale("time")
            out.create_dataset("code", data=np.array([b"abc"] * 3), maxshape=(None,), chunks=(2,)).dims[0].attach_scale(out["time"])
    assert "variable code: adding to strings of a fixed length" in refused("--join", "time", tmp_path / "new.h5", tmp_path / "all.h5")


def test_a_pipe_does_not_grow(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "only files and folders grow" in refused(netcdf(tmp_path / "new.nc", 0, 3, "NETCDF4"), tmp_path / "pipe")


@pytest.mark.parametrize("version", ["earliest", "v108", "latest"])
def test_what_does_not_grow_stays(tmp_path, version):
    """Each layout, links in circles, dense attributes, committed types, data of varying length."""
    with h5py.File(tmp_path / "source.h5", "w") as out:
        out["d"] = np.arange(20)
    for name, first, count in (("all.h5", 0, 10), ("new.h5", 10, 7)):
        with h5py.File(tmp_path / name, "w", libver=version) as out:
            time = out.create_dataset("time", data=first + np.arange(count), maxshape=(None,), chunks=(4,))
            time.make_scale("time")
            v = out.create_dataset("v", data=(first + np.arange(count)) * 1.5, maxshape=(None,), chunks=(3,))
            v.dims[0].attach_scale(time)
            for n in range(12):
                v.attrs[f"a{n}"] = np.arange(n + 1)
            v.attrs["large"] = np.arange(5000)
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple((5,))
            compact = h5py.h5d.create(out.id, b"compact", h5py.h5t.NATIVE_INT32, space, properties)
            compact.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(5, dtype="i4"))
            out.create_dataset("external", shape=(10,), dtype="i4", external=[(str(tmp_path / f"{name}.raw"), 0, 40)])[:] = np.arange(10)
            layout = h5py.VirtualLayout((20,), dtype="i8")
            layout[:] = h5py.VirtualSource(str(tmp_path / "source.h5"), "d", (20,))
            out.create_virtual_dataset("virtual", layout)
            out["g/loop"] = h5py.SoftLink("/g")
            out["g/self"] = out["g"]
            out["empty"] = h5py.Empty("f4")
            out["type"] = np.dtype([("a", "i4"), ("b", "f8")])
            out.create_dataset("compound", data=np.zeros(3, out["type"].dtype), dtype=out["type"])
            lists = out.create_dataset("lists", (2,), dtype=h5py.vlen_dtype("i4"))
            lists[0], lists[1] = np.arange(3), np.arange(5)
            for n in range(30):
                out[f"many/x{n}"] = n
    appended("--join", "time", "--data-dir", tmp_path, tmp_path / "new.h5", tmp_path / "all.h5")
    with h5py.File(tmp_path / "all.h5") as read:
        assert (read["v"][:] == np.arange(17) * 1.5).all()
        assert len(read["v"].attrs) == 14 and (read["v"].attrs["large"] == np.arange(5000)).all()
        assert (read["compact"][:] == np.arange(5)).all() and (read["external"][:] == np.arange(10)).all()
        assert (read["virtual"][:] == np.arange(20)).all()
        assert read["g/loop/self"] == read["g"] and read["empty"].shape is None
        assert read["compound"].id.get_type().committed() and (read["lists"][1] == np.arange(5)).all()
        assert [read[f"many/x{n}"][()] for n in range(30)] == list(range(30))


def classic_days(path, first, count):
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as out:
        out.createDimension("time", None)
        for name in ("a", "b"):
            out.createVariable(name, "i4", ("time",))[:] = first + np.arange(count)
    return path


def test_a_streamed_count_is_written_first(tmp_path):
    """A header without the number of records leaves it to the size of the file, which changes first."""
    old, new = classic_days(tmp_path / "all.nc", 0, 5), classic_days(tmp_path / "new.nc", 5, 3)
    with open(old, "r+b") as file:
        file.seek(4)
        file.write(b"\xff" * 4)
    streamed = old.read_bytes()
    for time in range(1, 4):
        old.write_bytes(streamed)
        process = stopped("write", "nccopy", "--append", new, old, time=time)
        if process:
            process.kill()
            process.wait()
            length = subprocess.run([BIN / "ncdump", "-h", old], capture_output=True, text=True).stdout
            assert "(5 currently)" in length, length
            appended(new, old)
        with netCDF4.Dataset(old) as read:
            assert list(read["b"][:]) == list(range(8))


def test_truncated_classic_files_are_refused(tmp_path):
    old, new = classic_days(tmp_path / "all.nc", 0, 5), classic_days(tmp_path / "new.nc", 5, 3)
    cut = old.read_bytes()[:-4]
    old.write_bytes(cut)
    assert "truncated" in refused(new, old)
    assert old.read_bytes() == cut


def test_a_plan_writes_nothing(tmp_path):
    old, new = store_of(tmp_path / "all.zarr", 0, 4), store_of(tmp_path / "new.zarr", 4, 6)
    before = {key: (old / key).read_bytes() for key in keys_of(old)}
    assert "v " in appended("--dry-run", "--join", "time", new, old).stdout
    assert {key: (old / key).read_bytes() for key in keys_of(old)} == before


@pytest.mark.parametrize("name", ["refs.json", "refs.json.zst", "refs.parq"])
@pytest.mark.parametrize("options", [[], ["--join", "time"]], ids=["", "join"])
def test_references_of_kerchunk_are_joined_instead(tmp_path, name, options):
    path = netcdf(tmp_path / "a.nc", 0, 5, "NETCDF4")
    nccopy(path, tmp_path / name)
    told = nccopy("--append", *options, path, tmp_path / name, ok=False)
    assert f"{name}: nothing is added to references of kerchunk; make new ones of these and the others: nccopy --join DIM" in told


def test_virtual_datasets_are_not_added_to(tmp_path):
    path = netcdf(tmp_path / "a.nc", 0, 5, "NETCDF4")
    with h5py.File(path) as f:
        layout = h5py.VirtualLayout(f["v"].shape, "f4", maxshape=(None, *f["v"].shape[1:]))
        layout[:] = h5py.VirtualSource(f["v"])
    shutil.copy(path, tmp_path / "virtual.nc")
    with h5py.File(tmp_path / "virtual.nc", "r+") as f:
        fill = f["v"].attrs["_FillValue"]
        del f["v"]
        virtual = f.create_virtual_dataset("v", layout, fillvalue=fill[0])
        virtual.attrs["_FillValue"] = fill
        for n, dim in enumerate(("time", "x")):
            virtual.dims[n].attach_scale(f[dim])
    later = netcdf(tmp_path / "b.nc", 5, 3, "NETCDF4")
    told = nccopy("--quiet", "--append", "--join", "time", later, tmp_path / "virtual.nc", ok=False)
    assert "variable v: adding to a virtual dataset, whose data lies in other files; a copy holds the data, and grows" in told
