"""HDF5 files on S3 whose data lies in other objects: read as from a local folder, and nothing but "no such object" is a missing source."""

import json

import h5py
import numpy as np
import pytest
from remote_proxy import fault
from remote_run import on
from remote_stores import BUCKET


@pytest.fixture
def folder(store, tmp_path):
    """A virtual dataset over two files of which one is missing, a link to a file, and raw data; the same below `run/` on S3."""
    with h5py.File(tmp_path / "a.h5", "w") as f:
        f["v"] = np.arange(10, dtype="i4")
    with h5py.File(tmp_path / "main.h5", "w", libver="v110") as f:
        layout = h5py.VirtualLayout((20,), "i4")
        layout[:10] = h5py.VirtualSource("a.h5", "v", (10,))
        layout[10:] = h5py.VirtualSource("gone.h5", "v", (10,))
        f.create_virtual_dataset("both", layout, fillvalue=-5)
        f["link"] = h5py.ExternalLink("a.h5", "v")
        f.create_dataset("raw", (4,), "i4", external=[("raw.bin", 0, 16)])
    (tmp_path / "raw.bin").write_bytes(np.arange(4, dtype="i4").tobytes())
    for name in ("main.h5", "a.h5", "raw.bin"):
        store.put(f"run/{name}", (tmp_path / name).read_bytes())
    return tmp_path


def test_sources_are_found_beside_the_object(store, folder):
    local = on(store, "ncdump", folder / "main.h5").whole()
    remote = on(store, "ncdump", store.url("run/main.h5")).whole()
    assert remote.out == local.out
    assert " both = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -5, -5" in remote.out
    for outcome in (local, remote):
        assert [line for line in outcome.told() if "1 of 2" in line and "gone.h5" in line], outcome.told()


def test_a_missing_source_can_be_an_error(store, folder):
    on(store, "ncdump", "--require-sources", store.url("run/main.h5")).refused("gone.h5", "does not exist")


def test_sources_are_listed_with_what_is_missing(store, folder):
    local, remote = (on(store, "ncdump", "--sources", where).whole().out for where in (folder / "main.h5", store.url("run/main.h5")))
    of = lambda text, name: [line for line in text.splitlines() if name in line]
    assert of(local, "gone.h5") and of(remote, "gone.h5") == of(local, "gone.h5")
    assert "does not exist" in of(remote, "gone.h5")[0]
    assert not [line for name in ("a.h5", "raw.bin") for line in of(remote, name) if "does not exist" in line]


@pytest.mark.parametrize("name", ["a.h5", "raw.bin"])
@pytest.mark.parametrize("status", [403, pytest.param(500, marks=pytest.mark.long)])
def test_a_store_that_does_not_answer_is_no_missing_source(store, proxy, folder, name, status, tmp_path):
    """Fill in place of data, or a link that is left out, would be a wrong copy."""
    proxy.set(fault("status", status=status, code="AccessDenied" if status == 403 else "InternalError", start=0, contains=name))
    target = tmp_path / "copy.nc"
    outcome = on(store, "nccopy", store.url("run/main.h5"), target, port=proxy.port)
    assert outcome.code == 1 and str(status) in outcome.error, outcome.told()
    assert not target.exists()


def test_a_raw_file_that_is_missing_is_named(store, folder):
    (store.folder / BUCKET / "run/raw.bin").unlink()
    outcome = on(store, "ncdump", "-v", "raw", store.url("run/main.h5"))
    assert outcome.code == 1 and "raw.bin" in outcome.error and "does not exist" in outcome.error, outcome.told()


@pytest.fixture
def stored(store, tmp_path):
    """Raw data in another file and a virtual dataset of two files, each with deflated chunks; the same below `run/` on S3."""
    values = np.random.default_rng(5).normal(size=(20, 30, 40)).astype("f4")
    names = ["a.h5", "b.h5"]
    for n, name in enumerate(names):
        with h5py.File(tmp_path / name, "w") as f:
            f.create_dataset("d", data=values[10 * n:10 * n + 10], chunks=(5, 30, 40), compression="gzip", shuffle=True)
    layout = h5py.VirtualLayout(values.shape, "f4")
    for n, name in enumerate(names):
        layout[10 * n:10 * n + 10] = h5py.VirtualSource(name, "d", (10, 30, 40))
    with h5py.File(tmp_path / "main.h5", "w", libver="v110") as f:
        f.create_virtual_dataset("v", layout)
        f.create_dataset("raw", (1000,), "i4", external=[("raw.bin", 0, 4000)])
    (tmp_path / "raw.bin").write_bytes(np.arange(1000, dtype="i4").tobytes())
    for name in ["main.h5", "raw.bin", *names]:
        store.put(f"run/{name}", (tmp_path / name).read_bytes())
    return values


def objects_of(path, variable):
    refs = json.loads(path.read_text())["refs"]
    return [value[0] for key, value in sorted(refs.items()) if key.startswith(f"{variable}/") and isinstance(value, list)]


def test_references_lead_to_where_the_data_is(store, stored, tmp_path):
    out, place = tmp_path / "refs.json", f"s3://{BUCKET}/run"
    on(store, "nccopy", "--inline", "0", store.url("run/main.h5"), out).whole()
    assert objects_of(out, "v") == 2 * [f"{place}/a.h5"] + 2 * [f"{place}/b.h5"]
    assert set(objects_of(out, "raw")) == {f"{place}/raw.bin"}
    on(store, "nccopy", "--allow", place, out, tmp_path / "through.nc").whole()
    with h5py.File(tmp_path / "through.nc") as f:
        np.testing.assert_array_equal(f["v"][:], stored)
        np.testing.assert_array_equal(f["raw"][:], np.arange(1000))


def test_a_missing_object_of_references_is_named(store, stored, tmp_path):
    (store.folder / BUCKET / "run/raw.bin").unlink()
    on(store, "nccopy", "--inline", "0", store.url("run/main.h5"), tmp_path / "refs.json").refused("raw.bin", "does not exist")
    on(store, "nccopy", "--exclude", "raw", "--require-sources", store.url("run/main.h5"), tmp_path / "refs.json").whole()
    (store.folder / BUCKET / "run/b.h5").unlink()
    on(store, "nccopy", "--exclude", "raw", "--require-sources", store.url("run/main.h5"), tmp_path / "refs.json").refused("b.h5", "does not exist")
