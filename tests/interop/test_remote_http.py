"""Datasets on a plain web server: nginx, with and without ranges, redirects, TLS and logins."""

import secrets
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from conftest import nccopy, ncdump
from remote_kinds import KINDS, small  # noqa: F401, a fixture among them
from remote_proxy import fault
from remote_run import HOSTILE_ERROR, check_hostile_text_is_shown_safely, run
from remote_stores import surroundings

SINGLE = ["classic", "netcdf4", "zip"]


@pytest.fixture(scope="module")
def environment(remote_home):
    return surroundings(remote_home)


@pytest.fixture(scope="module")
def files(files_server, small):
    """The server, with a file of each kind."""
    for kind in SINGLE:
        (files_server.root / f"{kind}.{KINDS[kind].ending}").write_bytes(small.of(kind).read_bytes())
    return files_server


def url(files, kind, **more):
    return files.url(f"{kind}.{KINDS[kind].ending}", "bytes", **more)


@pytest.mark.parametrize("way", ["plain", "packed", "moved"])
@pytest.mark.parametrize("kind", SINGLE)
def test_a_file_is_equal(files, environment, small, tmp_path, kind, way):
    name = url(files, kind, way=way)
    run("nccopy", "--verbose", name, tmp_path / "out.nc", environment=environment).whole()
    assert (tmp_path / "out.nc").read_bytes() == small.back(kind)
    assert run("ncdump", "-n", "x", name, environment=environment).whole().out == small.dump(kind)


@pytest.mark.parametrize("kind", SINGLE)
def test_a_small_file_of_a_server_without_ranges(files, environment, small, tmp_path, kind):
    name = url(files, kind, way="whole")
    run("nccopy", name, tmp_path / "out.nc", environment=environment).whole()
    assert (tmp_path / "out.nc").read_bytes() == small.back(kind)


@pytest.mark.parametrize("kind", ["nc6", "nc4"])
def test_a_large_file_of_a_server_without_ranges(files, environment, tmp_path, kind):
    with netCDF4.Dataset(tmp_path / "made.nc", "w") as data:
        data.createDimension("x", 1_000_000)
        data.createVariable("v", "f8", ("x",), chunksizes=(100_000,))[:] = np.random.default_rng(1).normal(0, 1, 1_000_000)
    nccopy("-k", kind, tmp_path / "made.nc", files.root / f"large.{kind}")
    name = files.url(f"large.{kind}", "bytes", way="whole")
    outcome = run("nccopy", name, tmp_path / "out.nc", environment=environment).whole()
    assert (tmp_path / "out.nc").read_bytes() == (files.root / f"large.{kind}").read_bytes()
    # What it cost is said once.
    warnings = [line for line in outcome.told() if "warning" in line]
    assert len(warnings) == 1 and "range" in warnings[0], outcome.told()


CONSOLIDATED = """
import sys, xarray
xarray.open_dataset(sys.argv[1], decode_cf=False).to_zarr(sys.argv[2], zarr_format=int(sys.argv[3]), consolidated=True)
"""


@pytest.mark.parametrize("version", [2, 3])
def test_a_consolidated_tree(files, environment, small, tmp_path, version):
    made = files.root / f"tree{version}"
    command = [sys.executable, "-W", "ignore", "-c", CONSOLIDATED, str(small.of("netcdf4")), str(made), str(version)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    nccopy(made, tmp_path / "wanted.nc")
    run("nccopy", "--verbose", files.url(made.name, "zarr"), tmp_path / "out.nc", environment=environment).whole()
    assert (tmp_path / "out.nc").read_bytes() == (tmp_path / "wanted.nc").read_bytes()


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_one_array(files, environment, small, tmp_path, version):
    """An array is no hierarchy: nothing of it needs a list."""
    made = files.root / f"arrays-{version}"
    nccopy(small.of("netcdf4"), f"{made}#mode=zarr,{version}")
    nccopy(made / "number", tmp_path / "wanted.nc")
    run("nccopy", files.url(f"{made.name}/number", "zarr"), tmp_path / "out.nc", environment=environment).whole()
    assert (tmp_path / "out.nc").read_bytes() == (tmp_path / "wanted.nc").read_bytes()


def test_redirects_around_end(files, environment):
    run("ncdump", "-h", url(files, "classic", way="around"), environment=environment).refused("redirects more than 5 times")


def test_certificates_are_verified(files, environment, small):
    name = url(files, "classic", tls=True)
    run("ncdump", "-h", name, environment=environment).refused("certificate")
    trusting = {**environment, "SSL_CERT_FILE": str(files.certificate)}
    assert run("ncdump", "-n", "x", name, environment=trusting).whole().out == small.dump("classic")
    bundle = {**environment, "AWS_CA_BUNDLE": str(files.certificate)}
    assert run("ncdump", "-n", "x", name, environment=bundle).whole().out == small.dump("classic")
    missing = {**environment, "SSL_CERT_FILE": "/no/such/file"}
    run("ncdump", "-h", name, environment=missing).refused("/no/such/file", "SSL_CERT_FILE")
    run("ncdump", "-h", url(files, "classic", way="to-http", tls=True), environment=trusting).refused("https to http")
    assert run("ncdump", "-n", "x", url(files, "classic", way="to-https"), environment=trusting).whole().out == small.dump("classic")


def test_a_login(files, environment, small, tmp_path):
    name = url(files, "classic", way="login")
    user, password = files.login
    run("ncdump", "-h", name, environment=environment, secrets=[password]).refused("401|refused")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".ncrc").write_text(f"HTTP.CREDENTIALS.USERNAME={user}\nHTTP.CREDENTIALS.PASSWORD={password}\n")
    known = {**environment, "HOME": str(home)}
    found = run("ncdump", "--verbose", "-n", "x", name, environment=known, secrets=[password]).whole()
    assert found.out == small.dump("classic")
    (home / ".ncrc").write_text(f"HTTP.CREDENTIALS.USERNAME={user}\nHTTP.CREDENTIALS.PASSWORD={password}x\n")
    run("ncdump", "-h", name, environment=known, secrets=[password]).refused("401|refused")


