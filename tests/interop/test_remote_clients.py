"""zarr-python and xarray, over s3fs and obstore, read what we write on a store, and we read what they write; so does netCDF4-python by
byte ranges."""

import json
import os
import subprocess
import sys

import pytest
from conftest import HERE, nccopy
from remote_kinds import KINDS, small  # noqa: F401, a fixture among them
from remote_programs import CLIENTS, needs_clients
from remote_run import on

pytestmark = needs_clients

# obstore meets every store, s3fs those that speak S3.
LIBRARIES = ("zarr", "xarray")
REACHED = [("s3s", "s3fs"), ("moto", "s3fs"), ("s3s", "obstore"), ("moto", "obstore"), ("gcs", "obstore"), ("azure", "obstore")]


def by_clients(jobs):
    """What comes of each job of `remote_clients.py`, by the job's key."""
    environment = {**os.environ, "PYTHONPATH": str(CLIENTS)}
    command = [sys.executable, "-W", "ignore", str(HERE / "remote_clients.py")]
    text = json.dumps(list(jobs.values())).encode()
    done = subprocess.run(command, input=text, env=environment, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return dict(zip(jobs, json.loads(done.stdout), strict=True))


def job(store, url, client, action="read", library="xarray", **more):
    environment = store.through(store.port) if store else {}
    return {"action": action, "library": library, "client": client, "url": str(url), "environment": environment, **more}


@pytest.fixture(scope="module")
def ours(store_of, small):
    """What each library reads of our datasets on each store, and of the local copies."""
    jobs = {(library, kind): job(None, small.of(kind), None, library=library) for library in LIBRARIES for kind in ("zarr", "v3")}
    for name, client in REACHED:
        store = store_of(name)
        for kind in "zarr", "v3":
            key = f"ours/{client}/{kind}"
            on(store, "nccopy", *KINDS[kind].flags, small.source, KINDS[kind].on(store, key)).whole()
            jobs |= {(name, client, library, kind): job(store, store.url(key), client, library=library) for library in LIBRARIES}
    return by_clients(jobs)


@pytest.mark.parametrize("name, client", REACHED)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", ["zarr", "v3"])
def test_they_read_ours(ours, name, client, library, kind):
    found = ours[name, client, library, kind]
    assert "error" not in found, found["error"]
    assert found == ours[library, kind] and len(found) >= 5


@pytest.fixture(scope="module")
def theirs(store_of, tmp_path_factory):
    """Datasets of xarray's on each store, and by version on the local disk; the folder of these."""
    folder = tmp_path_factory.mktemp("theirs")
    jobs = {version: job(None, folder / str(version), None, "write", version=version) for version in (2, 3)}
    for name, client in REACHED:
        store = store_of(name)
        for version in 2, 3:
            url = store.url(f"theirs/{client}/{version}")
            jobs[name, client, version] = job(store, url, client, "write", version=version)
    for key, result in by_clients(jobs).items():
        assert result == {}, (key, result)
    return folder


@pytest.mark.parametrize("name, client", REACHED)
@pytest.mark.parametrize("version", [2, 3])
def test_we_read_theirs(store_of, theirs, tmp_path, name, client, version):
    store = store_of(name)
    nccopy(theirs / str(version), tmp_path / "wanted.nc")
    on(store, "nccopy", store.url(f"theirs/{client}/{version}"), tmp_path / "found.nc").whole()
    assert (tmp_path / "found.nc").read_bytes() == (tmp_path / "wanted.nc").read_bytes()


PEER = """
import json, sys, netCDF4
with netCDF4.Dataset(sys.argv[1]) as data:
    data.set_auto_mask(False)
    print(json.dumps({name: v[...].tobytes().hex() for name, v in data.variables.items()}))
"""


@pytest.mark.parametrize("kind", ["classic", "netcdf4"])
def test_netcdf4_python_reads_ours_by_byte_ranges(store_of, files_server, small, kind):
    store = store_of("s3s")
    on(store, "nccopy", *KINDS[kind].flags, small.source, store.url("ours.nc")).whole()
    (files_server.root / f"{kind}.nc").write_bytes(store.get("ours.nc"))
    read = [
        subprocess.run([sys.executable, "-c", PEER, str(name)], capture_output=True, check=True, timeout=60).stdout
        for name in (small.of(kind), files_server.url(f"{kind}.nc", "bytes"))
    ]
    assert read[0] == read[1] and len(read[0]) > 50_000
