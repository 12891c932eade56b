"""References that kerchunk, VirtualiZarr and Icechunk write: our programs read the values that they lead to."""

import json
import os
import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
import zarr_reference
from conftest import BIN, nccopy, ncdump
from references_read import VARIABLES, needs_references

pytestmark = needs_references


def write(what, source, target):
    variables = {**VARIABLES, "ICECHUNK_LOG": "error"}
    return zarr_reference.by_script(("numpy",), "references_writer.py", what, source, target, variables=variables, timeout=300)


def make_source(path):
    """A netCDF-4 file with the storage that references can lead to. h5py writes what netCDF-C does not."""
    with netCDF4.Dataset(path, "w") as nc:
        nc.title = "source"
        nc.createDimension("time", None)
        nc.createDimension("y", 50)
        nc.createDimension("x", 70)
        time = nc.createVariable("time", "f8", ("time",), chunksizes=(4,))
        time.units = "days since 2000-01-01"
        packed = nc.createVariable("packed", "i2", ("time", "y", "x"), zlib=True, shuffle=True, chunksizes=(1, 30, 40), fill_value=-9)
        packed.setncatts({"scale_factor": 0.01, "add_offset": 10.0})
        summed = nc.createVariable("summed", "i4", ("y", "x"), zlib=True, fletcher32=True, chunksizes=(20, 35))
        zstd = nc.createVariable("zstd", "f4", ("y", "x"), chunksizes=(25, 70), compression="zstd")
        plain = nc.createVariable("plain", "f8", ("y", "x"))
        big = nc.createVariable("big", ">f4", ("y", "x"), chunksizes=(50, 70), endian="big", zlib=True)
        sparse = nc.createVariable("sparse", "f4", ("y", "x"), chunksizes=(10, 10), fill_value=5.0, zlib=True)
        scalar = nc.createVariable("scalar", "i4")
        rng = np.random.default_rng(7)
        field = rng.normal(size=(50, 70))
        time[:] = np.arange(5)
        packed[:] = field[None] + np.arange(5)[:, None, None]
        summed[:] = field * 1000
        zstd[:] = plain[:] = big[:] = field
        sparse[20:30, 30:40] = field[20:30, 30:40]
        scalar[...] = 7


def values(path, group=""):
    with netCDF4.Dataset(path) as nc:
        nc.set_auto_maskandscale(False)
        return {name: (variable.dimensions, variable[...]) for name, variable in nc.variables.items()}


def same(ours, theirs, but=()):
    assert set(theirs) - set(but) <= set(ours)
    for name in set(theirs) - set(but):
        (dims, found), (their_dims, expected) = ours[name], theirs[name]
        assert (name, dims) == (name, their_dims)
        assert found.dtype.newbyteorder("=") == expected.dtype.newbyteorder("="), name
        np.testing.assert_array_equal(found, expected, err_msg=name)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "source.nc"
    make_source(path)
    return path


# kerchunk leaves `summed` out without a word that a test could see.
LEFT_OUT = {"kerchunk-json": ["summed"], "kerchunk-parquet": ["summed"], "virtualizarr-parquet": ["scalar"]}
JSON = ["kerchunk-json", "virtualizarr-json"]
PARQUET = ["kerchunk-parquet", "virtualizarr-parquet"]


