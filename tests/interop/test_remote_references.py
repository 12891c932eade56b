"""References on remote stores, and to them: values, what they may lead to, and how few requests they take."""

import json
import shutil
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from remote_run import on, run, tree_of
from remote_stores import BUCKET, surroundings

TESTDATA = Path(__file__).parent.parent.parent / "testdata" / "references"

NUMBERS = np.arange(4000, dtype="<i4")


def references(place, name="data.bin", chunks=40):
    """References for `v` of 4000 numbers, whose chunks lie one behind another in an object. `place` is put before its name."""
    size = 4000 // chunks
    array = {"zarr_format": 2, "shape": [4000], "chunks": [size], "dtype": "<i4", "compressor": None, "filters": None, "fill_value": 0, "order": "C"}
    documents = {".zgroup": {"zarr_format": 2}, "v/.zarray": array, "v/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}}
    places = {f"v/{n}": [f"{place}{name}", 4 * size * n, 4 * size] for n in range(chunks)}
    return json.dumps({"version": 1, "refs": {**documents, **places}})


def check(path):
    with netCDF4.Dataset(path) as nc:
        np.testing.assert_array_equal(nc["v"][:], NUMBERS)


@pytest.fixture
def data(store):
    store.put("run/data.bin", NUMBERS.tobytes())
    return store


@pytest.mark.parametrize("store", ["s3s", pytest.param("gcs", marks=pytest.mark.long), pytest.param("azure", marks=pytest.mark.long)], indirect=True)
def test_remote_references_lead_to_their_own_service(store, data, tmp_path):
    for place in ("", f"{store.scheme}://{BUCKET}/run/"):
        store.put("run/refs.json", references(place).encode())
        on(store, "nccopy", store.url("run/refs.json"), tmp_path / "out.nc").whole()
        check(tmp_path / "out.nc")


def test_remote_references_lead_to_no_local_file(store, data, tmp_path):
    (tmp_path / "data.bin").write_bytes(NUMBERS.tobytes())
    for place, told in [(f"{tmp_path}/", "local file"), (f"file://{tmp_path}/", "local file"), ("http://127.0.0.1:9/", "--allow URL")]:
        store.put("run/refs.json", references(place).encode())
        allowed = ("--data-dir", tmp_path)
        on(store, "nccopy", *allowed, store.url("run/refs.json"), tmp_path / "out.nc").refused(told, "data.bin")
        # Readers of references that are made of these would follow them.
        if told == "local file":
            on(store, "nccopy", "--inline", "0", store.url("run/refs.json"), tmp_path / "out.json").refused(told, "data.bin")
    store.put("run/refs.json", references("../").encode())
    on(store, "nccopy", store.url("run/refs.json"), tmp_path / "out.nc").refused("outside")


def test_local_references_lead_to_allowed_urls(store, data, tmp_path):
    refs = tmp_path / "refs.json"
    refs.write_text(references(f"s3://{BUCKET}/run/"))
    on(store, "nccopy", refs, tmp_path / "out.nc").refused("--allow URL")
    on(store, "nccopy", "--allow", f"s3://{BUCKET}/ru", refs, tmp_path / "out.nc").refused("--allow URL")
    on(store, "nccopy", "--allow", "ftp://x", refs, tmp_path / "out.nc").refused("ftp")
    for url in (f"s3://{BUCKET}", f"s3://{BUCKET}/run/", f"s3://{BUCKET}/run/data.bin"):
        on(store, "nccopy", "--allow", url, refs, tmp_path / "out.nc").whole()
        check(tmp_path / "out.nc")
    refs.write_text(references(f"s3://{BUCKET}/run/", "none.bin"))
    on(store, "nccopy", "--allow", f"s3://{BUCKET}", refs, tmp_path / "out.nc").refused("none.bin", "does not exist")


@pytest.mark.parametrize("store", ["s3s", pytest.param("gcs", marks=pytest.mark.long), pytest.param("azure", marks=pytest.mark.long)], indirect=True)
def test_an_object_that_references_lead_to_is_not_replaced(store, data, tmp_path):
    local = tmp_path / "refs.json"
    local.write_text(references(f"{store.scheme}://{BUCKET}/run/"))
    for place in ("", f"{store.scheme}://{BUCKET}/run/"):
        store.put("run/refs.json", references(place).encode())
        on(store, "nccopy", "-k", "nc4", store.url("run/refs.json"), store.url("run/data.bin")).refused("to which", "are the same place")
    allowed = ("--allow", f"{store.scheme}://{BUCKET}")
    on(store, "nccopy", *allowed, "-k", "nc4", local, store.url("run/data.bin")).refused("to which", "are the same place")
    on(store, "nccopy", "-k", "nc4", store.url("run/refs.json"), store.url("run/out.nc")).whole()
    on(store, "nccopy", store.url("run/refs.json"), tmp_path / "out.nc").whole()
    check(tmp_path / "out.nc")


def test_ranges_past_the_end_are_refused(store, data, tmp_path):
    store.put("run/data.bin", NUMBERS.tobytes()[:-1])
    store.put("run/refs.json", references("").encode())
    on(store, "nccopy", store.url("run/refs.json"), tmp_path / "out.nc").refused("data.bin", "ends before")


def test_neighbours_are_one_request(store, proxy, data, tmp_path):
    store.put("run/refs.json", references("", chunks=1000).encode())
    on(store, "nccopy", store.url("run/refs.json"), tmp_path / "out.nc", port=proxy.port).whole()
    check(tmp_path / "out.nc")
    assert proxy.counts()["requests"] <= 12, proxy.log()


def test_references_of_a_web_server(files_server, remote_home, tmp_path):
    environment = surroundings(remote_home)
    (files_server.root / "data.bin").write_bytes(NUMBERS.tobytes())
    whole = files_server.url("")
    for place in ("", whole):
        (files_server.root / "refs.json").write_text(references(place))
        run("nccopy", files_server.url("refs.json"), tmp_path / "out.nc", environment=environment).whole()
        check(tmp_path / "out.nc")
    (tmp_path / "refs.json").write_text(references(whole))
    run("nccopy", "--allow", whole, tmp_path / "refs.json", tmp_path / "out.nc", environment=environment).whole()
    check(tmp_path / "out.nc")


def test_trees_of_references(store, tmp_path):
    for kind, mode in (("parquet/zstd-1", None), ("icechunk/virtual", "icechunk"), ("icechunk/virtual", None)):
        store.clear()
        local = tmp_path / kind
        if not local.exists():
            shutil.copytree(TESTDATA / kind, local)
        for key, value in tree_of(local).items():
            store.put(f"tree/{key}", value)
        header = on(store, "ncdump", "-h", "-n", "x", local).whole().out
        assert on(store, "ncdump", "-h", "-n", "x", store.url("tree", mode)).whole().out == header


def test_joined_inputs_become_references_though_few_are_open(store, tmp_path):
    for n in range(12):
        with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
            nc.createDimension("t", None)
            nc.createDimension("x", 100)
            nc.createVariable("t", "i4", ("t",))[:] = [2 * n, 2 * n + 1]
            nc.createVariable("v", "i4", ("t", "x"), chunksizes=(1, 100), zlib=True)[:] = np.arange(200).reshape(2, 100) + n
        store.put(f"run/{n}.nc", (tmp_path / "in.nc").read_bytes())
    inputs = [store.url(f"run/{n}.nc") for n in range(12)]
    for name, budget in [("all.json", ()), ("few.json", ("-m", "1M"))]:
        on(store, "nccopy", *budget, "--join", "t", *inputs, tmp_path / name).whole()
    assert (tmp_path / "all.json").read_bytes() == (tmp_path / "few.json").read_bytes()
    on(store, "nccopy", "-m", "1M", "--join", "t", *inputs, tmp_path / "out.nc").whole()
    with netCDF4.Dataset(tmp_path / "out.nc") as nc:
        np.testing.assert_array_equal(nc["v"][:], np.concatenate([np.arange(200).reshape(2, 100) + n for n in range(12)]))
