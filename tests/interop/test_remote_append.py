"""`nccopy --append` on stores: trees of keys and repositories grow where they are, files are replaced."""

import netCDF4
import numpy as np
import pytest
import test_append_scalars as scalars
from remote_proxy import fault
from remote_run import check_no_secret, on
from remote_stores import STORES
from test_append import dim, found, is_whole, made, name_of, old_or_new
from test_remote_kills import each_kill, started

TREES = {"zarr2-consolidated": "zarr", "zarr2": "zarr", "zarr3-shards": "zarr,v3", "nczarr": "nczarr"}


def put(store, maker, path, key):
    if path.is_dir():
        store.put_tree(path, key)
    else:
        store.put(key, path.read_bytes())


def download(store, key, folder, name):
    """The dataset at a key as a local one."""
    target = folder / name
    for inner, value in store.get_all(f"{key}/").items():
        path = target / inner
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    return target


def url(store, maker, key):
    return store.tree(key, TREES[maker]) if maker in TREES else store.url(key)


@pytest.mark.parametrize("store", STORES, indirect=True)
@pytest.mark.parametrize("maker", [*TREES, "nc4", "nc3"])
def test_datasets_grow(store, tmp_path, maker):
    old = made(maker, name_of(maker, tmp_path / "old"), 0, 10)
    put(store, maker, old, "data/all")
    for first, count in [(10, 7), (17, 1)]:
        new = made(maker, name_of(maker, tmp_path / f"{first}"), first, count)
        on(store, "nccopy", "--append", *dim(maker), new, url(store, maker, "data/all")).whole()
    if maker in TREES:
        grown = download(store, "data/all", tmp_path, "grown")
        assert not [path for path in grown.rglob(".ncutils*")]
    else:
        grown = tmp_path / "grown.nc"
        grown.write_bytes(store.get("data/all"))
    assert is_whole(found(maker, grown), 18)
    assert store.uploads() == []


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_nczarr_with_scalars_grows(store, tmp_path):
    put(store, "nczarr", scalars.made("nczarr", tmp_path, 3), "all")
    new = scalars.source(tmp_path / "new.nc", "nczarr", 3, 4)
    on(store, "nccopy", "--append", new, url(store, "nczarr", "all")).whole()
    grown = download(store, "all", tmp_path, "grown")
    for read in (scalars.by_netcdf4, scalars.by_zarr_python):
        scalars.check(read(grown), "nczarr", 7)


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
@pytest.mark.parametrize("maker", ["zarr2-consolidated", "zarr2", "zarr3-shards"])
def test_kills_leave_each_array_old_or_new(store, proxy, tmp_path, maker):
    old = made(maker, name_of(maker, tmp_path / "old"), 0, 10)
    new = made(maker, name_of(maker, tmp_path / "new"), 10, 7)

    def before():
        store.clear()
        put(store, maker, old, "all")

    arguments = ["--append", *dim(maker), new, url(store, maker, "all")]
    for n, was_killed in enumerate(each_kill(store, proxy, before, *arguments)):
        left = download(store, "all", tmp_path, f"left{n}")
        old_or_new(maker, left, 10, 17)
        if was_killed and not is_whole(found(maker, left), 17):
            on(store, "nccopy", "--replace", *arguments).whole()
            assert is_whole(found(maker, download(store, "all", tmp_path, f"again{n}")), 17)


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
def test_the_mark_of_a_run_that_did_nothing_is_taken_over(store, tmp_path):
    maker = "zarr2"
    put(store, maker, made(maker, tmp_path / "old.zarr", 0, 10), "all")
    new = made(maker, tmp_path / "new.zarr", 10, 7)
    store.put("all/.ncutils-growing", b"of another run\n")
    # Nobody can tell whether the other run lives.
    on(store, "nccopy", "--append", *dim(maker), new, url(store, maker, "all")).refused("another run adds to it", "--replace")
    on(store, "nccopy", "--append", "--dry-run", *dim(maker), new, url(store, maker, "all")).whole()
    assert store.get("all/.ncutils-growing") == b"of another run\n"
    on(store, "nccopy", "--append", "--replace", *dim(maker), new, url(store, maker, "all")).whole()
    assert ".ncutils-growing" not in "".join(store.keys())
    assert is_whole(found(maker, download(store, "all", tmp_path, "grown")), 17)
    # A refusal leaves no mark.
    on(store, "nccopy", "--append", *dim(maker), new, url(store, maker, "all")).refused("new.zarr")
    assert ".ncutils-growing" not in "".join(store.keys())


def part(path, first, count):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createDimension("x", 50)
        f.createVariable("time", "f8", ("time",))[:] = np.arange(first, first + count)
        values = np.arange(50 * first, 50 * (first + count)).reshape(count, 50)
        f.createVariable("v", "i4", ("time", "x"), chunksizes=(2, 50), zlib=True)[:] = values
    return path


@pytest.mark.parametrize("store", STORES, indirect=True)
@pytest.mark.parametrize("specification", [1, 2])
def test_repositories_get_snapshots(store, tmp_path, specification):
    url = store.url("data/repo", "icechunk")
    for n, (first, count) in enumerate([(0, 4), (4, 6), (10, 3)]):
        store.put(f"in/{n}.nc", part(tmp_path / f"{n}.nc", first, count).read_bytes())
        options, spec = (["--append"], "") if n else ([], f"&spec={specification}")
        on(store, "nccopy", "--inline", "0", *options, store.url(f"in/{n}.nc"), url + spec).whole()
    found = store.keys("data/repo/")
    assert not [key for key in found if ".ncutils" in key]
    assert len([key for key in found if "/snapshots/" in key]) == 4
    assert len([key for key in found if "/overwritten/" in key]) == (2 if specification == 2 else 0)
    on(store, "nccopy", "-k", "nc4", url, tmp_path / "back.nc").whole()
    with netCDF4.Dataset(tmp_path / "back.nc") as back:
        assert (back["time"][:] == np.arange(13)).all()
        assert (back["v"][:].ravel() == np.arange(13 * 50)).all()


@pytest.mark.parametrize("store", ["s3s", "gcs"], indirect=True)
@pytest.mark.parametrize("specification", [1, 2])
def test_of_two_appends_at_once_one_wins(store, proxy, tmp_path, specification):
    url = store.url("repo", "icechunk")
    on(store, "nccopy", part(tmp_path / "0.nc", 0, 4), f"{url}&spec={specification}").whole()
    first, second = (part(tmp_path / f"{n}.nc", 4, n) for n in (1, 2))
    # The first run is asked to wait with its last write, which it has prepared by then.
    slash = "%2F" if store.name == "gcs" else "/"
    branch = f"repo{slash}repo" if specification == 2 else f"repo{slash}refs"
    proxy.set(fault("status", start=1, method="PUT", contains=branch, status=503, code="SlowDown"))
    waiting = started(store, proxy, "--append", first, url)
    assert proxy.until_fault(waiting) is not None
    # The mark of the first run keeps others out, unless they are told that it is dead.
    on(store, "nccopy", "--append", second, url).refused("another run adds to it")
    on(store, "nccopy", "--append", "--replace", second, url).whole()
    proxy.set()
    told = waiting.communicate(timeout=60)[1].decode()
    check_no_secret(told, store.secrets)
    assert waiting.returncode == 1 and "another program has added a snapshot to the branch main" in told, told
    assert "time = UNLIMITED ; // (6 currently)" in on(store, "ncdump", "-h", url).whole().out
    found = store.keys("repo/")
    assert not [key for key in found if ".ncutils" in key]
    assert len([key for key in found if "/overwritten/" in key]) == (1 if specification == 2 else 0)
