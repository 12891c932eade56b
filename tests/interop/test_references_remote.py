"""References to objects on S3 and web servers, and references that are written there: no data is read, and no secret is written."""

import json

import netCDF4
import numpy as np
import pytest
from conftest import ncdump
from remote_run import on, run, tree_of
from remote_stores import BUCKET, surroundings
from test_http_sources import Server


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("y", 600)
        f.createDimension("x", 50)
        f.createVariable("v", "f4", ("y", "x"), zlib=True, chunksizes=(20, 50))[:] = np.random.default_rng(1).normal(size=(600, 50))
        f.createVariable("c", "f8", ("y", "x"), contiguous=True)[:] = 3
    return path


def names(text):
    return {value[0] for value in json.loads(text)["refs"].values() if isinstance(value, list)}


def lines_of(dumped):
    """Arrays of Zarr come in the order of their names, so lines are compared in none."""
    return sorted(dumped.splitlines())


def test_objects_have_their_urls_and_are_read_by_them(store, source, tmp_path):
    store.put("run/in.nc", source.read_bytes())
    out = tmp_path / "refs.json"
    on(store, "nccopy", store.url("run/in.nc"), out).whole()
    assert names(out.read_text()) == {f"s3://{BUCKET}/run/in.nc"}
    found = on(store, "ncdump", "--allow", f"s3://{BUCKET}/run", "-n", "in", out).whole().out
    assert lines_of(found) == lines_of(ncdump("-n", "in", source).decode())


def test_references_are_written_to_a_store(store, source, tmp_path):
    out, folder = tmp_path / "refs.json", tmp_path / "refs.parq"
    for target in (out, folder):
        on(store, "nccopy", source, target).whole()
    on(store, "nccopy", source, store.url("to/refs.json")).whole()
    assert store.get("to/refs.json") == out.read_bytes()
    on(store, "nccopy", source, store.url("to/refs.parq")).whole()
    assert store.get_all("to/refs.parq/") == tree_of(folder)


def test_files_of_a_web_server(source, tmp_path):
    out, environment = tmp_path / "refs.json", surroundings(tmp_path)
    server = Server(tmp_path)
    try:
        url = server.url("in.nc")
        run("nccopy", url, out, environment=environment).whole()
        assert names(out.read_text()) == {url}
        secret = "0123456789abcdef"
        signed = f"{url}?X-Amz-Signature={secret}"
        refused = run("nccopy", signed, out, environment=environment, secrets=[secret])
        refused.refused("may be a secret", "--base")
        run("nccopy", "--base", "https://h.org/d", signed, out, environment=environment, secrets=[secret]).whole()
        assert names(out.read_text()) == {"https://h.org/d/in.nc"}
        login = url.replace("://", f"://reader:{secret}@")
        run("nccopy", login, out, environment=environment, secrets=[secret]).whole()
        assert names(out.read_text()) == {url}
    finally:
        server.http.shutdown()
