"""Zarr version 3: what users ask for that cannot be, and documents that are damaged. Neither is a panic, and nothing is written."""

import copy
import json
import resource
import shutil
import subprocess

import pytest
from conftest import BIN, nccopy, ncgen

MEMORY = 1 << 30


def run(program, *arguments):
    """A program with little address space, so that it cannot allocate what a shape claims."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    command = [BIN / program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, preexec_fn=limit)
    assert done.returncode in (0, 1) and "panicked" not in done.stderr, (arguments, done)
    return done


def refuses(target, *arguments):
    """The line with which nccopy refuses, having written nothing."""
    before = sorted(path.name for path in target.parent.iterdir())
    done = run("nccopy", *arguments)
    assert done.returncode == 1 and done.stderr.startswith("nccopy: ") and len(done.stderr.splitlines()) == 1, done
    assert sorted(path.name for path in target.parent.iterdir()) == before
    return done.stderr


UNHELD = {
    "...": ("variables: int \\... ;", "..."),
    "zarr.json": ("variables: int zarr.json ;", "zarr.json"),
    "vlen of vlen": ("types: int(*) list_t ; list_t(*) lists_t ; variables: lists_t ragged ;", "ragged"),
    "string in compound": ("types: compound c_t { int a ; string s ; } ; variables: c_t mixed ;", "mixed"),
}


@pytest.mark.parametrize("case", UNHELD)
def test_what_it_cannot_hold(case, tmp_path):
    content, name = UNHELD[case]
    (tmp_path / "a.cdl").write_text(f"netcdf a {{ {content} }}")
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    out = tmp_path / "out.zarr"
    assert name in refuses(out, tmp_path / "a.nc", f"{out}#mode=zarr,v3")


TEXT = """netcdf a {
dimensions: x = 4 ; y = 6 ; t = UNLIMITED ;
variables:
  int good(x) ; float bad(x, y) ; bad:_ChunkSizes = 2, 3 ; short last(y) ; float record(t) ;
data:
  good = 1, 2, 3, 4 ; last = 1, 2, 3, 4, 5, 6 ;
  bad = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    (folder / "a.cdl").write_text(TEXT)
    ncgen("-4", "-o", folder / "a.nc", folder / "a.cdl")
    return folder / "a.nc"


V3, V2 = "out.zarr#mode=zarr,v3", "out.zarr#mode=zarr"
# Name: flags, output, and parts of the message.
MISTAKES = {
    "nczarr": ([], "out.zarr#mode=nczarr,v3", ["v3"]),
    "szip": (["-F", "bad,szip,32,4"], V3, ["bad", "szip"]),
    "n-bit": (["-F", "good,nbit"], V3, ["good"]),
    "lzf": (["-F", "bad,lzf"], V3, ["bad", "lzf"]),
    "shards of netCDF-4": (["--shard", "x/4"], "out.nc", ["--shard"]),
    "shards of version 2": (["--shard", "auto"], V2, ["--shard"]),
    "not a multiple": (["--shard", "bad:3,5"], V3, ["bad", "nearest shape is 2,6"]),
    "rank": (["--shard", "bad:4"], V3, ["bad"]),
    "no such variable": (["--shard", "none_such:4"], V3, ["none_such"]),
    "no such dimension": (["--shard", "none_such/4"], V3, ["none_such"]),
    "length 0": (["--shard", "bad:0,6"], V3, ["bad"]),
    "no length": (["--shard", "x/many"], V3, ["many"]),
    "no size": (["--shard", "12Q"], V3, ["12Q"]),
    "empty": (["--shard", ""], V3, ["--shard"]),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_of_users(case, source, tmp_path):
    flags, out, parts = MISTAKES[case]
    said = refuses(tmp_path / "out", *flags, source, tmp_path / out)
    assert [part for part in parts if part not in said] == [], said


def test_szip_of_an_input_names_the_option(source, tmp_path):
    nccopy("-F", "bad,szip,32,4", source, tmp_path / "szip.nc")
    said = refuses(tmp_path / "out", "-F", "keep", tmp_path / "szip.nc", tmp_path / V3)
    assert "variable bad" in said and "szip" in said and "-F" in said


def test_a_place_that_is_none(source, tmp_path):
    done = run("nccopy", "--shard-index", "middle", source, tmp_path / V3)
    assert done.returncode == 1 and "middle" in done.stderr and not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def store(source, tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "a.zarr"
    nccopy("-d", "1", "--shard", "bad:4,6", source, f"{path}#mode=zarr,v3")
    return path


BYTES = [{"name": "bytes", "configuration": {"endian": "little"}}]
LARGE = 1 << 62


def grid(*shape):
    return {"name": "regular", "configuration": {"chunk_shape": list(shape)}}


def has(**members):
    """A change of members of the document."""
    return lambda document: {**document, **members}


def lacks(member):
    return lambda document: {name: value for name, value in document.items() if name != member}


def sharding(**members):
    """A change of members of the sharding codec."""

    def change(document):
        document = copy.deepcopy(document)
        document["codecs"][0]["configuration"].update(members)
        return document

    return change


def nested(depth):
    codecs = BYTES
    for _ in range(depth):
        codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": codecs, "index_codecs": BYTES}}]
    return has(codecs=codecs)


def codecs(*more):
    return has(codecs=[*BYTES, *more])


def order(*axes):
    return has(codecs=[{"name": "transpose", "configuration": {"order": axes}}, *BYTES])


DAMAGED = {
    "truncated": lambda document: json.dumps(document)[:-20].encode(),
    "empty": lambda _: b"",
    "a list": lambda _: b"[]",
    "a number": lambda _: b"7",
    "not UTF-8": lambda _: b"\xff\xfe{",
    "deep": lambda _: b"[" * 200_000,
    "deep attribute": lambda document: json.dumps({**document, "attributes": None}).replace("null", "[" * 5000 + "]" * 5000).encode(),
    **{f"no {name}": lacks(name) for name in ("shape", "data_type", "fill_value", "codecs", "chunk_grid", "chunk_key_encoding", "node_type", "zarr_format")},
    "format 4": has(zarr_format=4), "format of text": has(zarr_format="3"), "node of none": has(node_type="x"),
    "shape of text": has(shape="x"), "negative shape": has(shape=[-1, 6]), "half shape": has(shape=[4.5, 6]), "shape of 2^64": has(shape=[1 << 64, 6]),
    "float shape": lambda document: json.dumps({**document, "shape": "S"}).replace('"S"', "[1e300, 6]").encode(),
    "many dimensions": has(shape=[1] * 100_000),
    "another rank": has(chunk_grid=grid(2)), "chunk of 0": has(chunk_grid=grid(0, 3), codecs=BYTES), "negative chunk": has(chunk_grid=grid(-2, 3)),
    "fill of text": has(fill_value="abc"), "no fill": has(fill_value=None), "fill of a list": has(fill_value=[1, 2]), "fill of an object": has(fill_value={}),
    "type of a number": has(data_type=7), "large type": has(data_type={"name": "raw_bytes", "configuration": {"length_bytes": 1 << 60}}, fill_value="AA=="),
    "no codec": has(codecs=[]), "codecs of an object": has(codecs={}), "two serializers": codecs(*BYTES), "codec without name": codecs({}),
    "configuration of a number": codecs({"name": "gzip", "configuration": 7}), "many codecs": codecs(*[{"name": "crc32c"}] * 100_000),
    "inner chunk that does not divide": sharding(chunk_shape=[3, 3]), "inner chunk of 0": sharding(chunk_shape=[0, 3]), "inner rank": sharding(chunk_shape=[2]),
    "compressed index": sharding(index_codecs=[*BYTES, {"name": "gzip", "configuration": {"level": 1}}]), "no index codec": sharding(index_codecs=[]),
    "place of the index": sharding(index_location="middle"), "no inner codec": sharding(codecs=[]), "nine levels": nested(9), "a hundred levels": nested(100),
    "separator": has(chunk_key_encoding={"name": "default", "configuration": {"separator": "#"}}), "key encoding of a number": has(chunk_key_encoding=7),
    "list of attributes": has(attributes=[]), "null attributes": has(attributes=None),
}
LEFT_OUT = {
    "data type": has(data_type="float8_e3m4"), "key encoding": has(chunk_key_encoding={"name": "x"}), "grid": has(chunk_grid={"name": "rectilinear"}),
    "member": has(extra={"name": "x"}), "transformers": has(storage_transformers=[{"name": "x"}]),
}
HUGE = {
    "chunks": has(shape=[LARGE, LARGE], chunk_grid=grid(LARGE, LARGE), codecs=BYTES), "rank 32": has(shape=[LARGE] * 32, chunk_grid=grid(*[1] * 32), codecs=BYTES),
    "count": has(shape=[LARGE, 6], chunk_grid=grid(1, 1), codecs=BYTES), "shards": has(shape=[LARGE, 6], chunk_grid=grid(1 << 50, 6)),
    "chunk past the array": has(chunk_grid=grid(1 << 62, 1 << 62), codecs=BYTES),
}
# Well-formed, and no chunk can be read.
UNREADABLE = {
    "unknown codec": codecs({"name": "no.such"}), "level": codecs({"name": "gzip", "configuration": {"level": 99}}), "transpose": order(0, 0),
    "rank of transpose": order(0), "eight levels": nested(8),
}


def changed(store, folder, change):
    """A copy of the store with another document of `bad`."""
    path = folder / "a.zarr"
    shutil.copytree(store, path)
    root = json.loads((path / "zarr.json").read_text())
    root.pop("consolidated_metadata")
    (path / "zarr.json").write_text(json.dumps(root))
    document = change(json.loads((path / "bad" / "zarr.json").read_text()))
    (path / "bad" / "zarr.json").write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return path


def check_others(path, folder, header):
    """The header has the other variables, and they can be copied."""
    assert "good(x)" in header.stdout and "last(y)" in header.stdout
    nccopy("-V", "good,last", path, folder / "good.nc")


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_document_hides_no_other(case, store, tmp_path):
    path = changed(store, tmp_path, DAMAGED[case])
    header = run("ncdump", "-h", path)
    assert header.returncode == 1 and "bad/zarr.json" in header.stderr and len(header.stderr.splitlines()) == 1, header
    assert "bad/zarr.json" in refuses(tmp_path / "out", path, tmp_path / "out.nc")
    check_others(path, tmp_path, header)


@pytest.mark.parametrize("case", LEFT_OUT)
def test_an_unknown_extension_is_left_out(case, store, tmp_path):
    path = changed(store, tmp_path, LEFT_OUT[case])
    header = run("ncdump", "-h", path)
    assert header.returncode == 0 and "bad is left out" in header.stderr and "bad(" not in header.stdout
    assert "bad is left out" in nccopy(path, tmp_path / "out.nc")
    check_others(path, tmp_path, header)


@pytest.mark.parametrize("case", HUGE)
def test_a_huge_shape_has_a_header(case, store, tmp_path):
    path = changed(store, tmp_path, lambda document: {**HUGE[case](document), "dimension_names": None})
    header = run("ncdump", "-h", path)
    assert header.returncode == 0 and header.stderr == "" and "good(x)" in header.stdout and "bad(" in header.stdout, header
    told = refuses(tmp_path / "out", path, tmp_path / "out.nc")
    assert "bad" in told or "dimension _Anonymous_Dim_" in told
    assert "good = 1, 2, 3, 4 ;" in run("ncdump", "-v", "good", path).stdout


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_chain_that_cannot_decode(case, store, tmp_path):
    path = changed(store, tmp_path, UNREADABLE[case])
    header = run("ncdump", "-h", path)
    assert header.returncode == 0 and "bad(x, y)" in header.stdout
    assert "bad" in refuses(tmp_path / "out", "-F", "keep", path, tmp_path / "out.nc")
    dumped = run("ncdump", path)
    assert dumped.returncode == 1 and "bad" in dumped.stderr
    check_others(path, tmp_path, header)
