"""`nccopy --append` on stores: trees of keys grow where they are, files are replaced."""

import pytest
from remote_run import on
from remote_stores import STORES
from test_append import dim, found, is_whole, made, name_of, old_or_new
from test_remote_kills import each_kill

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
