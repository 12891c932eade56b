"""Every rule of nccopy about -F, -d, -s, -c, -u, -M, selections and kinds; h5py reads the results back."""

import os
import subprocess
import sys

import h5py
import hdf5plugin  # registers filters
import netCDF4
import numpy as np
import pytest
from conftest import compare, nccopy

DATA = np.sin(np.arange(3 * 20 * 30) / 9).astype("f4").reshape(3, 20, 30)
SHUFFLE, DEFLATE, FLETCHER, SZIP, BZIP2, ZSTD = 2, 1, 3, 4, 307, 32015


@pytest.fixture(scope="module")
def nc4(tmp_path_factory):
    """var deflated, raw not; both chunked; plain contiguous; scalar; a group with a variable."""
    path = tmp_path_factory.mktemp("rules") / "in.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", None)
        d.createDimension("y", 20)
        d.createDimension("x", 30)
        shape = ("t", "y", "x")
        d.createVariable("var", "f4", shape, chunksizes=(1, 10, 15), compression="zlib", complevel=3)[0:3] = DATA
        d.createVariable("raw", "f4", shape, chunksizes=(1, 10, 15))[0:3] = DATA
        d.createVariable("both", "f4", shape, chunksizes=(1, 10, 15), compression="zlib", fletcher32=True)[0:3] = DATA
        d.createVariable("plain", "f4", ("y", "x"), contiguous=True)[:] = DATA[0]
        d.createVariable("small", "f4", ("y", "x"), chunksizes=(5, 7))[:] = DATA[0]
        d.createVariable("bytes", "i1", ("y", "x"), chunksizes=(5, 7))[:] = 3
        d.createVariable("scalar", "f4", ())[...] = 1
        d.createVariable("text", str, ("y",))[:] = np.array(["a"] * 20, object)
        g = d.createGroup("g")
        g.createVariable("var", "f4", ("y", "x"), chunksizes=(5, 7), compression="zlib", complevel=3)[:] = DATA[0]
    return path


