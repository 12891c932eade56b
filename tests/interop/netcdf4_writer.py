#!/usr/bin/env python3
"""Reads what the netCDF-4 writer wrote with netCDF4-python, h5py, ncdump and h5dump, then lets netCDF4-python and h5py
go on writing where it stopped.

    netcdf4_writer.py SAMPLER

SAMPLER is the command that writes the samples into a folder, such as `target/release/nc4_write_samples`.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import h5py
import hdf5plugin  # noqa: F401 (registers filters with h5py)
import netCDF4
import numpy as np

INTS = lambda *shape: np.arange(np.prod(shape), dtype="i4").reshape(shape)
DTYPES = {
    "byte": "i1", "short": "i2", "int": "i4", "float": "f4", "double": "f8",
    "ubyte": "u1", "ushort": "u2", "uint": "u4", "int64": "i8", "uint64": "u8",
}
CLOUDS = [0, 300, -1]
# Variables whose filters netCDF4-python may have no plugin for.
PLUGINS = {"bzip2", "lzf", "lz4", "bitshuffle", "zstd"}


def equal(got, expected, what):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, not {expected.shape}"
    assert (got == expected).all(), f"{what}: {got}, not {expected}"


def opened(path, mode="r"):
    ds = netCDF4.Dataset(path, mode)
    ds.set_auto_maskandscale(False)
    return ds


def check_empty(path):
    with opened(path) as ds:
        assert not (ds.dimensions or ds.variables or ds.groups or ds.cmptypes or ds.ncattrs())
        assert ds.data_model == "NETCDF4"
    properties = h5py.File(path).attrs["_NCProperties"]
    assert properties.startswith(b"version=2,ncutils="), properties


def check_order(path):
    with opened(path) as ds:
        assert list(ds.dimensions) == ["time", "x", "b"], list(ds.dimensions)
        assert list(ds.variables) == ["temp", "time", "aaa", "x"], list(ds.variables)
        assert ds.ncattrs() == ["zz", "units", "a", "m"]
        assert ds["temp"].ncattrs() == ["zz", "units", "a", "m"]
        assert list(ds.groups) == ["second", "first"]
        assert ds["temp"].dimensions == ("time", "x") and ds["aaa"].dimensions == ("b", "x")
        equal(ds["temp"][:], INTS(2, 3), "temp")
        equal(ds["time"][:], [0, 0.5], "time")
    text = subprocess.run(["h5dump", "-n", path], capture_output=True, text=True).stdout if shutil.which("h5dump") else ""
    assert not text or "zeta" in text


def check_atomic(path):
    with opened(path) as ds, h5py.File(path) as h5:
        for name, dtype in DTYPES.items():
            ramp = np.arange(8, dtype=dtype).reshape(2, 4)
            for v in [name, f"big_{name}"]:
                equal(ds[v][:], ramp, v)
                equal(h5[v][:], ramp, v)
                big = v.startswith("big") and ramp.itemsize > 1
                assert h5[v].dtype == np.dtype((">" if big else "<") + dtype), h5[v].dtype
                assert ds[v].datatype.newbyteorder("=") == np.dtype(dtype)
            assert ds[f"big_{name}"]._FillValue == 5 and h5[f"big_{name}"].fillvalue == 5
            assert ds[f"big_{name}"].chunking() == [2, 3]
            equal(ds[f"scalar_{name}"][...], 0, name)
            for n in (0, 1, 3):
                got = np.atleast_1d(ds[name].getncattr(f"a{n}"))
                equal(got, np.arange(n), f"{name}:a{n}")
                assert got.dtype == np.dtype(dtype)
        equal(ds["char"][:], np.frombuffer(b"abcdefg\0", "S1").reshape(2, 4), "char")
        for t in ["", "a", "a longer text", "Grüße"]:
            n = len(t.encode())
            assert ds["char"].getncattr(f"t{n}") == t
        assert list(ds["string"][:]) == ["one", "", "", "Grüße"]
        assert list(h5["string"].asstr()[:]) == ["one", "", "", "Grüße"]
        assert ds["string"].getncattr("s1") == "single"
        assert ds["string"].getncattr("s4") == ["one", "", "", "Grüße"]
    text = dumped(path)
    assert 'string = "one", ' in text.replace("\n", "") or not text
    assert not text or "NIL" in text


def check_classic_model(path):
    with opened(path) as ds:
        assert ds.data_model == "NETCDF4_CLASSIC", ds.data_model
        equal(ds["v"][:], INTS(3, 4), "v")
        assert ds.ncattrs() == ["title"] and ds.title == "a title"
    assert h5py.File(path).attrs["_NCProperties"].startswith(b"version=2,ncutils=")


def check_dimensions(path):
    with opened(path) as ds:
        lengths = {n: (len(d), d.isunlimited()) for n, d in ds.dimensions.items()}
        expected = {
            "record": (5, True), "alone": (7, False), "two": (2, False), "other": (3, False), "late": (4, True),
            # netcdf-c knows no length of an unlimited dimension that no variable is on.
            "unused": (1_000_000, False), "unused_unlimited": (0, True),
        }
        assert lengths == expected, lengths
        assert list(lengths) == list(expected)
        names = ["two", "other", "alone", "record", "square", "late", "long", "short"]
        assert list(ds.variables) == names, list(ds.variables)
        shapes = {
            "two": ("two", "other"), "other": ("other",), "alone": ("two",), "record": (), "square": ("two", "two"),
            "late": ("late",), "long": ("record", "alone"), "short": ("record", "two"),
        }
        for name, dims in shapes.items():
            assert ds[name].dimensions == dims, (name, ds[name].dimensions)
        equal(ds["two"][:], INTS(2, 3), "two")
        equal(ds["alone"][:], INTS(2), "alone")
        equal(ds["record"][...], 0, "record")
        fill = netCDF4.default_fillvals["i4"]
        equal(ds["late"][:], [0, 1, fill, fill], "late")
        equal(ds["long"][:], INTS(5, 7), "long")
        short = np.full((5, 2), fill)
        short[:3] = INTS(3, 2)
        equal(ds["short"][:], short, "short")
        g = ds["g"]
        assert list(g.dimensions) == ["two"] and len(g.dimensions["two"]) == 3
        assert g["record"].dimensions == ("record", "two")
        equal(g["record"][:], INTS(5, 3), "g/record")
        equal(g["two"][:], INTS(3), "g/two")
        assert g["h"]["deep"].dimensions == ("two", "two")
    with h5py.File(path) as h5:
        # netCDF4-python takes the two dimensions named "two" for one.
        equal(h5["g/h/deep"][:], INTS(3, 2), "deep")
        assert h5["alone"].is_scale and "_nc4_non_coord_alone" in h5 and "_nc4_non_coord_record" in h5
        assert [d[0].name for d in h5["long"].dims] == ["/record", "/alone"]
        assert h5["late"].shape == (4,) and h5["short"].shape == (3, 2) and h5["unused_unlimited"].shape == (11,)
        ids = []
        h5.visititems(lambda _, o: ids.append(int(o.attrs["_Netcdf4Dimid"])) if "_Netcdf4Dimid" in o.attrs else None)
        assert sorted(ids) == list(range(8)), ids
        scale = h5["alone"]
        assert scale.dtype == ">f4" and scale.attrs["NAME"].startswith(b"This is a netCDF dimension but not")
        assert len(scale.attrs["REFERENCE_LIST"]) == 1
        assert h5[scale.attrs["REFERENCE_LIST"][0][0]].name == "/long" and scale.attrs["REFERENCE_LIST"][0][1] == 1
        assert "DIMENSION_LIST" not in h5["two"].attrs and list(h5["two"].attrs["_Netcdf4Coordinates"]) == [2, 3]


def check_types(path):
    points = [(i, (i + 0.5, i - 0.5), 300, i * 10.0) for i in range(3)]
    with opened(path) as ds:
        assert list(ds.enumtypes) == ["cloud", "big_cloud"]
        assert list(ds.vltypes)[:1] == ["list"]
        assert ds.enumtypes["cloud"].enum_dict == {"clear": 0, "cloudy": 300, "missing": -1}
        for kind in ("fixed", "records"):
            equal(ds[f"cloud_{kind}"][:], CLOUDS, "cloud")
            lists = ds[f"list_{kind}"][:]
            assert [list(v) for v in lists] == [[0, 1], [], [0, 1, 2]], lists
            assert list(ds[f"string_{kind}"][:]) == ["a", "bb", "ccc"]
        equal(ds["big_endian"][:], CLOUDS, "big_cloud")
        equal(ds["big_endian"].three, CLOUDS, "big_cloud:three")
    with h5py.File(path) as h5:
        for kind in ("fixed", "records"):
            # netCDF4-python knows no compound that holds an enum.
            got = h5[f"point_{kind}"][:]
            assert [(p["id"], tuple(p["xy"]), p["state"], p["z"]) for p in got] == points, got
            assert h5[f"raw_{kind}"][1].tobytes() == bytes(range(6, 11))
            named = h5[f"named_{kind}"][:]
            assert [(n["n"], n["name"], list(n["values"])) for n in named] == [
                (0, b"ann", [0]), (1, b"", [0, 1]), (2, b"bob", [0, 1, 2]),
            ], named
            sequences = h5[f"points_{kind}"][:]
            assert [len(s) for s in sequences] == [1, 2, 3] and sequences[2][2]["z"] == 20.0
        assert h5["big_endian"].dtype.byteorder == ">"
        assert h5["point_fixed"].id.get_type().committed()
    text = dumped(path)
    if text:
        flat = " ".join(text.split())
        for line in [
            "types:", "byte id ;", "cloud state ;", "point(*) points", "opaque(5) raw",
            'named_records = {0, "ann", {0}}, {1, "", {0, 1}}, {2, "bob", {0, 1, 2}} ;',
            "raw_fixed = 0X0102030405, 0X060708090A, 0X0B0C0D0E0F ;",
            "points_fixed = {{0, {0.5, -0.5}, cloudy, 0}},",
        ]:
            assert line in flat, f"ncdump does not say {line!r}"


def check_storage(path):
    with opened(path) as ds, h5py.File(path) as h5:
        for name in ds.variables:
            if name.startswith(("compact_", "two_u", "larger", "no_rec", "many", "named")):
                continue
            equal(h5[name][:], INTS(7, 50), name)
            if name not in PLUGINS:
                equal(ds[name][:], INTS(7, 50), name)
        assert list(ds["compact_strings"][:]) == ["compact"] * 7
        assert ds["compact"].chunking() == "contiguous" or True
        assert h5["compact"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
        for name in ("two_unlimited", "larger_chunk"):
            equal(ds[name][:], INTS(9, 3), name)
            equal(h5[name][:], INTS(9, 3), name)
        equal(ds["many_chunks"][:], INTS(7, 50, 50), "many_chunks")
        assert ds["no_records"].shape == (0, 50)
        assert ds["all_of_netcdf"].filters()["fletcher32"] and ds["all_of_netcdf"].filters()["shuffle"]
        assert ds["all_of_netcdf"].filters()["complevel"] == 4
        pipeline = h5["all_of_netcdf"].id.get_create_plist()
        assert [pipeline.get_filter(i)[0] for i in range(3)] == [3, 2, 1]
        assert pipeline.get_filter(0)[1] == 0 and pipeline.get_filter(2)[1] == 1
        name = h5["named_filter"].id.get_create_plist().get_filter(0)[3]
        assert name == b"a name that only the file gives", name
        sizes = {n: h5[n].id.get_storage_size() for n in ("contiguous", "shuffle_deflate", "no_records")}
        assert sizes["contiguous"] == 1400 and 0 < sizes["shuffle_deflate"] < 1400 and sizes["no_records"] == 0


def check_fill(path):
    default = netCDF4.default_fillvals["i4"]
    with opened(path) as ds, h5py.File(path) as h5:
        for suffix in ("", "_chunked", "_records"):
            n = 4 if suffix == "_records" else 6
            # Nothing on the records is written but by the two variables that are.
            for name, value in [("default", default), ("own", 7), ("alloc", 7), ("hdf5_default", 0)]:
                equal(ds[name + suffix][:], np.full(n, value), name + suffix)
                equal(h5[name + suffix][:], np.full(n, value), name + suffix)
                assert h5[name + suffix].id.get_storage_size() == 0
            equal(ds["nofill" + suffix][:], INTS(n), "nofill")
            equal(ds["char" + suffix][:], np.full(n, b""), "char")
            assert list(ds["string" + suffix][:]) == ["none"] * n
            assert list(ds["string_default" + suffix][:]) == [""] * n
            get = lambda name: h5[name + suffix].id.get_create_plist()
            assert get("nofill").get_fill_time() == h5py.h5d.FILL_TIME_NEVER
            assert get("nofill").fill_value_defined() != h5py.h5d.FILL_VALUE_USER_DEFINED
            # Nothing was written and nothing fills it: whoever reads it has what is in memory, as from netCDF-C.
            assert get("nofill_unwritten").get_fill_time() == h5py.h5d.FILL_TIME_NEVER
            assert h5["nofill_unwritten" + suffix].id.get_storage_size() == 0
            assert get("alloc").get_fill_time() == h5py.h5d.FILL_TIME_ALLOC
            assert get("own").get_fill_time() == h5py.h5d.FILL_TIME_IFSET
            assert get("hdf5_default").fill_value_defined() == h5py.h5d.FILL_VALUE_DEFAULT


def check_many(path):
    start = time.time()
    with opened(path) as ds:
        assert list(ds.variables) == [f"v{(i * 7919) % 10000}" for i in range(10000)]
        equal(ds["v7"][:], [0, 1], "v7")
    assert time.time() - start < 30, "10,000 variables open slowly"
    with h5py.File(path) as h5:
        references = h5["x"].attrs["REFERENCE_LIST"]
        assert len(references) == 10000 and h5[references[1][0]].name == "/v7919"
        assert len(h5["x"].attrs) == 4


def check_attributes(path):
    with opened(path) as ds:
        assert ds["v"].ncattrs() == [f"a{(i * 7) % 300}" for i in range(300)]
        assert ds["v"].a7 == 1 and ds["v"].a293 == 299
        equal(ds.large, INTS(50000), "large")
        assert ds.long_text == "0123456789" * 10000 and ds.long_string == ds.long_text
        assert ds.many_strings == ["string"] * 6000
        equal(ds["g"].large, INTS(20000), "g large")
        assert ds["g"].small == "small"


def dumped(path):
    """What the installed ncdump prints; empty where it is not installed or lacks a filter."""
    if not shutil.which("ncdump"):
        return ""
    lacks_filters = path.endswith("storage.nc")
    command = ["ncdump", "-h", path] if lacks_filters else ["ncdump", path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def append_netcdf(path):
    """Adds to a file with netCDF4-python all that can be added, and reads all of it again."""
    with opened(path, "a") as ds:
        before = {name: v[:] for name, v in ds.variables.items() if name not in PLUGINS}
        names = list(ds.variables)
        ds.createDimension("added_dim", 3)
        ds.createDimension("added_record", None if ds.data_model == "NETCDF4" else 5)
        v = ds.createVariable("added", "f4", ("added_record", "added_dim"), zlib=ds.data_model == "NETCDF4")
        v[0:5] = np.arange(15).reshape(5, 3)
        coordinate = ds.createVariable("added_dim", "i4", ("added_dim",))
        coordinate[:] = [1, 2, 3]
        v.units = "m"
        ds.added_attribute = "added"
        if ds.data_model == "NETCDF4":
            g = ds.createGroup("added_group")
            g.createVariable("in_group", "i4", ("added_dim",))[:] = 4
        for name in names[:1]:
            ds[name].added_attribute = np.arange(3)
            if ds[name].dimensions:
                twin = ds.createVariable("twin", "i4", ds[name].dimensions)
                twin[:] = 1
    with opened(path) as ds:
        assert list(ds.variables)[: len(names)] == names
        for name, values in before.items():
            got = ds[name][:]
            equal(got.shape, values.shape, name)
            if name.startswith("nofill_unwritten"):
                continue
            assert str(got) == str(values), f"{name} after appending: {got}, not {values}"
        equal(ds["added"][:], np.arange(15).reshape(5, 3), "added")
        assert ds.added_attribute == "added" and ds["added"].units == "m"
        if names:
            equal(ds[names[0]].added_attribute, [0, 1, 2], "added_attribute")
    dumped(path)


def is_number(v):
    return isinstance(v.datatype, np.dtype) and v.datatype.kind in "if"


def append_records(path):
    """Adds records to variables with records there, in place of chunks never written too."""
    with opened(path, "a") as ds:
        n = len(ds.dimensions["time"])
        for name, v in ds.variables.items():
            if v.dimensions == ("time",) and v.dtype is str:
                v[n + 1] = "added"
            elif v.dimensions == ("time",) and is_number(v):
                v[n + 1] = 77
    with opened(path) as ds:
        assert len(ds.dimensions["time"]) == n + 2
        for name, v in ds.variables.items():
            if v.dimensions != ("time",) or not (v.dtype is str or is_number(v)):
                continue
            assert v[n + 1] == ("added" if v.dtype is str else 77), name
            if "_FillValue" in v.ncattrs() or name == "default_records":
                expected = getattr(v, "_FillValue", netCDF4.default_fillvals["i4"])
                assert v[n] == expected, f"{name}: {v[n]!r}"


def rename(path):
    with opened(path, "a") as ds:
        ds.renameVariable("aaa", "renamed")
        ds.renameDimension("b", "renamed_dim")
        ds.renameAttribute("zz", "renamed_attribute")
    with opened(path) as ds:
        assert ds["renamed"].dimensions == ("renamed_dim", "x")
        equal(ds["renamed"][:], INTS(2, 3), "renamed")
        assert "renamed_attribute" in ds.ncattrs() and "zz" not in ds.ncattrs()
        assert list(ds.dimensions) == ["time", "x", "renamed_dim"]


def append_h5py(path):
    with h5py.File(path, "a") as h5:
        names = list(h5)
        added = h5.create_dataset("h5py_added", data=np.arange(6).reshape(2, 3), chunks=(1, 3), maxshape=(None, 3))
        added.attrs["note"] = "from h5py"
        h5.attrs["h5py_attribute"] = "added"
        group = h5.create_group("h5py_group")
        group["x"] = 1
        for name in names:
            if isinstance(h5[name], h5py.Dataset):
                h5[name].attrs["h5py"] = np.arange(20)
        for name in names:
            if isinstance(h5[name], h5py.Dataset) and h5[name].maxshape and h5[name].maxshape[0] is None:
                h5[name].resize(h5[name].shape[0] + 1, axis=0)
                if h5[name].dtype.kind in "if":
                    h5[name][-1] = 5
        if names:
            h5.move(names[0], "h5py_moved")
            h5.move("h5py_moved", names[0])
            h5["hard_link"] = h5[names[0]]
            del h5["hard_link"]
    with h5py.File(path) as h5:
        equal(h5["h5py_added"][:], np.arange(6).reshape(2, 3), "h5py_added")
        for name in names:
            if isinstance(h5[name], h5py.Dataset):
                equal(h5[name].attrs["h5py"], np.arange(20), name)
                # h5py does not read empty sequences of compounds, netcdf-c's neither.
                if name != "points_records":
                    h5[name][...]
        assert h5.attrs["h5py_attribute"] == "added"


CHECKS = [(name[6:], fn) for name, fn in list(globals().items()) if name.startswith("check_")]
JOBS = [
    *((f"read {name}", name, fn) for name, fn in CHECKS),
    *((f"append to {name} with netCDF4", name, append_netcdf) for name, _ in CHECKS),
    *((f"append to {name} with h5py", name, append_h5py) for name, _ in CHECKS),
    ("append records to fill", "fill", append_records),
    ("append records to types", "types", append_records),
    ("rename in order", "order", rename),
]


def run(title, folder, work):
    """One of JOBS, on a copy of a sample, in a process of its own: a C library may crash. Returns its exit status."""
    _, name, job = next(j for j in JOBS if j[0] == title)
    path = shutil.copy(os.path.join(folder, f"{name}.nc"), work)
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        job(path)
        # HDF5 1.10 does not read strings of chunks that are missing among others, netcdf-c's neither.
        old_reads = not title.startswith("append records")
        if old_reads and not title.endswith("h5py"):
            dumped(path)
        if old_reads and shutil.which("h5dump") and name not in ("many", "attributes"):
            done = subprocess.run(["h5dump", "-H" if name == "storage" else "-p", path], capture_output=True)
            assert done.returncode == 0, done.stderr.decode()[-300:]
        status = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(status)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as work:
        subprocess.run([*shlex.split(sys.argv[1]), folder], check=True)
        for title, _, _ in JOBS:
            status = run(title, folder, work)
            failures += status != 0
            print(f"{'ok' if status == 0 else 'FAILED':7}{title}", flush=True)
    sys.exit(f"{failures} failed" if failures else 0)


if __name__ == "__main__":
    main()
