"""Every rule of nccopy about -F, -d and -s; h5py reads the results back."""

import os
import subprocess
import sys

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import UNKNOWN_FILTER, nccopy
from rules_inputs import copied, nc4  # noqa: F401 (fixtures)
from stored import chunks, filters, flags, parameters

SHUFFLE, DEFLATE, FLETCHER, SZIP, BZIP2, BLOSC, ZSTD = 2, 1, 3, 4, 307, 32001, 32015


@pytest.mark.parametrize(
    "spec, wanted",
    [
        ("shuffle|zstd,level=7", [(SHUFFLE, (4,)), (ZSTD, (7,))]),
        ("zlib,level=3", [(DEFLATE, (3,))]),
        ("numcodecs.bz2,level=2", [(BZIP2, (2,))]),
        ("blosc,cname=zstd,clevel=5,shuffle=bit", [(32001, None)]),
        ("bitshuffle,0,2|zstd,3|fletcher32", [(32008, None), (FLETCHER, ()), (ZSTD, (3,))]),
        ("lzf", [(32000, None)]),
        ('{"id": "zlib", "level": 5}|[1]3', [(FLETCHER, ()), (DEFLATE, (5,))]),
        ('{"name": "zstd", "configuration": {"level": 2, "checksum": false}}', [(ZSTD, (2,))]),
        # What needs the numbers goes before the checksum.
        ("3|5", [(5, None), (FLETCHER, None)]),
    ],
)
def test_filters_by_name_and_as_json(nc4, tmp_path, spec, wanted):
    target = copied(nc4, tmp_path, "-F", f"raw,{spec}")
    assert filters(target, "raw") == [filter for filter, _ in wanted]
    for (_, stored), found in zip(wanted, parameters(target, "raw")):
        assert stored is None or found == stored


@pytest.mark.parametrize(
    "spec, says",
    [
        ("zebra,3", "no filter is named 'zebra'"),
        ("zstdd,3", "is 'zstd' meant?"),
        ("zstd,levle=3", "no member 'levle': is 'level' meant; it takes level (-131072 to 22)"),
        ("zlib,level=10", "it takes level (0 to 9)"),
        ('{"id": "zlib", "level": 10}', "it takes level (0 to 9)"),
        ('{"id": "odd"}', "codec odd has no form in HDF5"),
        ('{"id": "lz4", "acceleration": 3}', "filter 32004 (lz4) makes other bytes"),
        ("307,9|var,1,5", "'var' is a variable, not a filter"),
        ("1,5|4,32,8", "deflate and szip"),
    ],
)
def test_what_is_no_filter_is_told(nc4, tmp_path, spec, says):
    assert says in nccopy("-F", f"raw,{spec}", nc4, tmp_path / "out.nc", ok=False)


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
    ("var,32001", [BLOSC], None),
    ("var,32001,0,0,0,0,9,2,5", [BLOSC], None),
    ("var,4,32,32", [SZIP], [(169, 32, 32, 15)]),
    ("var,4,4,8", [SZIP], None),
    ("var,307,1|32015,1|307,9", [BZIP2, ZSTD], [(9,), (1,)]),
    ("var,fletcher32|zstd,3", [FLETCHER, ZSTD], [(), (3,)]),
    ("var,Zstandard,3|n-bit", [5, ZSTD], None),
    # As netCDF-C: the size is that of the type, whatever is given.
    ("var,2,7", [SHUFFLE], [(4,)]),
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


BLOSC_STORES = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    for dtype in ("i1", ">i2", "<i4", ">f4", "f8"):
        data = (np.sin(np.arange(1000) / 50) * 90).astype(dtype).reshape(40, 25)
        for codec in range(6):
            for shuffle in range(3):
                stored = (0, 0, 0, 0, 6, shuffle, codec)
                f.create_dataset(f"{dtype[-2:]}_{codec}_{shuffle}", data=data, chunks=(30, 20), compression=32001, compression_opts=stored)
"""


BLOSC_READS = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1]) as f, h5py.File(sys.argv[2]) as wanted:
    for name in wanted:
        assert (f[name][()] == wanted[name][()]).all(), name
        ids = lambda v: [v.id.get_create_plist().get_filter(i)[::2] for i in range(v.id.get_create_plist().get_nfilters())]
        assert ids(f[name]) == ids(wanted[name]), name
        assert f[name].id.get_chunk_info(0).filter_mask == wanted[name].id.get_chunk_info(0).filter_mask, name
"""


# The plugin's chunks are decoded and deflated; what becomes of them is encoded here, and the plugin decodes it.
def test_blosc_both_ways(tmp_path):
    source, plain, target = tmp_path / "in.h5", tmp_path / "plain.nc", tmp_path / "out.nc"
    alone(BLOSC_STORES, source)
    nccopy("-F", "*,1,1", source, plain)
    with h5py.File(source) as f:
        assert len(f) == 90
        options = [o for name in f for o in ("-F", f"{name},32001,0,0,0,0,6,{name[-1]},{name[-3]}")]
    nccopy(*options, plain, target)
    alone(BLOSC_READS, target, source)


