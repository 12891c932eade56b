"""References whose places come from references: the names that they get, and the ranges."""

import json
import os

import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from references_read import check, needs_references
from remote_run import on


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file, and references to it that kerchunk's readers take."""
    folder = tmp_path_factory.mktemp("again") / "d"
    folder.mkdir()
    with netCDF4.Dataset(folder / "a.nc", "w") as f:
        f.createDimension("x", 400)
        f.createVariable("v", "i4", ("x",), chunksizes=(100,), zlib=True)[:] = np.arange(400)
    nccopy("--inline", "0", folder / "a.nc", folder / "refs.json")
    return folder


def written(folder, name, change):
    """References in which `change` made other places."""
    refs = json.loads((folder / "refs.json").read_text())
    refs["refs"] = {key: change(*value) if isinstance(value, list) else value for key, value in refs["refs"].items()}
    path = folder / name
    path.write_text(json.dumps(refs))
    return path


def names(path):
    return {value[0] for value in json.loads(path.read_text())["refs"].values() if isinstance(value, list)}


@pytest.mark.parametrize("name", [
    "https://user:SECRET@h.org/a.nc", "https://h.org/a.nc?X-Amz-Signature=SECRET", "s3://b/a.nc?X-Amz-Signature=SECRET",
])
@pytest.mark.parametrize("out", ["out.json", "out.parq", "repo#mode=icechunk"])
def test_logins_and_signatures_are_not_written(folder, tmp_path, name, out):
    refs = written(folder, "secret.json", lambda _, *place: [name, *place])
    told = nccopy("--inline", "0", refs, f"{tmp_path}/{out}", ok=False)
    assert "variable v" in told and "may be a secret and is not written" in told and "SECRET" not in told
    assert list(tmp_path.iterdir()) == []


def test_relative_names_stay_in_their_place(folder, tmp_path):
    beside = written(folder, "beside.json", lambda _, *place: ["../d/./a.nc", *place])
    nccopy("--inline", "0", beside, tmp_path / "out.json")
    assert names(tmp_path / "out.json") == {str(folder / "a.nc")}
    above = written(folder, "above.json", lambda _, *place: ["../" * 30 + "etc/passwd", *place])
    told = nccopy("--inline", "0", above, tmp_path / "above.json", ok=False)
    assert "leads out of the place of the input" in told and not (tmp_path / "above.json").exists()


@needs_references
def test_base_and_relative_name_what_references_lead_to(folder, tmp_path):
    for name in "a.nc", str(folder / "a.nc"), f"file://{folder / 'a.nc'}":
        refs = written(folder, "whole.json", lambda _, *place: [name, *place])
        nccopy("--inline", "0", "--base", "s3://pub/x", refs, tmp_path / "base.json")
        assert names(tmp_path / "base.json") == {"s3://pub/x/a.nc"}
        nccopy("--inline", "0", "--relative", refs, tmp_path / "relative.json")
        assert names(tmp_path / "relative.json") == {os.path.relpath(folder / "a.nc", tmp_path)}
        check(tmp_path / "relative.json", folder / "a.nc", cwd=tmp_path)
    refs = written(folder, "elsewhere.json", lambda _, *place: ["s3://b/a.nc", *place])
    for says, *options in (
        ("s3://b/a.nc is not in the folder of the inputs", "--base", "s3://pub/x"),
        ("s3://b/a.nc is on a remote store", "--relative"),
        ("--base: a URL such as", "--base", "nonsense"),
    ):
        assert says in nccopy("--inline", "0", *options, refs, tmp_path / "not.json", ok=False)
        assert not (tmp_path / "not.json").exists()


def test_ranges_past_the_end_of_a_local_file_are_refused(folder, tmp_path):
    for refs in (
        written(folder, "past.json", lambda name, _, size: [name, 10**12, size]),
        written(folder, "long.json", lambda name, offset, _: [name, offset, 10**12]),
    ):
        told = nccopy("--inline", "0", refs, tmp_path / "out.json", ok=False)
        assert "variable v" in told and f"the object has {(folder / 'a.nc').stat().st_size} bytes" in told
    # Of a file that is not here, nothing is known.
    gone = written(folder, "gone.json", lambda _, *place: ["gone.nc", *place])
    nccopy("--inline", "0", gone, tmp_path / "out.json")
    assert names(tmp_path / "out.json") == {str(folder / "gone.nc")}


def test_a_repository_has_no_relative_names(folder, tmp_path):
    for options in (["--relative", "--dry-run"], ["--relative"]):
        told = nccopy(*options, folder / "a.nc", f"{tmp_path / 'repo'}#mode=icechunk", ok=False)
        assert "names other files by whole URLs" in told and list(tmp_path.iterdir()) == []


def test_templates_may_come_first_and_do_not_grow_without_a_limit(folder, tmp_path):
    refs = json.loads((folder / "refs.json").read_text())["refs"]
    refs = {key: ["{{t7}}", *value[1:]] if isinstance(value, list) else value for key, value in refs.items()}
    path = folder / "templates.json"
    templates = {f"t{n}": str(folder / "a.nc") for n in range(3000)}
    path.write_text(json.dumps({"version": 1, "templates": templates, "refs": refs}))
    nccopy("--inline", "0", path, tmp_path / "out.json")
    assert names(tmp_path / "out.json") == {str(folder / "a.nc")}
    refs["v/0"][0] = "{{t7}}" * 100_000
    path.write_text(json.dumps({"version": 1, "templates": {"t7": "x" * 1_000_000}, "refs": refs}))
    assert "its text has more than 1048576 bytes" in nccopy(path, tmp_path / "out.nc", ok=False)


@pytest.mark.parametrize("store", ["s3s"], indirect=True)
def test_remote_references_are_replaced_by_references(folder, store):
    target = store.url("again/refs.parq")
    for options in [], ["--replace"]:
        on(store, "nccopy", "--inline", "0", *options, folder / "a.nc", target).whole()
    store.put("again/refs.parq/mine.txt", b"mine")
    on(store, "nccopy", "--replace", folder / "a.nc", target).refused("mine.txt", "no part of references")
