"""Each kind of dataset on each kind of store: written there and read from there, it equals the local copy."""

import gzip

import pytest
from conftest import nccopy, ncdump
from remote_kinds import KINDS, small  # noqa: F401, a fixture among them
from remote_run import different, on, run, tree_of
from remote_stores import STORES, surroundings

ON = [(store, kind) for store in STORES for kind in KINDS]


def put(store, small, kind, key):
    """Puts the local dataset on a store, past our programs."""
    local = small.of(kind)
    if local.is_dir():
        store.put_tree(local, key)
    else:
        store.put(key, local.read_bytes())


def check_stored(store, small, kind, key):
    """What a store has equals the local dataset, and nothing else is there."""
    local = small.of(kind)
    if local.is_dir():
        assert different(store.get_all(f"{key}/"), tree_of(local)) == []
    else:
        assert store.keys(key) == [key]
        assert store.get(key) == local.read_bytes()
    assert store.uploads() == []


@pytest.mark.parametrize("store, kind", ON, indirect=["store"])
def test_copied_there(store, kind, small):
    on(store, "nccopy", "--verbose", *KINDS[kind].flags, small.source, KINDS[kind].on(store, "data/out")).whole()
    check_stored(store, small, kind, "data/out")


@pytest.mark.parametrize("store, kind", ON, indirect=["store"])
def test_read_from_there(store, kind, small, tmp_path):
    put(store, small, kind, "data/in")
    name = KINDS[kind].on(store, "data/in")
    on(store, "nccopy", "--verbose", name, tmp_path / "out.nc").whole()
    assert (tmp_path / "out.nc").read_bytes() == small.back(kind)
    assert on(store, "ncdump", "-n", "x", name).whole().out == small.dump(kind)


@pytest.mark.parametrize("store, kind", ON, indirect=["store"])
def test_the_kind_is_found_without_a_fragment(store, kind, small):
    put(store, small, kind, "data/in")
    assert on(store, "ncdump", "-n", "x", store.url("data/in")).whole().out == small.dump(kind)


@pytest.mark.parametrize("store, kind", ON, indirect=["store"])
def test_generated_there(store, kind, small, tmp_path):
    local, mode, text = tmp_path / "local", KINDS[kind].mode, small.text_of(kind)
    flags = ["-k", "nc6" if kind == "classic" else "nc4"] if mode is None else []
    on(store, "ncgen", *flags, "-o", KINDS[kind].on(store, "data/out"), text).whole()
    run("ncgen", *flags, "-o", f"{local}#mode={mode}" if mode else local, text, environment=surroundings(store.home)).whole()
    if local.is_dir():
        assert different(store.get_all("data/out/"), tree_of(local)) == []
    else:
        assert store.get("data/out") == local.read_bytes()


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_from_there_to_there(store, small):
    put(store, small, "netcdf4", "in.nc")
    on(store, "nccopy", store.url("in.nc"), store.tree("out", "zarr")).whole()
    assert different(store.get_all("out/"), tree_of(small.of("zarr"))) == []


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_what_is_not_there(store, tmp_path):
    for name in store.url("absent.nc"), store.url("absent.nc", "bytes"), store.tree("absent", "zarr"):
        on(store, "nccopy", name, tmp_path / "out.nc").refused("absent")
        assert not (tmp_path / "out.nc").exists()
    name = store.url("absent.nc").replace("bucket", "nobucket")
    on(store, "nccopy", name, tmp_path / "out.nc").refused("nobucket")


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_tree_is_not_put_on_another(store, small):
    store.put("out/notes.txt", b"mine")
    on(store, "nccopy", small.source, store.tree("out", "zarr")).refused("out")
    assert store.keys() == ["out/notes.txt"]


@pytest.mark.parametrize("store", STORES, indirect=True)
@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_compressed_files_are_read(store, ending, small, tmp_path):
    local = small.of("classic")
    packed = tmp_path / f"in.nc.{ending}"
    if ending == "gz":
        packed.write_bytes(gzip.compress(local.read_bytes()))
    else:
        nccopy("-k", "zst", local, packed)
    store.put(f"data/in.nc.{ending}", packed.read_bytes())
    name = store.url(f"data/in.nc.{ending}")
    assert on(store, "ncdump", "-n", "x", name).whole().out == small.dump("classic")
    on(store, "nccopy", "--verbose", name, tmp_path / "out.nc").whole()
    assert ncdump("-n", "x", tmp_path / "out.nc").decode() == small.dump("classic")