@pytest.mark.parametrize("given", ["5", "0,0,0,0,10", "0,0,0,0,5,3", "0,0,0,0,5,1,6", "0,0,0,0,5,1,5,0"])
def test_wrong_parameters_of_blosc(nc4, tmp_path, given):
    message = nccopy("-F", f"var,32001,{given}", nc4, tmp_path / "out.nc", ok=False)
    assert "filter 32001 (blosc) takes four numbers" in message


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
    ("vra,307,9", "is 'var' meant?"),
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
    nccopy("-F", f"v,{UNKNOWN_FILTER},{constant}", source, target)
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


BLOSC = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("v", data=np.arange(1800, dtype="f4").reshape(3, 20, 30), chunks=(1, 10, 15), **hdf5plugin.Blosc())
"""


READ = """
import sys, h5py, hdf5plugin, numpy as np
assert (h5py.File(sys.argv[1])["v"][()].ravel() == np.arange(1800)).all()
"""


def alone(script, *paths):
    """Runs a script in a process of its own, without the plugins of another HDF5 that netCDF4-python points to."""
    env = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, *map(str, paths)], check=True, env=env)


def test_chunks_of_plugins_pass_through(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    alone(BLOSC, source)
    nccopy(source, target)
    alone(READ, target)


def test_unknown_filters_pass_through_and_are_named_when_they_must_be_decoded(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    stored = [bytes(range(n, n + 50)) for n in range(3)]
    with h5py.File(source, "w") as f:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((1, 20))
        plist.set_filter(UNKNOWN_FILTER, h5py.h5z.FLAG_OPTIONAL, (7, 8))
        v = h5py.h5d.create(f.id, b"v", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((3, 20)), plist)
        for n, data in enumerate(stored):
            v.write_direct_chunk((n, 0), data)
    nccopy(source, target)
    with h5py.File(target) as f:
        assert [f["v"].id.read_direct_chunk((n, 0)) for n in range(3)] == [(0, data) for data in stored]
    assert filters(target, "v") == [UNKNOWN_FILTER] and parameters(target, "v") == [(7, 8)]
    message = nccopy("-F", "v,1,1", source, tmp_path / "out2.nc", ok=False)
    assert str(UNKNOWN_FILTER) in message and "v" in message
    assert not (tmp_path / "out2.nc").exists()


STORED = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    for name, filter, stored in (("zstd", 32015, (3, 0)), ("bzip2", 307, (9, 20, 0))):
        data = np.zeros(1000, "i4")
        v = f.create_dataset(name, data=data, chunks=(500,), compression=filter, compression_opts=stored)
        assert v.id.get_storage_size() < 400
"""


# The registered plugins look at the first parameter alone; netCDF-C's of Zstandard wants no others. PyTables stores three for bzip2.
@pytest.mark.parametrize(
    "name, filter, stored, moved", [("zstd", ZSTD, (3, 0), (3,)), ("bzip2", BZIP2, (9, 20, 0), (9, 20, 0))]
)
def test_parameters_as_stored_survive_new_chunks(tmp_path, name, filter, stored, moved):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    alone(STORED, source)
    nccopy(source, target)
    assert parameters(target, name) == [stored]
    nccopy("-c", f"{name}:250", source, target)
    assert chunks(target, name) == (250,)
    assert (filters(target, name), parameters(target, name)) == ([filter], [moved])
    with h5py.File(target) as f:
        assert not f[name][()].any() and f[name].id.get_storage_size() < 400
    # A user may ask for words without effect of bzip2 alone.
    given = ",".join(map(str, stored))
    message = nccopy("-F", f"{name},{filter},{given}", source, tmp_path / "out2.nc", ok=name == "bzip2")
    assert (f"filter {filter} ({name}) takes one parameter" in message) == (name == "zstd")


ZFP_STORES = """
import sys, h5py, hdf5plugin, numpy as np
wave = np.add.outer(np.sin(np.arange(45) / 9), np.cos(np.arange(35) / 7)) * 1000
modes = {"rate": dict(rate=9), "precision": dict(precision=14), "accuracy": dict(accuracy=0.5), "reversible": dict(reversible=True)}
with h5py.File(sys.argv[1], "w") as f:
    for dtype in ("i4", "i8", "f4", "f8"):
        for name, mode in modes.items():
            if dtype[0] == "i" and name == "accuracy":
                continue
            f.create_dataset(f"{dtype}_{name}", data=wave.astype(dtype), chunks=(20, 16), **hdf5plugin.Zfp(**mode))
"""


