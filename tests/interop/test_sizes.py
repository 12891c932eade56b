"""`ncdump --sizes`: the bytes of h5py and h5stat (HDF5), of the files of chunks (Zarr), and of the classic format's arithmetic."""

import gzip
import json
import os
import re
import subprocess
import zipfile

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy
from remote_run import on
from test_http_sources import Server

LENGTHS = {"time": 30, "lat": 20, "lon": 30}


def field():
    return np.random.default_rng(3).normal(size=tuple(LENGTHS.values())).astype("f4").round(1)


def dump(*arguments):
    command = [str(BIN / "ncdump"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def sizes(*inputs):
    done = dump("--sizes", "--json", *inputs)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(one["type"] == "sizes" for one in found)
    return found if len(inputs) > 1 else found[0]


def by_name(found):
    return {one["name"]: one for one in found["variables"]}


def add_up(found):
    """All bytes are counted once."""
    parts = found["data"] + found["metadata"] + found["others"] + found["padding"] + found["unused"]
    assert parts == found["total"], found


def netcdf4(path):
    with netCDF4.Dataset(path, "w") as dataset:
        for name, length in LENGTHS.items():
            dataset.createDimension(name, None if name == "time" else length)
        group = dataset.createGroup("sub")
        dataset.createVariable("temp", "f4", tuple(LENGTHS), zlib=True, shuffle=True, chunksizes=(1, 20, 30))[:] = field()
        group.createVariable("part", "f8", tuple(LENGTHS), zlib=True, chunksizes=(4, 7, 8))[:11, :7] = 1
        dataset.createVariable("time", "f8", ("time",))[:] = np.arange(30)
        dataset.createVariable("lat", "f8", ("lat",))[:] = np.arange(20)
        names = dataset.createVariable("names", str, ("lat",))
        for n in range(20):
            names[n] = f"station {n}"
    return path


def test_hdf5_has_the_sizes_of_h5py(tmp_path):
    path = netcdf4(tmp_path / "in.nc")
    found = sizes(path)
    add_up(found)
    assert found["total"] == path.stat().st_size and found["kind"] == "netCDF-4"
    assert found["variables"] == sorted(found["variables"], key=lambda one: -one["stored"])
    with h5py.File(path) as file:
        for name, one in by_name(found).items():
            data = file[name]
            assert one["stored"] == data.id.get_storage_size(), name
            assert one["shape"] == ([30, 20, 30] if name == "/sub/part" else list(data.shape)), "the lengths of dimensions"
            assert one["memory"] == (None if name == "names" else data.size * data.dtype.itemsize)
            assert one["chunk_shape"] == (list(data.chunks) if data.chunks else None)
            assert one["chunks"] == (data.id.get_num_chunks() if data.chunks else None)
        assert found["data"] == sum(file[name].id.get_storage_size() for name in by_name(found))
    part, temp = by_name(found)["/sub/part"], by_name(found)["temp"]
    assert temp["filters"] == ["shuffle", "deflate"] and temp["type"] == "float"
    assert (part["chunks"], part["all_chunks"]) == (12, 36)
    assert temp["ratio"] == pytest.approx(temp["memory"] / temp["stored"])
    assert temp["share"] == pytest.approx(temp["stored"] / found["total"])


def test_ratios_are_those_of_h5dump(tmp_path):
    path = netcdf4(tmp_path / "in.nc")
    text = subprocess.run(["h5dump", "-p", "-H", "-d", "/temp", path], capture_output=True, text=True, check=True).stdout
    size, ratio = re.search(r"SIZE (\d+) \(([\d.]+):1 COMPRESSION\)", text).groups()
    temp = by_name(sizes(path))["temp"]
    assert temp["stored"] == int(size) and temp["ratio"] == pytest.approx(float(ratio), abs=0.001)


@pytest.mark.parametrize("settings", [{}, {"libver": ("v110", "v110")}, {"fs_strategy": "fsm", "fs_persist": True}, {"userblock_size": 512}],
                         ids=["old", "new", "free-space", "user-block"])
def test_metadata_and_unused_space_are_those_of_h5stat(settings, tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", **settings) as file:
        file.create_dataset("other", data=np.arange(20000))
        file.create_dataset("chunked", data=field(), chunks=(1, 20, 30), compression=4)
        file.create_dataset("whole", data=np.arange(5000.0))
        file.create_dataset("never", shape=(10, 10), dtype="i4")
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((8,))
        h5py.h5d.create(file.id, b"compact", h5py.h5t.NATIVE_INT32, space, compact).write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(8, dtype="i4"))
        file["link"] = file["whole"]
    with h5py.File(path, "a") as file:
        del file["other"]
    found = sizes(path)
    add_up(found)
    stat = subprocess.run(["h5stat", "-S", path], capture_output=True, text=True, check=True).stdout
    number = {name: int(n) for name, n in re.findall(r"^\s*([\w /]+): (\d+) bytes", stat, re.M)}
    raw = number["Raw data"]
    unused = int(re.search(r"tracked free space: (\d+)", stat).group(1)) + number["Unaccounted space"]
    assert by_name(found)["compact"]["stored"] == 32
    assert found["data"] == raw
    assert found["unused"] == unused, stat
    assert found["unused"] > 100_000
    links = [one["same_as"] for one in found["variables"] if one["same_as"]]
    assert links in (["link"], ["whole"])
    with h5py.File(path) as file:
        assert by_name(found)["never"]["stored"] == file["never"].id.get_storage_size() == 0


def test_data_that_is_no_variable_is_no_metadata(tmp_path):
    path, out = tmp_path / "in.h5", tmp_path / "out.zarr"
    with h5py.File(path, "w") as file:
        file["v"] = np.arange(1000)
        file["arrays"] = np.zeros(500, dtype=[("a", "f8", (2, 2)), ("b", "i4")])
        file.create_dataset("bits", (300,), h5py.h5t.STD_B8LE)
        file["bits"].id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.zeros(300, "u1"), h5py.h5t.STD_B8LE)
        stored = {name: data.id.get_storage_size() for name, data in file.items()}
    found = sizes(path)
    add_up(found)
    assert sum(stored.values()) == found["data"] + found["others"]
    assert found["data"] == sum(stored[name] for name in by_name(found))
    nccopy("-k", "zarr2", "-V", "v", path, out)
    chunks = sum(one.stat().st_size for one in (out / "v").iterdir() if not one.name.startswith("."))
    document = json.loads((out / "v" / ".zarray").read_text())
    (out / "v" / ".zarray").write_text(json.dumps({**document, "dtype": "|V7"}))
    left = sizes(out)
    add_up(left)
    if not left["variables"]:
        assert left["others"] == chunks and left["unused"] == 0


def test_data_in_other_files_takes_nothing_here(tmp_path):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["v"] = np.arange(1000)
    (tmp_path / "raw.bin").write_bytes(bytes(4000))
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("raw", (1000,), "i4", external=[("raw.bin", 0, 4000)])
        layout = h5py.VirtualLayout((1000,), "i8")
        layout[:] = h5py.VirtualSource("source.h5", "v", (1000,))
        file.create_virtual_dataset("virtual", layout)
        file["own"] = np.arange(10)
    found = by_name(sizes(tmp_path / "in.h5"))
    assert (found["raw"]["storage"], found["raw"]["stored"]) == ("external", 0)
    assert (found["virtual"]["storage"], found["virtual"]["stored"]) == ("virtual", 0)
    assert found["own"]["stored"] == 80


@pytest.mark.parametrize("kind", ["nczarr", "zarr2", "zarr3"])
def test_chunks_of_zarr_are_files(kind, tmp_path):
    source, out = netcdf4(tmp_path / "in.nc"), tmp_path / "out.zarr"
    nccopy("-k", kind, "-V", "temp,part,time,lat", source, out)
    (out / "stray.txt").write_bytes(bytes(77))
    found = sizes(out)
    add_up(found)
    files = {path.relative_to(out).as_posix(): path.stat().st_size for path in out.rglob("*") if path.is_file()}
    assert found["total"] == sum(files.values()) and found["unused"] == 77
    for name, one in by_name(found).items():
        folder = name.strip("/") + "/"
        chunks = [size for key, size in files.items() if key.startswith(folder) and re.search(r"\d$", key)]
        assert (one["stored"], one["chunks"]) == (sum(chunks), len(chunks)), name
    documents = [size for key, size in files.items() if re.search(r"(zarr\.json|/?\.z\w+|\.nc\w+)$", key)]
    assert found["metadata"] == sum(documents)


def test_shards_count_as_they_are(tmp_path):
    source, out = netcdf4(tmp_path / "in.nc"), tmp_path / "out.zarr"
    nccopy("-k", "zarr3", "-V", "temp", "--shard", "time/10,lat/20,lon/30", source, out)
    temp = by_name(sizes(out))["temp"]
    shards = [path.stat().st_size for path in (out / "temp").rglob("*") if path.is_file() and path.name != "zarr.json"]
    assert (temp["stored"], temp["shards"]) == (sum(shards), len(shards)) and len(shards) == 3
    assert (temp["chunk_shape"], temp["shard_shape"], temp["all_chunks"]) == ([1, 20, 30], [10, 20, 30], 30)


def test_a_zip_file_has_more_than_its_values(tmp_path):
    source, out = netcdf4(tmp_path / "in.nc"), tmp_path / "out.zarr.zip"
    nccopy("-k", "zarr2", "-V", "temp", source, out)
    found = sizes(out)
    add_up(found)
    with zipfile.ZipFile(out) as file:
        chunks = [one.compress_size for one in file.infolist() if re.search(r"temp/[\d.]+$", one.filename)]
    assert by_name(found)["temp"]["stored"] == sum(chunks) and len(chunks) == 30
    assert found["total"] == out.stat().st_size


CLASSIC = [("NETCDF3_CLASSIC", 4, 4), ("NETCDF3_64BIT_OFFSET", 4, 8), ("NETCDF3_64BIT_DATA", 8, 8)]


@pytest.mark.parametrize(("form", "count", "offset"), CLASSIC, ids=[one[0] for one in CLASSIC])
def test_classic_files_by_arithmetic(form, count, offset, tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w", format=form) as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 5)
        dataset.createVariable("a", "i2", ("x",))[:] = 1
        dataset.createVariable("r", "i2", ("t", "x"))[:] = np.ones((7, 5))
        dataset.createVariable("q", "i1", ("t",))[:] = np.ones(7)
    found = sizes(path)
    add_up(found)
    # Magic and number of records; two dimensions; no attributes; three variables with 1, 2 and 1 dimensions.
    header = 4 + count
    header += 4 + count + 2 * (count + 4 + count)
    header += 4 + count
    header += 4 + count + 3 * (count + 4 + count + 4 + count + 4 + count + offset) + 4 * count
    assert found["metadata"] == header
    assert {name: one["stored"] for name, one in by_name(found).items()} == {"a": 10, "r": 70, "q": 7}
    # 2 bytes behind a; 2 behind each record of r, 3 behind each of q.
    assert found["padding"] == 2 + 7 * (2 + 3)
    assert found["unused"] == 0 and found["total"] == path.stat().st_size
    with open(path, "ab") as file:
        file.write(bytes(1000))
    assert sizes(path)["unused"] == 1000


def test_a_single_record_variable_has_no_padding(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as dataset:
        dataset.createDimension("t", None)
        dataset.createVariable("q", "i1", ("t",))[:] = np.ones(7)
    found = sizes(path)
    assert (found["padding"], found["data"]) == (0, 7)


def test_blocks_of_an_archive(tmp_path):
    path, out = tmp_path / "in.nc", tmp_path / "out.nc3z"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as dataset:
        dataset.createDimension("x", 100_000)
        dataset.createVariable("v", "f4", ("x",))[:] = np.arange(100_000) % 1000
    nccopy("-k", "archive", path, out)
    found = sizes(out)
    add_up(found)
    assert found["total"] == out.stat().st_size
    v = found["variables"][0]
    assert v["storage"] == "blocks" and 0 < v["stored"] < out.stat().st_size and v["memory"] == 400_000


def test_several_files_and_one_that_fails(tmp_path):
    path, other = netcdf4(tmp_path / "a.nc"), netcdf4(tmp_path / "b.nc")
    assert [one["input"] for one in sizes(path, other)] == [str(path), str(other)]
    done = dump("--sizes", "--json", path, tmp_path / "none.nc")
    first, second = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1 and "variables" in first
    assert second["type"] == "sizes" and "No such file" in second["error"]
    lines = dump("--sizes", path, other).stdout.splitlines()
    assert all(line.startswith((f"{path}: ", f"{other}: ")) for line in lines)


def test_the_table(tmp_path):
    path = netcdf4(tmp_path / "in.nc")
    lines = dump("--sizes", path).stdout.splitlines()
    assert lines[0].split() == ["stored", "memory", "ratio", "share", "variable", "type", "chunks", "filters"]
    assert re.search(r"^ *[\d.]+ kB +72\.0 kB +[\d.]+ +█.* % +temp +float\(30,20,30\) +1,20,30 ×30 +shuffle\|deflate$", lines[1])
    assert any(re.search(r" /sub/part .* 4,7,8 ×12 of 36 ", line) for line in lines)
    assert lines[-1].endswith("100.0 %  (total)")


def test_no_data_is_read(tmp_path):
    path = netcdf4(tmp_path / "in.nc")
    size = os.path.getsize(path)
    with h5py.File(path) as file:
        chunks = [file["temp"].id.get_chunk_info(n) for n in range(30)]
    data = bytearray(path.read_bytes())
    for chunk in chunks:
        data[chunk.byte_offset : chunk.byte_offset + chunk.size] = bytes(chunk.size)
    path.write_bytes(data)
    assert sizes(path)["total"] == size


def test_options_of_values_are_refused(tmp_path):
    path = netcdf4(tmp_path / "in.nc")
    for options in ["-h"], ["-v", "temp"], ["--isel", "time=0"], ["--check"], ["--sources"]:
        done = dump("--sizes", *options, path)
        assert done.returncode != 0 and not done.stdout, options


@pytest.mark.parametrize("form", ["netcdf4", "zarr2"])
def test_over_a_network_no_data_comes(form, store, proxy, tmp_path):
    source, out = netcdf4(tmp_path / "in.nc"), tmp_path / "out.zarr"
    # Chunks that are larger than all metadata: 30 of 240,000 bytes of noise.
    with netCDF4.Dataset(source, "a") as dataset:
        dataset.createDimension("x", 30_000)
        noise = dataset.createVariable("noise", "f8", ("time", "x"), zlib=True, chunksizes=(1, 30_000))
        noise[:] = np.random.default_rng(5).random((30, 30_000))
    if form == "netcdf4":
        store.put("in.nc", source.read_bytes())
        local, name = source, store.url("in.nc")
    else:
        nccopy("-k", form, "-V", "temp,part,time,lat,noise", source, out)
        store.put_tree(out, "tree")
        local, name = out, store.tree("tree", "zarr")
    proxy.set()
    far = json.loads(on(store, "ncdump", "--sizes", "--json", name, port=proxy.port).whole().out)
    asked, received = proxy.log(), proxy.counts()["received"]
    here = sizes(local)
    unknown = {"unused", "metadata", "others"} if form == "netcdf4" else set()
    assert {key: far[key] for key in far if key not in unknown | {"input"}} == {key: here[key] for key in here if key not in unknown | {"input"}}
    if form == "netcdf4":
        assert far["unused"] is None, "strings may refer to more"
        assert received < far["total"] / 2
    else:
        assert not [one for one in asked if re.search(r"/\d[\d.]*$", one["path"].split("?")[0])], asked
    assert len(asked) <= 20, asked


def test_a_server_without_lists_tells_no_sizes_of_zarr(tmp_path):
    source, served = netcdf4(tmp_path / "in.nc"), tmp_path / "served"
    served.mkdir()
    nccopy("-k", "zarr2", "-V", "temp,part,time,lat", source, served / "sizes.zarr")
    url = Server(served).url("sizes.zarr#mode=zarr")
    found = sizes(url)
    assert found["total"] is None and {one["stored"] for one in found["variables"]} == {None}
    text = dump("--sizes", url).stdout
    assert re.match(r"^ +\? ", text.splitlines()[1])


def test_what_claims_more_than_there_is_has_no_sizes(tmp_path):
    whole, cut, claims = tmp_path / "whole.nc", tmp_path / "cut.nc", tmp_path / "claims.nc"
    with netCDF4.Dataset(whole, "w", format="NETCDF3_64BIT_OFFSET") as d:
        d.createDimension("x", 500_000)
        d.createVariable("v", "f8", ("x",))[:] = 1
    cut.write_bytes(whole.read_bytes()[:2000])
    # The length of the only dimension.
    claims.write_bytes(whole.read_bytes()[:300].replace((500_000).to_bytes(4, "big"), (2**31 - 4).to_bytes(4, "big")))
    for path in (cut, claims):
        for option in ("--sizes", "--map"):
            done = dump(option, path)
            assert (done.returncode, done.stdout) == (1, "") and "there are" in done.stderr, done
            assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_the_total_of_a_compressed_file_is_its_own(packed, tmp_path):
    path = netcdf4(tmp_path / "in.nc")
    out = tmp_path / f"in.nc.{packed}"
    if packed == "gz":
        out.write_bytes(gzip.compress(path.read_bytes()))
    else:
        nccopy("-k", "zst", path, out)
    found, plain = sizes(out), sizes(path)
    assert (found["total"], found["content"]) == (out.stat().st_size, path.stat().st_size)
    assert plain["content"] is None and plain["total"] == path.stat().st_size
    same = set(plain) - {"input", "total", "content"}
    assert {key: found[key] for key in same} == {key: plain[key] for key in same}
    lines = dump("--sizes", out).stdout.splitlines()
    assert lines[-2].endswith("100.0 %  (total of the content)") and re.search(r" +\(total: the compressed file\)$", lines[-1]), lines
    page = dump("--map", out).stdout
    assert "<dt>Unpacked</dt>" in page and "<dt>Unpacked</dt>" not in dump("--map", path).stdout


def test_json_has_no_characters_that_control_a_terminal(tmp_path):
    name = "a\x1b[31m\x7f\u009b31m\u202e"
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file[name] = np.arange(3)
    done = dump("--sizes", "--json", tmp_path / "in.h5")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.stdout)
    assert json.loads(done.stdout)["variables"][0]["name"] == name