@pytest.mark.parametrize("writer", JSON)
def test_values_of_json_are_those_of_the_source(writer, source, tmp_path):
    refs = source.parent / f"{writer}.json"
    write(writer, source, refs)
    nccopy(refs, tmp_path / "out.nc")
    but = LEFT_OUT.get(writer, [])
    same(values(tmp_path / "out.nc"), values(source), but)
    header = ncdump("-h", refs).decode()
    assert "packed:scale_factor = 0.01" in header and ':title = "source"' in header
    # VirtualiZarr spells it as base64.
    assert "sparse:_FillValue = 5.f ;" in header
    # Cells that are never copied are as those of a copy of the source.
    nccopy("-v", "packed", refs, tmp_path / "part.nc")
    with netCDF4.Dataset(tmp_path / "part.nc") as part:
        assert part["plain"][:].mask.all()
    # A subset, and what the chunks of the source are.
    nccopy("-v", "packed", "--isel", "time=2:4", refs, tmp_path / "cut.nc")
    same(values(tmp_path / "cut.nc"), {"packed": (("time", "y", "x"), values(source)["packed"][1][2:4])})
    # Compressed, and from a pipe whose folder is named.
    subprocess.run(["zstd", "-q", str(refs)], check=True)
    nccopy(f"{refs}.zst", tmp_path / "zst.nc")
    same(values(tmp_path / "zst.nc"), values(source), but)
    piped = subprocess.run(
        [BIN / "nccopy", "--data-dir", source.parent, "-", tmp_path / "pipe.nc"], input=refs.read_bytes(), capture_output=True
    )
    assert piped.returncode == 0, piped.stderr
    same(values(tmp_path / "pipe.nc"), values(source), but)


@pytest.mark.parametrize("writer", PARQUET)
def test_values_of_parquet_are_those_of_the_source(writer, source, tmp_path):
    refs = source.parent / f"{writer}.parq"
    write(writer, source, refs)
    nccopy(refs, tmp_path / "out.nc")
    same(values(tmp_path / "out.nc"), values(source), LEFT_OUT.get(writer, []))
    assert b"packed:scale_factor = 0.01" in ncdump("-h", refs)
    shutil.copytree(refs, tmp_path / "lost.parq")
    shutil.rmtree(tmp_path / "lost.parq" / "sparse")
    told = subprocess.run([BIN / "ncdump", "-h", tmp_path / "lost.parq"], capture_output=True, text=True)
    assert "sparse: " in told.stderr and "files of references are missing" in told.stderr
    nccopy("-v", "sparse", "--isel", "y=20:30,x=0:40", refs, tmp_path / "cut.nc")
    expected = values(source)["sparse"][1][20:30, 0:40]
    same(values(tmp_path / "cut.nc"), {"sparse": (("y", "x"), expected)})


@pytest.mark.parametrize("options", [
    {"compression": None}, {"compression": "GZIP"}, {"compression": "ZSTD", "pages": 2}, {"compression": None, "pages": 2},
    {"compression": "ZSTD", "category": True}, {"compression": "SNAPPY"},
], ids=str)
def test_codecs_of_parquet(options, source, tmp_path):
    refs = tmp_path / "refs.parq"
    write("kerchunk-parquet", source, refs)
    told = write("parquet-again", json.dumps(options), refs)
    assert told > 3
    assert "--data-dir DIR" in refused(refs, tmp_path / "out.nc")
    nccopy("--data-dir", source.parent, refs, tmp_path / "out.nc")
    same(values(tmp_path / "out.nc"), values(source), LEFT_OUT["kerchunk-parquet"])


def test_values_of_classic_records_are_those_of_the_source(tmp_path):
    source = tmp_path / "classic.nc"
    with netCDF4.Dataset(source, "w", format="NETCDF3_64BIT_OFFSET") as nc:
        nc.createDimension("time", None)
        nc.createDimension("x", 5)
        for name, kind in (("t", "f8"), ("a", "i2"), ("b", "f4")):
            nc.createVariable(name, kind, ("time", "x") if name != "t" else ("time",))
        fixed = nc.createVariable("fixed", "i4", ("x",))
        fixed[:] = np.arange(5)
        nc["t"][:] = np.arange(7)
        nc["a"][:] = np.arange(35).reshape(7, 5)
        nc["b"][:] = np.arange(35).reshape(7, 5) / 3
    write("kerchunk-classic", source, tmp_path / "refs.json")
    nccopy(tmp_path / "refs.json", tmp_path / "out.nc")
    same(values(tmp_path / "out.nc"), values(source))


