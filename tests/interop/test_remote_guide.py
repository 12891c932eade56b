"""The commands of the guide that name a remote store work as they stand there."""

import re
import shlex

import pytest
from conftest import HERE, ncdump
from remote_kinds import small  # noqa: F401, a fixture
from remote_run import run, tree_of

HOST = "https://host/data/file.nc"


def commands():
    """The words of each command of a page that names a remote store."""
    found = re.findall(r"(?m)^\$ (.*(?:s3|gs|az|https)://.*)$", (HERE.parent.parent / "docs/guide/zarr.md").read_text())
    return [shlex.split(line, comments=True) for line in found]


def test_there_are_six():
    assert [words[0] for words in commands()] == ["ncdump", "nccopy", "nccopy", "nccopy", "nccopy", "ncgen"]


@pytest.fixture
def s3(store_of):
    store = store_of("s3s")
    yield store
    store.clear()


def test_they_work(store_of, s3, files_server, small, tmp_path):
    gcs = store_of("gcs")
    environment = {**s3.environment(), **gcs.through(gcs.port)}
    (files_server.root / "file.nc").write_bytes(small.of("netcdf4").read_bytes())
    s3.put_tree(small.of("zarr"), "store.zarr")
    (tmp_path / "in.nc").write_bytes(small.source.read_bytes())
    (tmp_path / "in.cdl").write_bytes(small.text.read_bytes())
    done = []
    for program, *arguments in commands():
        # The only name that is not one of the test's servers.
        arguments = [files_server.url("file.nc") if word == HOST else word for word in arguments]
        done.append(run(program, *arguments, environment=environment, cwd=tmp_path).whole())
    assert done[0].out == ncdump("-n", "file", "-h", small.of("netcdf4")).decode()
    assert (tmp_path / "out.nc").read_bytes() == small.back("zarr")
    assert s3.get("out.nc")[:8] == b"\x89HDF\r\n\x1a\n"
    assert b'"zarr_format": 3' in b" ".join(s3.get_all("z3.zarr/")["zarr.json"].split())
    assert s3.get_all("out.zarr/") == tree_of(small.of("zarr"))
    assert gcs.get("out.nc")[:8] == b"\x89HDF\r\n\x1a\n"
    found = run("ncdump", "gs://bucket/out.nc", environment=environment).whole()
    assert found.out == ncdump("-n", "out", small.source).decode()
