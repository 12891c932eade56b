"""Outputs on stores that are read back before they take their names."""

import signal
import subprocess

import pytest
from conftest import BIN
from remote_kinds import KINDS, small  # noqa: F401, a fixture among them
from remote_proxy import fault
from remote_run import different, on, tree_of
from remote_stores import STORES

ON = [(store, kind) for store in STORES for kind in KINDS]


@pytest.mark.parametrize("store, kind", ON, indirect=["store"])
def test_a_sound_output_takes_its_name(store, kind, small):
    local = small.of(kind)
    for options in [], ["--replace"]:
        on(store, "nccopy", "--verify", *options, *KINDS[kind].flags, small.source, KINDS[kind].on(store, "data/out")).whole()
        if local.is_dir():
            assert different(store.get_all("data/out/"), tree_of(local)) == []
        else:
            assert store.keys() == ["data/out"]
            assert store.get("data/out") == local.read_bytes()
        assert store.uploads() == []


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
def test_bytes_are_compared(store, small, tmp_path):
    classic = small.of("classic")
    on(store, "nccopy", "--verify", "-k", "archive", classic, store.url("a.nc3z")).whole()
    on(store, "nccopy", "--verify", "--restore", store.url("a.nc3z"), store.url("back.nc")).whole()
    on(store, "nccopy", "--verify", "-k", "h5", small.source, store.url("h5.nc")).whole()
    assert store.keys() == ["a.nc3z", "back.nc", "h5.nc"]
    assert store.get("back.nc") == classic.read_bytes()


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
@pytest.mark.parametrize("replaces", [False, True])
def test_a_value_that_changed_is_found(store, proxy, small, replaces):
    """A chunk of a tree that reads otherwise than it was written."""
    if replaces:
        store.put_tree(small.of("zarr"), "out")
    proxy.set(fault("answer", start=0, method="GET", contains="/number/0.0", status=200, content_type="binary/octet-stream", body="A" * 1000))
    flags = ["--replace"] if replaces else []
    outcome = on(store, "nccopy", "--verify", *flags, small.source, store.tree("out", "zarr"), port=proxy.port)
    outcome.refused("number", "does not have what was asked for")
    wanted = {f"out/{key}": value for key, value in tree_of(small.of("zarr")).items()} if replaces else {}
    assert different(store.get_all(""), wanted) == []


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
def test_a_staged_object_that_stays_is_named(store, proxy, small):
    """The output has its name, so the run succeeded."""
    classic = small.of("classic")
    proxy.set(*(fault("status", start=0, method=method, contains=what, status=403, code="AccessDenied") for method, what in (("POST", "delete"), ("DELETE", "partial"))))
    outcome = on(store, "nccopy", "--verify", classic, store.url("out.nc"), port=proxy.port).whole()
    assert store.get("out.nc") == classic.read_bytes()
    staged = [key for key in store.keys() if key != "out.nc"]
    assert len(staged) == 1
    assert [line for line in outcome.told() if f"warning: the object {staged[0]} stays" in line], outcome.told()


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
@pytest.mark.parametrize("body", ["", "<DeleteResult/>", "<DeleteResult><Deleted><Key>other</Key></Deleted></DeleteResult>"])
def test_an_answer_that_names_no_key_is_no_deletion(store, proxy, small, body):
    classic = small.of("classic")
    lie = fault("answer", start=0, method="POST", contains="delete", status=200, content_type="application/xml", body=body)
    proxy.set(lie)
    outcome = on(store, "nccopy", "--verify", classic, store.url("out.nc"), port=proxy.port).whole()
    (staged,) = (key for key in store.keys() if key != "out.nc")
    assert [line for line in outcome.told() if f"warning: the object {staged} stays" in line], outcome.told()
    refused = fault("status", start=0, method="PUT", contains="number/0.0", status=403, code="AccessDenied")
    proxy.set(lie, refused)
    outcome = on(store, "nccopy", small.source, store.tree("tree", "zarr"), port=proxy.port)
    assert outcome.code == 1 and any("stays below tree" in line for line in outcome.told()), outcome.told()


@pytest.mark.parametrize("store", [store for store in STORES if store != "s3s"], indirect=True)
def test_nothing_stays_where_there_is_no_bucket(store, small):
    bucket = store.url("x").removesuffix("/x")
    outcome = on(store, "nccopy", "--verify", small.source, f"{bucket}none/out.nc")
    outcome.refused("no such bucket")


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_prefix_takes_objects_and_is_a_tree_with_a_fragment(store, small):
    name = small.source.name
    for command, key in [
        (["nccopy"], name),
        (["nccopy", "--verify"], name),
        (["nccopy", "-k", "archive"], f"{small.source.stem}.nc3z"),
    ]:
        on(store, *command, small.source, store.url("folder/")).whole()
        assert f"folder/{key}" in store.keys()
    on(store, "nccopy", small.source, store.tree("tree/", "zarr")).whole()
    assert "tree/.zgroup" in store.keys()


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
def test_an_object_that_cannot_be_read_back(store, proxy, small):
    store.put("out.nc", b"old")
    proxy.set(fault("status", start=0, method="GET", contains="ncutils-partial", status=403, code="AccessDenied"))
    outcome = on(store, "nccopy", "--verify", small.source, store.url("out.nc"), port=proxy.port)
    outcome.refused("out.nc", "cannot read what was written")
    assert store.get_all("") == {"out.nc": b"old"}


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
@pytest.mark.parametrize("kind", ["netcdf4", "zarr"])
def test_an_interrupted_comparison_leaves_nothing(store, proxy, small, kind):
    proxy.set(fault("stall", start=0, method="GET", contains="ncutils-partial" if kind == "netcdf4" else "/number/0.0"))
    process = subprocess.Popen(
        [str(BIN / "nccopy"), "--verify", str(small.source), KINDS[kind].on(store, "out")],
        env=store.environment(proxy.port), stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    met = proxy.until_fault(process)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1].decode()
    assert met, error
    assert process.returncode == -signal.SIGINT, error
    assert store.keys() == [] and store.uploads() == [], (store.keys(), error)
