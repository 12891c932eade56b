"""Which requests are made, and how many: opening takes few, no more are under way than allowed, and credentials stay with their server."""

import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from remote_kinds import small  # noqa: F401, a fixture
from remote_proxy import Proxy, fault
from remote_run import on, run, tree_of
from remote_stores import surroundings


def test_a_header_takes_few_requests_and_no_head(store, proxy, small):
    store.put("in.nc", small.of("netcdf4").read_bytes())
    for name in store.url("in.nc", "bytes"), store.url("in.nc"):
        proxy.set()
        on(store, "ncdump", "-h", name, port=proxy.port).whole()
        log = proxy.log()
        assert {request["method"] for request in log} == {"GET"}
        ranges = [request for request in log if request["range"]]
        assert len(ranges) <= 2 and len(log) <= 4, log


def test_an_archive_is_opened_by_its_ends_and_a_region_by_its_blocks(store, proxy, tmp_path):
    original, archive = tmp_path / "in.nc", tmp_path / "in.nc3z"
    with netCDF4.Dataset(original, "w", format="NETCDF3_CLASSIC") as data:
        data.createDimension("t", 100)
        data.createDimension("x", 50_000)
        data.createVariable("v", "f4", ("t", "x"))[:] = np.random.default_rng(1).random((100, 50_000))
    nccopy("-k", "archive", original, archive)
    store.put("in.nc3z", archive.read_bytes())
    proxy.set()
    on(store, "ncdump", "-hs", store.url("in.nc3z"), port=proxy.port).whole()
    assert len(proxy.log()) == 2, proxy.log()
    proxy.set()
    on(store, "ncdump", "-v", "v", "--isel", "t=50", store.url("in.nc3z"), port=proxy.port).whole()
    assert len(proxy.log()) == 3, proxy.log()
    proxy.set()
    on(store, "nccopy", "--restore", store.url("in.nc3z"), tmp_path / "back.nc", port=proxy.port).whole()
    assert (tmp_path / "back.nc").read_bytes() == original.read_bytes()


def test_a_tree_is_opened_by_its_consolidated_metadata(store, proxy, small, tmp_path):
    import xarray

    made = tmp_path / "made"
    xarray.open_dataset(small.of("netcdf4"), decode_cf=False).to_zarr(made, zarr_format=2, consolidated=True)
    store.put_tree(made, "tree")
    proxy.set()
    on(store, "ncdump", "-h", store.tree("tree", "zarr"), port=proxy.port).whole()
    asked = [request["path"] for request in proxy.log()]
    # Marks of the root may be looked for, while its metadata comes; no array is.
    assert not any(path.count("/") > 3 for path in asked), asked


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    with netCDF4.Dataset(folder / "made.nc", "w") as data:
        data.createDimension("t", 300)
        data.createDimension("x", 100)
        data.createVariable("v", "i2", ("t", "x"), chunksizes=(1, 100))[:] = np.arange(30_000).reshape(300, 100)
    nccopy(folder / "made.nc", f"{folder / 'tree'}#mode=zarr")
    return folder


@pytest.mark.parametrize("most", [1, 7])
def test_no_more_requests_at_once_than_allowed(store, proxy, tree, tmp_path, most):
    proxy.set(latency_ms=2)
    on(store, "nccopy", "--requests", most, tree / "made.nc", store.tree("out", "zarr"), port=proxy.port).whole()
    assert proxy.counts()["most"] <= most
    assert store.get_all("out/") == tree_of(tree / "tree")
    proxy.set(latency_ms=2)
    on(store, "nccopy", "--requests", most, store.tree("out", "zarr"), tmp_path / "out.nc", port=proxy.port).whole()
    assert proxy.counts()["most"] <= most


def test_many_requests_are_under_way_at_once(store, proxy, tree, tmp_path):
    store.put_tree(tree / "tree", "in")
    proxy.set(latency_ms=30)
    on(store, "nccopy", store.tree("in", "zarr"), tmp_path / "out.nc", port=proxy.port).whole()
    counts = proxy.counts()
    assert 32 < counts["most"] <= 64
    # Each object once, and a few for the metadata and the list.
    assert counts["requests"] <= 310


def test_a_login_stays_with_its_server(files_server, files_proxy, small, tmp_path):
    (files_server.root / "classic.nc").write_bytes(small.of("classic").read_bytes())
    elsewhere = Proxy(files_server.port)
    try:
        user, password = files_server.login
        (tmp_path / ".ncrc").write_text(f"HTTP.CREDENTIALS.USERNAME={user}\nHTTP.CREDENTIALS.PASSWORD={password}\n")
        files_proxy.set(fault("redirect", start=1, to=f"http://127.0.0.1:{elsewhere.port}{{path}}"))
        name = files_server.url("classic.nc", "bytes", port=files_proxy.port)
        run("ncdump", "-h", name, environment=surroundings(tmp_path), secrets=[password]).whole()
        assert all("authorization" in request["headers"] for request in files_proxy.log())
        assert elsewhere.log() and not any({"authorization", "cookie"} & set(request["headers"]) for request in elsewhere.log())
    finally:
        elsewhere.end()