@pytest.fixture(scope="module")
def nc3(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "in3.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as d:
        d.createDimension("t", None)
        d.createDimension("y", 20)
        d.createDimension("x", 30)
        d.createVariable("rec", "f4", ("t", "y", "x"))[0:3] = DATA
        d.createVariable("plain", "f4", ("y", "x"))[:] = DATA[0]
        d.createVariable("t", "f8", ("t",))[:] = [1, 2, 3]
    return path


def filters(path, name):
    with h5py.File(path) as f:
        plist = f[name].id.get_create_plist()
        return [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]


def parameters(path, name):
    with h5py.File(path) as f:
        plist = f[name].id.get_create_plist()
        return [plist.get_filter(i)[2] for i in range(plist.get_nfilters())]


def flags(path, name):
    with h5py.File(path) as f:
        plist = f[name].id.get_create_plist()
        return [plist.get_filter(i)[1] for i in range(plist.get_nfilters())]


def chunks(path, name):
    with h5py.File(path) as f:
        return f[name].chunks


def kind(path):
    with netCDF4.Dataset(path) as d:
        return d.data_model


def copied(source, tmp_path, *arguments):
    target = tmp_path / "out.nc"
    nccopy(*arguments, source, target)
    if kind(target).startswith("NETCDF4"):
        with h5py.File(target) as f:
            for name in ("var", "raw", "both"):
                if name in f and f[name].shape == DATA.shape:
                    np.testing.assert_array_equal(f[name][()], DATA)
    return target


# The table of -F: with `-F none`, with `-F var,…`, what the input has, what the output has.
@pytest.mark.parametrize("star", ["none", "*,none"])
@pytest.mark.parametrize(
    "named, source, wanted",
    [
        (None, "var", []),
        (None, "raw", []),
        ("none", "var", []),
        ("none", "raw", []),
        ("307,9", "var", [BZIP2]),
        ("307,9", "raw", [BZIP2]),
    ],
)
def test_table_with_none(nc4, tmp_path, star, named, source, wanted):
    for order in (0, 1):
        arguments = [["-F", star], ["-F", f"{source},{named}"] if named else []]
        target = copied(nc4, tmp_path, *arguments[order], *arguments[1 - order])
        assert filters(target, source) == wanted
        assert filters(target, "both") == []


@pytest.mark.parametrize(
    "named, source, wanted",
    [
        (None, "var", [SHUFFLE, DEFLATE]),
        ("none", "var", []),
        ("307,9", "raw", [BZIP2]),
        (None, "raw", []),
        ("none", "raw", []),
        ("307,9", "var", [BZIP2]),
    ],
)
def test_table_without_none(nc4, tmp_path, named, source, wanted):
    target = copied(nc4, tmp_path, *(["-F", f"{source},{named}"] if named else []))
    assert filters(target, source) == wanted
    assert filters(target, "both") == [FLETCHER, SHUFFLE, DEFLATE]
    other = "raw" if source == "var" else "var"
    assert filters(target, other) == filters(nc4, other)
    assert chunks(target, "small") == (5, 7)


@pytest.mark.parametrize("spec, wanted, stored", [
    ("var,1,9", [DEFLATE], [(9,)]),
    ("var,2|1,5", [SHUFFLE, DEFLATE], [(4,), (5,)]),
    ("var,1,5|2|3", [FLETCHER, SHUFFLE, DEFLATE], [(), (4,), (5,)]),
    ("var,307,9", [BZIP2], [(9,)]),
    ("var,32015,3", [ZSTD], [(3,)]),
    ("var,32015,-1", [ZSTD], [(4294967295,)]),
    ("var,4,32,32", [SZIP], [(169, 32, 32, 15)]),
    ("var,4,4,8", [SZIP], None),
    ("var,307,1|32015,1|307,9", [BZIP2, ZSTD], [(9,), (1,)]),
])
def test_pipelines(nc4, tmp_path, spec, wanted, stored):
    target = copied(nc4, tmp_path, "-F", spec)
    assert filters(target, "var") == wanted
    if spec == "var,4,32,32":
        # Only the scanline depends on the chunk.
        assert parameters(target, "var")[0][:3] == (169, 32, 32)
    elif stored is not None:
        assert parameters(target, "var") == stored
    assert flags(target, "var") == [0 if i == FLETCHER else 1 for i in wanted]


def test_szip_stores_what_the_c_library_stores(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("y", 100)
        d.createDimension("x", 80)
        d.createVariable("v", "f4", ("y", "x"), chunksizes=(100, 80))[:] = np.arange(8000).reshape(100, 80)
    nccopy("-F", "v,4,32,32", source, target)
    assert parameters(target, "v") == [(169, 32, 32, 80)]


def test_names_groups_and_star(nc4, tmp_path):
    target = copied(nc4, tmp_path, "-F", "var&/g/var&plain,307,9")
    assert filters(target, "var") == filters(target, "g/var") == filters(target, "plain") == [BZIP2]
    assert chunks(target, "plain") == (20, 30)
    assert filters(target, "both") == [FLETCHER, SHUFFLE, DEFLATE]
    target = copied(nc4, tmp_path, "-F", "*,32015,1", "-F", "var,307,9", "-F", "raw,307,2", "-F", "raw,none")
    assert filters(target, "g/var") == filters(target, "plain") == [ZSTD]
    assert filters(target, "var") == [BZIP2]
    assert filters(target, "raw") == filters(target, "scalar") == []


@pytest.mark.parametrize("spec, says", [
    ("absent,307,9", "absent"),
    ("scalar,307,9", "scalar"),
    ("var,307,9|", "|"),
    ("var,307,,9", ""),
    ("var,0x33,9", ""),
    ("var,307,300b", "300b"),
    ("var,", ""),
    ("var", ""),
    (",307,9", ""),
    ("var,99999999,1", ""),
])
def test_bad_filters(nc4, tmp_path, spec, says):
    target = tmp_path / "out.nc"
    assert says in nccopy("-F", spec, nc4, target, ok=False)
    assert not target.exists()


@pytest.mark.parametrize("constant, words", [
    ("-17b", [2**32 - 17]),
    ("23ub", [23]),
    ("-25S", [2**32 - 25]),
    ("27US", [27]),
    ("-77", [2**32 - 77]),
    ("77", [77]),
    ("93U", [93]),
    ("789f", [int(np.float32(789).view("u4"))]),
    ("12345678.12345678d", [int(x) for x in np.float64(12345678.12345678).reshape(1).view("u4")]),
    ("-9223372036854775807L", [1, 2**31]),
    ("18446744073709551615UL", [2**32 - 1, 2**32 - 1]),
])
def test_constants(tmp_path, constant, words):
    # An unknown filter: its parameters are stored, and its chunks are never made as there is no data.
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("t", None)
        d.createVariable("v", "f4", ("t",))
    nccopy("-F", f"v,4000,{constant}", source, target)
    assert parameters(target, "v") == [tuple(words)]


def test_deflate_and_shuffle(nc4, tmp_path):
    every = lambda target: [filters(target, n) for n in ("var", "raw", "both", "plain", "scalar")]
    target = copied(nc4, tmp_path, "-d5", "-s")
    assert every(target) == [[2, 1], [2, 1], [3, 2, 1], [2, 1], []]
    assert parameters(target, "var") == [(4,), (5,)]
    assert every(copied(nc4, tmp_path, "-d", "5")) == [[1], [1], [3, 1], [1], []]
    assert every(copied(nc4, tmp_path, "-d0")) == [[], [], [3], [], []]
    assert every(copied(nc4, tmp_path, "-s")) == [[2, 1], [], [3, 2, 1], [], []]
    unshuffled = copied(nc4, tmp_path, "-d1").rename(tmp_path / "unshuffled.nc")
    assert every(copied(unshuffled, tmp_path, "-s")) == [[2, 1], [2, 1], [3, 2, 1], [2, 1], []]
    assert every(copied(nc4, tmp_path, "-d5", "-s", "-F", "var,307,9")) == [[307], [2, 1], [3, 2, 1], [2, 1], []]
    assert every(copied(nc4, tmp_path, "-d5", "-F", "none")) == [[], [], [], [], []]
    assert every(copied(nc4, tmp_path, "-d5", "-F", "*,32015,1")) == [[32015]] * 4 + [[]]


def test_deflate_keeps_up_with_zlib(nc4, tmp_path):
    import zlib

    big = tmp_path / "big.nc"
    data = (np.sin(np.arange(1 << 20) / 300) * 100 + np.random.default_rng(1).normal(0, 0.1, 1 << 20)).astype("f4")
    with netCDF4.Dataset(big, "w") as d:
        d.createDimension("x", 1 << 20)
        d.createVariable("v", "f4", ("x",), chunksizes=(1 << 18,))[:] = data
    shuffled = [c.view("u1").reshape(-1, 4).T.tobytes() for c in data.reshape(4, -1)]
    for level in range(1, 10):
        nccopy(f"-d{level}", "-s", big, tmp_path / "out.nc")
        with h5py.File(tmp_path / "out.nc") as f:
            ours = f["v"].id.get_storage_size()
        zlibs = sum(len(zlib.compress(c, level)) for c in shuffled)
        assert ours <= zlibs * 1.001, f"level {level}: {ours} bytes, zlib {zlibs}"


def test_chunk_specs(nc4, tmp_path):
    c = lambda *arguments: (lambda t: [chunks(t, n) for n in ("var", "plain", "small", "g/var")])(
        copied(nc4, tmp_path, *arguments)
    )
    assert c() == [(1, 10, 15), None, (5, 7), (5, 7)]
    assert c("-c", "y/4,x/") == [(1, 4, 30), (4, 30), (4, 30), (4, 30)]
    assert c("-c", "y/4", "-c", "x/3") == [(1, 4, 3), (4, 3), (4, 3), (4, 3)]
    assert c("-c", "t/100") == [(100, 10, 15), None, (5, 7), (5, 7)]
    assert c("-c", "t/") == [(3, 10, 15), None, (5, 7), (5, 7)]
    assert c("-c", "plain:6,7", "-c", "y/4,x/5") == [(1, 4, 5), (6, 7), (4, 5), (4, 5)]
    assert c("-c", "/g/var:1,2") == [(1, 10, 15), None, (5, 7), (1, 2)]
    assert c("-c", "small:") == [(1, 10, 15), None, None, (5, 7)]
    assert c("-c", "/") == [(1, 10, 15), None, None, None]
    assert c("-c", "//") == [(1, 10, 15), None, None, None]
    assert c("-c", "var:contiguous")[0] == (1, 10, 15)
    assert c("-c", "var:2,20,30")[0] == (2, 20, 30)
    assert c("-u", "-c", "t/2")[0] == (2, 10, 15)
    target = copied(nc4, tmp_path, "-c", "small:compact")
    with h5py.File(target) as f:
        assert f["small"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
        np.testing.assert_array_equal(f["small"][()], DATA[0])
    assert filters(copied(nc4, tmp_path, "-c", "/"), "g/var") == []
    assert filters(copied(nc4, tmp_path, "-c", "/", "-d1"), "g/var") == [DEFLATE]


@pytest.mark.parametrize("spec, says", [
    ("absent/3", "absent"), ("absent:3", "absent"), ("small:3", "2"), ("small:50,50", "50"), ("small:0,1", "0"), ("y", "y"),
])
def test_bad_chunk_specs(nc4, tmp_path, spec, says):
    assert says in nccopy("-c", spec, nc4, tmp_path / "out.nc", ok=False)
    assert not (tmp_path / "out.nc").exists()


def test_default_shapes_are_those_of_netcdf_c(tmp_path):
    source, target, theirs = tmp_path / "in.nc", tmp_path / "out.nc", tmp_path / "theirs.nc"
    shapes = {"a": (248, 361, 72), "b": (None, 3610, 7200), "c": (5_000_000,), "d": (None,), "e": (7, 33333, 3)}
    for path, format, kw in (source, "NETCDF3_64BIT_OFFSET", {}), (theirs, "NETCDF4", {"compression": "zlib"}):
        with netCDF4.Dataset(path, "w", format=format) as d:
            d.set_fill_off()
            d.createDimension("t", None)
            for name, shape in shapes.items():
                dims = []
                for i, n in enumerate(shape):
                    dims.append("t" if n is None else f"{name}{i}")
                    if n is not None:
                        d.createDimension(dims[-1], n)
                d.createVariable(name, "f4", dims, **kw)
    nccopy("-k", "nc4", "-d1", source, target)
    for name in shapes:
        assert chunks(target, name) == chunks(theirs, name)


def test_kinds(nc3, nc4, tmp_path):
    k = lambda source, *arguments: kind(copied(source, tmp_path, *arguments))
    assert k(nc3) == "NETCDF3_CLASSIC"
    assert k(nc4) == "NETCDF4"
    assert k(nc3, "-F", "*,307,9") == "NETCDF4"
    for arguments in (["-d1"], ["-s"], ["-c", "x/3"]):
        assert k(nc3, *arguments) == "NETCDF4_CLASSIC"
    nc7 = copied(nc3, tmp_path, "-7").rename(tmp_path / "nc7.nc")
    assert k(nc7, "-F", "*,307,9") == k(nc7, "-d1") == k(nc7) == "NETCDF4_CLASSIC"
    for flag, wanted in {
        "-3": "NETCDF3_CLASSIC", "-6": "NETCDF3_64BIT_OFFSET", "-5": "NETCDF3_64BIT_DATA", "-4": "NETCDF4",
        "-7": "NETCDF4_CLASSIC", "-knc3": "NETCDF3_CLASSIC", "-kclassic": "NETCDF3_CLASSIC", "-knc6": "NETCDF3_64BIT_OFFSET",
        "-k64-bit offset": "NETCDF3_64BIT_OFFSET", "-kcdf5": "NETCDF3_64BIT_DATA", "-knc5": "NETCDF3_64BIT_DATA",
        "-knetCDF-4": "NETCDF4", "-knc4": "NETCDF4", "-knc7": "NETCDF4_CLASSIC", "-knetCDF-4 classic model": "NETCDF4_CLASSIC",
        "-k1": "NETCDF3_CLASSIC", "-k2": "NETCDF3_64BIT_OFFSET", "-k3": "NETCDF4", "-k4": "NETCDF4_CLASSIC",
    }.items():
        for source in nc3, nc7:
            assert k(source, flag) == wanted
            code, text = compare(source, tmp_path / "out.nc")
            assert code == 0, text
    # Explicit, wherever it stands.
    assert k(nc3, "-d1", "-k", "nc4") == k(nc3, "-k", "nc4", "-d1") == "NETCDF4"
    assert k(nc3, "-F", "*,307,9", "-7") == "NETCDF4_CLASSIC"


@pytest.mark.parametrize("arguments, says", [
    (["-3"], "g"),
    (["-7"], "g"),
    (["-3", "-F", "*,307,9"], "-F"),
    (["-3", "-d1"], "-d"),
    (["-k", "nc9"], "nc9"),
    (["-d", "10"], "10"),
    (["-v", "absent"], "absent"),
    (["-G", "absent"], "absent"),
    (["-m", "x"], "x"),
])
def test_refused_before_anything_is_made(nc4, tmp_path, arguments, says):
    target = tmp_path / "out.nc"
    target.write_text("precious")
    assert says in nccopy(*arguments, nc4, target, ok=False)
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


def test_several_unlimited_dimensions(tmp_path):
    source = tmp_path / "in.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("t", None)
        d.createDimension("u", None)
        d.createVariable("v", "f4", ("t", "u"))[0:2, 0:3] = 1
    assert "u" in nccopy("-3", source, tmp_path / "out.nc", ok=False)
    nccopy("-3", "-u", source, tmp_path / "out.nc")
    assert kind(tmp_path / "out.nc") == "NETCDF3_CLASSIC"


def test_unlimited_made_fixed(nc4, nc3, tmp_path):
    for source in nc4, nc3:
        target = copied(source, tmp_path, "-u")
        with netCDF4.Dataset(target) as d:
            assert not d.dimensions["t"].isunlimited() and len(d.dimensions["t"]) == 3
    empty = tmp_path / "empty.nc"
    with netCDF4.Dataset(empty, "w") as d:
        d.createDimension("tt", None)
    assert "tt" in nccopy("-u", empty, tmp_path / "out2.nc", ok=False)


def test_same_file(nc4, tmp_path):
    one, link = tmp_path / "one.nc", tmp_path / "link.nc"
    one.write_bytes(nc4.read_bytes())
    link.symlink_to(one)
    before = one.read_bytes()
    for target in one, link:
        assert "same file" in nccopy(one, target, ok=False)
    assert one.read_bytes() == before


def test_selections(nc4, tmp_path):
    copied = lambda source, folder, *arguments: (nccopy(*arguments, source, folder / "out.nc"), folder / "out.nc")[1]
    target = copied(nc4, tmp_path, "-v", "raw,scalar")
    with netCDF4.Dataset(target) as d, netCDF4.Dataset(nc4) as original:
        assert list(d.variables) == list(original.variables)
        assert d["raw"][:].all() is not np.ma.masked
        assert d["var"][:].mask.all() and d["plain"][:].mask.all() and d["g/var"][:].mask.all()
        assert not np.ma.is_masked(d["raw"][:])
    with h5py.File(target) as f:
        assert f["var"].id.get_storage_size() == 0
    with netCDF4.Dataset(copied(nc4, tmp_path, "-V", "raw")) as d:
        assert list(d.variables) == ["raw"] and list(d.groups) == ["g"] and not d.groups["g"].variables
    with netCDF4.Dataset(copied(nc4, tmp_path, "-V", "var")) as d:
        assert list(d.variables) == ["var"] and list(d.groups["g"].variables) == ["var"]
    with netCDF4.Dataset(copied(nc4, tmp_path, "-g", "g")) as d:
        assert d["raw"][:].mask.all() and not np.ma.is_masked(d["g/var"][:])
    with netCDF4.Dataset(copied(nc4, tmp_path, "-G", "g")) as d:
        assert not d.variables and list(d.groups["g"].variables) == ["var"]
    with netCDF4.Dataset(copied(nc4, tmp_path, "-G", "/")) as d:
        assert d.variables and not d.groups


def test_old_options_are_accepted(nc4, tmp_path):
    copied(nc4, tmp_path, "-r", "-w", "-h", "5000000", "-e", "1000", "-L0", "-M0", "-m", "1G")


def test_minimum_chunk_size(nc4, tmp_path):
    # One chunk of plain would take 2,400 bytes.
    assert chunks(copied(nc4, tmp_path, "-c", "y/5,x/5", "-M", "100000"), "plain") == (5, 5)
    assert chunks(copied(nc4, tmp_path, "-d1", "-M", "100"), "plain") == (20, 30)
    assert chunks(copied(nc4, tmp_path, "-d1", "-M", "100000"), "plain") is None


def test_fill_values_are_kept_and_unwritten_stays_unwritten(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        d = f.create_dataset("sparse", (1000, 1000), "f4", chunks=(10, 10), fillvalue=7.5, compression="gzip")
        d[100:120, 500:520] = 1
        f.create_dataset("never", (1000, 1000), "f8", fillvalue=-1)
    for arguments in [], ["-d1"], ["-c", "sparse:25,25"]:
        nccopy(*arguments, source, target)
        with h5py.File(source) as a, h5py.File(target) as b:
            assert b["sparse"].fillvalue == 7.5 and b["never"].fillvalue == -1
            np.testing.assert_array_equal(a["sparse"][()], b["sparse"][()])
            assert b["sparse"].id.get_num_chunks() <= 8
            if arguments != ["-d1"]:
                assert b["never"].id.get_storage_size() == 0
            np.testing.assert_array_equal(a["never"][()], b["never"][()])


def test_compact_variables_that_are_only_defined_read_as_fill(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        f["other"] = DATA
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_layout(h5py.h5d.COMPACT)
        for name, dtype, fill in [("big", ">i4", 5), ("text", h5py.string_dtype(), None)]:
            if fill is not None:
                layout.set_fill_value(np.array(fill, dtype))
            space = h5py.h5s.create_simple((3,))
            h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype), logical=True), space, layout)
            f[name][...] = [1, 2, 3] if fill else ["a", "b", "c"]
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            layout.set_layout(h5py.h5d.COMPACT)
    nccopy("-v", "other", source, target)
    with h5py.File(target) as f:
        assert f["big"][()].tolist() == [5, 5, 5] and f["text"][()].tolist() == [b""] * 3
        assert f["big"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT


BLOSC = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("v", data=np.arange(1800, dtype="f4").reshape(3, 20, 30), chunks=(1, 10, 15), **hdf5plugin.Blosc())
"""
READ = """
import sys, h5py, hdf5plugin, numpy as np
assert (h5py.File(sys.argv[1])["v"][()].ravel() == np.arange(1800)).all()
"""


def alone(script, path):
    """Runs a script in a process of its own, without the plugins of another HDF5 that netCDF4-python points to."""
    env = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(path)], check=True, env=env)


def test_unknown_filters_pass_through_and_are_named_when_they_must_be_decoded(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    alone(BLOSC, source)
    nccopy(source, target)
    alone(READ, target)
    message = nccopy("-F", "v,1,1", source, tmp_path / "out2.nc", ok=False)
    assert "32001" in message and "v" in message
    assert not (tmp_path / "out2.nc").exists()


@pytest.mark.parametrize("arguments", [["-3"], ["-u"], ["-3", "-u"], ["-u", "-c", "t/1"], ["-7", "-u", "-d", "1"]])
def test_unwritten_without_a_fill_value(tmp_path, arguments):
    """Holes within a dataset's extent are zeros, and what lies past it is netCDF's default, in every copy."""
    source = tmp_path / "in.nc"
    with h5py.File(source, "w") as f:
        t = f.create_dataset("t", data=np.arange(5.0), maxshape=(None,))
        t.make_scale("t")
        for name, dtype, chunks in [("whole", "f4", 2), ("parts", "i2", 1), ("none", "i1", 1)]:
            v = f.create_dataset(name, (3,), dtype, chunks=(chunks,), maxshape=(None,))
            v.dims[0].attach_scale(t)
        f["whole"][:] = [7, 8, 9]
        f["parts"][0] = 7
        f.create_dataset("scalar", (), "f8")
        f.create_dataset("fixed", (2,), "i4")
    target = copied(source, tmp_path, *arguments)
    with netCDF4.Dataset(target) as f:
        f.set_auto_mask(False)
        assert list(f["whole"][:]) == [7, 8, 9] + [netCDF4.default_fillvals["f4"]] * 2
        assert list(f["parts"][:]) == [7, 0, 0] + [netCDF4.default_fillvals["i2"]] * 2
        assert list(f["none"][:]) == [0, 0, 0] + [netCDF4.default_fillvals["i1"]] * 2
        assert f["scalar"][...] == 0
        assert list(f["fixed"][:]) == [0, 0]


def test_names_longer_than_netcdf_has_are_left_out(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        f["kept"] = 1
        f["x" * 255] = 2
        f["y" * 257] = 3
        f["kept"].attrs["z" * 300] = 4
    said = nccopy(source, target)
    assert said.count("longer than netCDF's 256") == 2, said
    with netCDF4.Dataset(target) as d:
        assert sorted(d.variables) == ["kept", "x" * 255] and not d["kept"].ncattrs()