def test_values_of_a_query_are_sent_and_not_shown(files, files_proxy, environment, tmp_path):
    secret = secrets.token_hex(20)
    query = f"X-Amz-Signature={secret}&other=1"
    name = files.url(f"classic.nc?{query}", "bytes", port=files_proxy.port)
    files_proxy.set()
    found = run("ncdump", "--verbose", "-h", name, environment=environment, secrets=[secret]).whole()
    assert found.out.startswith("netcdf classic {")
    assert {request["path"] for request in files_proxy.log()} == {f"/plain/classic.nc?{query}"}
    for planned in fault("html", start=1), fault("status", start=1, status=403, code="AccessDenied"):
        files_proxy.set(planned)
        run("nccopy", "--verbose", name, tmp_path / "out.nc", environment=environment, secrets=[secret]).refused()


def test_urls_where_none_is_expected_are_not_shown(files, environment, small, tmp_path):
    secret = secrets.token_hex(20)
    password = secrets.token_hex(20)
    hidden = {"environment": environment, "secrets": [secret, password]}
    signed = f"http://usr:{password}@127.0.0.1:{files.port}/plain/classic.nc?{secret}"
    bare = signed.removeprefix("http:")
    source, out = small.source, tmp_path / "out.nc"
    for command in [
        ("nccopy", source, out, signed),
        ("nccopy", "--no-such-option", signed, source, out),
        ("nccopy", "-k", signed, source, out),
        ("nccopy", f"--data-dir={signed}", source, out),
        ("nccopy", source, f" {signed}"),
        ("nccopy", source, bare),
        ("ncgen", "-o", bare, source),
        ("ncdump", "-h", bare),
        ("ncdump", "-h", f" {signed}"),
    ]:
        outcome = run(*command, **hidden)
        assert outcome.code != 0 or "--data-dir" in command[1], command
    name = files.url(f"classic.nc?{secret}")
    assert "?***" in run("ncdump", "-x", name, **hidden).whole().out
    run("ncdump", "--diff", name, source, **hidden)


def test_a_proxy_that_is_not_there_is_named(files, environment):
    known = {**environment, "http_proxy": "http://127.0.0.1:9"}
    run("ncdump", "-h", "http://example.org/x.nc", environment=known).refused("http://127.0.0.1:9", "http_proxy")


def test_an_s3_server_is_recognised(files, files_proxy, environment):
    files_proxy.set(fault("status", start=1, status=403, code="AccessDenied"))
    run("ncdump", "-h", files.url("classic.nc", "bytes", port=files_proxy.port), environment=environment).refused("#mode=s3")


def test_a_terminal_is_safe_from_what_servers_say(files, files_proxy, environment):
    name = files.url("classic.nc", "bytes", port=files_proxy.port)
    files_proxy.set(fault("answer", start=1, status=400, content_type="application/xml", body=HOSTILE_ERROR))
    check_hostile_text_is_shown_safely(run("ncdump", "-h", name, environment=environment))


def test_a_redirect_to_another_protocol_is_refused(files, files_proxy, environment):
    files_proxy.set(fault("redirect", start=1, to="ftp://h/%1b[31m"))
    name = files.url("classic.nc", "bytes", port=files_proxy.port)
    run("ncdump", "-h", name, environment=environment).refused("redirects to ftp:, which is not followed$")


def test_a_file_is_not_written_there(files, environment, small):
    run("nccopy", small.source, files.url("new.nc"), environment=environment).refused("read only|cannot be written|HTTP")
    assert not (files.root / "new.nc").exists()


def test_local_dump_of_the_same_name(files, environment, small):
    """ncdump names a dataset by its file, wherever that is."""
    found = run("ncdump", "-h", url(files, "classic"), environment=environment).whole()
    assert found.out == ncdump("-h", small.of("classic")).decode()