def test_values_of_icechunk_are_those_of_the_source(source, tmp_path):
    repository = source.parent / "repository"
    write("icechunk", source, repository)
    nccopy(repository, tmp_path / "out.nc")
    ours = values(tmp_path / "out.nc")
    same(ours, values(source))
    native = np.full((50, 7), -1.0)
    native[:40] = np.arange(280).reshape(40, 7)
    thin = np.full((4, 4), 9, "i4")
    thin[2, 2:] = 5
    written = {"native": (("n", "m"), native), "thin": (("s", "t"), thin), "number": ((), np.array(42, "i4"))}
    same(ours, written)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out["group/inline"][:].tolist() == [0, 1, 2, 3, 4, 5]
    nccopy("-v", "native", "--isel", "n=15:45", repository, tmp_path / "cut.nc")
    same(values(tmp_path / "cut.nc"), {"native": (("n", "m"), native[15:45])})
    # What was changed since is refused. Icechunk's own chunks stay.
    before = source.stat()
    os.utime(source, (before.st_atime, before.st_mtime + 100))
    assert "source.nc" in (said := refused(repository, tmp_path / "out.nc")) and "changed since" in said
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    # Moved elsewhere, virtual chunks are outside of its folder, and its own are not.
    moved = tmp_path / "moved"
    shutil.move(repository, moved)
    assert "--data-dir DIR" in refused(moved, tmp_path / "out.nc")
    nccopy("-v", "native,number", moved, tmp_path / "own.nc")
    nccopy("--data-dir", source.parent, moved, tmp_path / "all.nc")
    same(values(tmp_path / "all.nc"), values(source))


def test_snapshots_of_icechunk_are_named(tmp_path):
    repository = tmp_path / "history"
    first, second, third = write("icechunk-history", "-", repository)
    for fragment, value in [
        ("", 3), ("#mode=icechunk", 3), ("#icechunk", 3), ("#mode=icechunk&branch=main", 3), ("#mode=icechunk&branch=other", 1),
        ("#mode=icechunk&tag=second", 2), (f"#mode=icechunk&snapshot={first}", 1), (f"#mode=icechunk&snapshot={second}", 2),
    ]:
        assert f"v = {value}, {value}, {value} ;".encode() in ncdump(f"{repository}{fragment}"), fragment
    for fragment, told in [
        ("#mode=icechunk&branch=none", "has no branch none; it has the branches main, other and the tags second"),
        ("#mode=icechunk&tag=other", "has no tag other"), ("#mode=icechunk&snapshot=x", "no id of a snapshot"),
        ("#mode=icechunk&snapshot=00000000000000000000", "no such file"), ("#mode=icechunk&tag=a&branch=b", "several snapshots"),
    ]:
        assert told in refused(f"{repository}{fragment}", tmp_path / "out.nc")
    nccopy(repository, f"{tmp_path}/new#mode=icechunk")
    assert b"v = 3, 3, 3 ;" in ncdump(tmp_path / "new")
    for folder in ("manifests", "chunks", "snapshots"):
        if (repository / folder).exists():
            shutil.rmtree(repository / folder)
    assert f"snapshots/{third}" in refused(repository, tmp_path / "out.nc")


ARRAY = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i2", "compressor": None, "filters": None, "fill_value": 5, "order": "C"}


