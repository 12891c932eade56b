"""LZ4 frames in Zarr: imagecodecs reads what is encoded here, and the reverse."""

import json
import subprocess

import numpy as np
import pytest
from conftest import harness, nccopy, ncdump, ncgen

imagecodecs = pytest.importorskip("imagecodecs")
zarr = pytest.importorskip("zarr", "3")
numcodecs = pytest.importorskip("imagecodecs.numcodecs")

NAME = "imagecodecs_lz4f"
WALK = np.cumsum(np.random.default_rng(5).integers(-9, 10, 200_000)).astype("<i4")
NOISE = np.random.default_rng(6).integers(0, 256, 300_000).astype("u1")
OPTIONS = [
    {}, {"level": 9}, {"blocksizeid": 5, "contentchecksum": True}, {"blocksizeid": 7, "blockchecksum": True},
    {"contentchecksum": True, "blockchecksum": True},
]
CDL = """netcdf a { dimensions: x = 50000 ; variables: int v(x) ; v:_ChunkSizes = 50000 ; data: v = %s ; }"""


def tool(tmp_path, mode, codec, data, *arguments):
    """Runs our codec over a chunk."""
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    subprocess.run(harness("filter_tool", mode, json.dumps([codec.get_config()]), source, target, *arguments), check=True, capture_output=True)
    return target.read_bytes()


# A frame of many blocks is linked if imagecodecs makes it.
@pytest.mark.parametrize("data", [WALK[:1], WALK[:77], WALK[:5000], WALK, NOISE], ids=len)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_both_ways(tmp_path, options, data):
    codec, data = numcodecs.Lz4f(**options), data.tobytes()
    ours = tool(tmp_path, "encode", codec, data)
    assert bytes(codec.decode(ours)) == data
    assert tool(tmp_path, "decode", codec, codec.encode(data), len(data)) == data


@pytest.fixture
def source(tmp_path):
    (tmp_path / "in.cdl").write_text(CDL % ", ".join(map(str, WALK[:50_000])))
    ncgen("-4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    return tmp_path / "in.nc"


def test_version_2(tmp_path, source):
    numcodecs.register_codecs(NAME)
    out = tmp_path / "out.zarr"
    warning = nccopy("-F", f"v,{NAME},contentchecksum=true", source, f"{out}#mode=zarr")
    assert f"numcodecs, and so zarr-python, has no codec for: v ({NAME})" in warning
    np.testing.assert_array_equal(zarr.open(str(out), mode="r")["v"][:], WALK[:50_000])


def test_version_3(tmp_path, source):
    out = tmp_path / "out.zarr"
    nccopy("-F", f"v,{NAME},blocksizeid=5", source, f"{out}#mode=zarr,v3")
    metadata = json.loads((out / "v" / "zarr.json").read_text())
    assert metadata["codecs"][-1] == {"name": NAME, "configuration": {"blocksizeid": 5}}
    chunk = out / "v" / "c" / "0"
    assert imagecodecs.lz4f_decode(chunk.read_bytes()) == WALK[:50_000].tobytes()
    chunk.write_bytes(imagecodecs.lz4f_encode(WALK[7:50_007].tobytes(), blockchecksum=True))
    assert ncdump("-v", "v", f"{out}#mode=zarr,v3").split()[-3] == str(WALK[50_006]).encode()


def test_zarr_python_reads_version_3(tmp_path, source):
    pytest.importorskip("imagecodecs.zarr", reason="imagecodecs has it from Python 3.12 on, with the package imagecodecs-zarr")
    out = tmp_path / "out.zarr"
    nccopy("-F", f"v,{NAME},blocksizeid=5", source, f"{out}#mode=zarr,v3")
    np.testing.assert_array_equal(zarr.open(str(out), mode="r")["v"][:], WALK[:50_000])