ZFP_READS = """
import sys, h5py, hdf5plugin, numpy as np
wave = np.add.outer(np.sin(np.arange(45) / 9), np.cos(np.arange(35) / 7)) * 1000
with h5py.File(sys.argv[1]) as f, h5py.File(sys.argv[2]) as plain, h5py.File(sys.argv[3]) as wanted:
    for name in wanted:
        # What was decoded here is what the plugin decodes.
        assert (plain[name][()] == wanted[name][()]).all(), name
        # The numbers were encoded with loss twice.
        error = lambda file: np.abs(file[name][()] - wave).max()
        assert error(f) <= 2 * error(wanted), name
        if name.endswith("reversible"):
            assert (f[name][()] == wanted[name][()]).all(), name
        assert f[name].id.get_create_plist().get_filter(0)[2] == wanted[name].id.get_create_plist().get_filter(0)[2], name
"""


def test_zfp_both_ways(tmp_path):
    source, plain, target = tmp_path / "in.h5", tmp_path / "plain.nc", tmp_path / "out.nc"
    alone(ZFP_STORES, source)
    # A plugin would answer where the program has no zfp.
    env = {**os.environ, "HDF5_PLUGIN_PRELOAD": "::"}
    nccopy("-F", "*,1,1", source, plain, env=env)
    with h5py.File(source) as f:
        names = list(f)
    given = {"rate": "1,0,9.0d", "precision": "2,0,14", "accuracy": "3,0,0.5d", "reversible": "5"}
    options = [o for name in names for o in ("-F", f"{name},32013,{given[name[3:]]}")]
    nccopy(*options, plain, target, env=env)
    alone(ZFP_READS, target, plain, source)


BLOSC2_STORES = """
import sys, h5py, hdf5plugin, numpy as np
field = np.arange(300 * 211, dtype="i4").reshape(300, 211) // 3
deep = np.arange(2**12, dtype="f4").reshape((2,) * 12)
with h5py.File(sys.argv[1], "w") as f:
    for name, shape, data in (("line", (30000,), field.ravel()), ("plane", (130, 97), field), ("deep", deep.shape, deep)):
        f.create_dataset(name, data=data, chunks=shape, **hdf5plugin.Blosc2("zstd", 5, hdf5plugin.Blosc2.SHUFFLE))
        f.create_dataset(f"zero_{name}", data=0 * data, chunks=shape, **hdf5plugin.Blosc2("lz4", 3))
    compound = np.zeros(500, [("a", "f8"), ("b", "i2"), ("c", "u1", 90)])
    compound["a"], compound["c"] = np.arange(500), np.arange(90) % 7
    f.create_dataset("compound", data=compound.reshape(20, 25), chunks=(7, 6), **hdf5plugin.Blosc2("zlib", 9))
    f.create_dataset("summed", data=field, chunks=(50, 50), fletcher32=True, **hdf5plugin.Blosc2())
"""


BLOSC2_READS = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1]) as f, h5py.File(sys.argv[2]) as plain, h5py.File(sys.argv[3]) as wanted:
    for name in wanted:
        assert wanted[name][()].tobytes() == plain[name][()].tobytes() == f[name][()].tobytes(), name
        filters = [[v.get_filter(i)[2] for i in range(v.get_nfilters())] for v in (x[name].id.get_create_plist() for x in (f, wanted))]
        assert filters[0] == filters[1], (name, filters)
        # A hundredth larger at most, and the bytes of shapes that a frame tells.
        assert f[name].id.get_storage_size() <= 1.01 * wanted[name].id.get_storage_size() + 700, name
        if name in ("plane", "deep"):
            ours, theirs = (x[name].id.read_direct_chunk((0,) * x[name].ndim)[1] for x in (f, wanted))
            start = ours.index(b"b2nd") + 9
            assert ours[start:][:200 if name == "deep" else 48] == theirs[start:][:200 if name == "deep" else 48]
"""


def test_blosc2_both_ways(tmp_path):
    source, plain, target = tmp_path / "in.h5", tmp_path / "plain.nc", tmp_path / "out.nc"
    alone(BLOSC2_STORES, source)
    # A plugin would hide that Blosc2 is not built in.
    env = {**os.environ, "HDF5_PLUGIN_PRELOAD": "::"}
    nccopy("-F", "none", source, plain, env=env)
    given = {"zero": "3,1,1", "compound": "9,1,4", "summed": "5,1,0"}
    with h5py.File(source) as f:
        options = {name: given.get(name.split("_")[0], "5,1,5") for name in f}
    flags = [o for name, rest in options.items() if name != "summed" for o in ("-F", f"{name},32026,0,0,0,0,{rest}")]
    # fletcher32 stays behind Blosc2, where h5py put it, if the pipeline is kept.
    nccopy(*flags, plain, target, env=env)
    alone(BLOSC2_READS.replace("for name in wanted", "for name in set(wanted) - {'summed'}"), target, plain, source)
    # A copy in other chunks computes the parameters anew.
    nccopy("-c", "plane:65,60", source, tmp_path / "again.nc", env=env)
    assert parameters(tmp_path / "again.nc", "plane") == [(1, 0, 4, 15600, 5, 1, 5, 2, 65, 60)]
    message = nccopy("-F", "line,32026,0,0,0,0,5,1,3", plain, tmp_path / "wrong.nc", ok=False, env=env)
    assert "line" in message and "4 zlib" in message