def references(folder, name="refs.json", **refs):
    """A file of references for an array `v` of two chunks of two numbers."""
    documents = {".zgroup": {"zarr_format": 2}, "v/.zarray": ARRAY, "v/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}}
    top = refs.pop("top", {})
    (folder / name).write_text(json.dumps({"version": 1, "refs": {**documents, **refs}, **top}))
    return folder / name


def numbers(path, *flags):
    out = path.parent / "numbers.nc"
    nccopy(*flags, path, out)
    with netCDF4.Dataset(out) as nc:
        nc.set_auto_mask(False)
        return nc["v"][:].tolist()


def refused(*arguments):
    done = subprocess.run([BIN / "nccopy", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 1, done
    return done.stderr


def test_forms_of_references(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "d.bin").write_bytes(np.arange(10, dtype="<i2").tobytes())
    (tmp_path / "whole.bin").write_bytes(np.array([7, 8], "<i2").tobytes())
    absolute = str(tmp_path / "data" / "d.bin")
    for first, last, expected in [
        ({"v/0": ["data/d.bin", 2, 4]}, {"v/1": [absolute, 8, 4]}, [1, 2, 4, 5]),
        ({"v/0": [f"file://{absolute}", 2, 4]}, {"v/1": ["whole.bin"]}, [1, 2, 7, 8]),
        ({"v/0": "base64:AQACAA=="}, {"v/1": "\x03\x00\x04\x00"}, [1, 2, 3, 4]),
        ({}, {"v/1": ["{{u}}/d.bin", 0, 4]}, [5, 5, 0, 1]),
    ]:
        top = {"templates": {"u": "data"}}
        assert numbers(references(tmp_path, **first, **last, top=top)) == expected
    rules = [{"key": "v/{{i}}", "url": "{{u}}/d.bin", "offset": "{{i * 4}}", "length": "4", "dimensions": {"i": {"stop": 2}}}]
    assert numbers(references(tmp_path, top={"templates": {"u": "data"}, "gen": rules})) == [0, 1, 2, 3]
    # Version 0.
    refs = json.loads(references(tmp_path, **{"v/0": ["whole.bin"]}).read_text())["refs"]
    (tmp_path / "zero.json").write_text(json.dumps(refs))
    assert numbers(tmp_path / "zero.json") == [7, 8, 5, 5]


def test_what_references_may_lead_to(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    for path in (inside / ".hidden", outside / "o.bin", inside / "short.bin"):
        path.write_bytes(b"\1\0\2\0")
    (inside / "link").symlink_to(outside / "o.bin")
    for place, told in [
        ([str(outside / "o.bin"), 0, 4], "--data-dir DIR"),
        (["../outside/o.bin", 0, 4], "--data-dir DIR"),
        (["link", 0, 4], "--data-dir DIR"),
        (["file:///etc/passwd", 0, 4], "--data-dir DIR"),
        ([".hidden", 0, 4], "is hidden"),
        (["short.bin", 0, 5], "has 4 bytes"),
        (["short.bin", 2, 4], "has 4 bytes"),
        (["none.bin", 0, 4], "does not exist"),
        (["/dev/zero", 0, 4], "outside"),
        (["refs.json", 0, 4], "the file of references itself"),
        (["reference://x", 0, 4], "do not lead to references"),
        (["s3://bucket/key", 0, 4], "--allow URL"),
        (["ftp://host/key", 0, 4], "ftp"),
        (["memory://x", 0, 4], "memory"),
    ]:
        refs = references(inside, **{"v/0": place})
        said = refused(refs, tmp_path / "out.nc")
        assert told in said and "variable v: chunk [0]" in said and place[0] in said, said
    refs = references(inside, **{"v/0": [str(outside / "o.bin"), 0, 4]})
    assert numbers(refs, "--data-dir", outside) == [1, 2, 5, 5]


def test_texts_that_are_no_references(tmp_path):
    deep = '{"version": 1, "refs": {"v/.zarray": ' + '{"a":' * 100_000
    for text, told in [
        ('{"version": 3, "refs": {".zgroup": "{}"}}', "version 3"),
        ('{"version": 1, "refs": {".zgroup": 1}}', "key .zgroup"),
        ('{"version": 1, "refs": {".zgroup": "{}"}', "JSON at byte"),
        ('{"version": 1, "refs": {"a": "b"}}', "without a Zarr dataset"),
        ('{"version": 1, "refs": {}, "gen": [{"key": "a", "url": "{{ 1 / 2 }}", "dimensions": {}}]}', "{{ 1 / 2 }}"),
        (deep, "512 levels"),
    ]:
        (tmp_path / "bad.json").write_text(text)
        said = refused(tmp_path / "bad.json", tmp_path / "out.nc")
        assert told in said, said
