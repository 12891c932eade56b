"""No secret is printed, wherever it is from and whatever goes wrong, `--verbose` too; and hostile answers fail cleanly."""

import json
import secrets
import stat

import pytest
from remote_kinds import small  # noqa: F401, a fixture
from remote_proxy import fault
from remote_run import HOSTILE_ERROR, check_hostile_text_is_shown_safely, on, run
from remote_stores import STORES, surroundings


@pytest.fixture
def store(store, small):
    """The store, with a file and a tree."""
    store.put("in.nc", small.of("netcdf4").read_bytes())
    store.put_tree(small.of("zarr"), "tree")
    return store


TOKEN = secrets.token_hex(40)


def in_variables(store, home):
    return {"AWS_ACCESS_KEY_ID": store.id, "AWS_SECRET_ACCESS_KEY": store.secret, "AWS_SESSION_TOKEN": TOKEN}


def in_a_profile(store, home):
    (home / ".aws").mkdir()
    lines = ["[default]", f"aws_access_key_id = {store.id}", f"aws_secret_access_key = {store.secret}", f"aws_session_token = {TOKEN}"]
    (home / ".aws" / "credentials").write_text("\n".join(lines))
    return {}


def by_a_process(store, home):
    keys = {"Version": 1, "AccessKeyId": store.id, "SecretAccessKey": store.secret, "SessionToken": TOKEN}
    program = home / "keys"
    program.write_text(f"#!/bin/sh\necho run >> {home}/runs\ncat <<'END'\n{json.dumps(keys)}\nEND\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (home / ".aws").mkdir()
    (home / ".aws" / "config").write_text(f"[default]\ncredential_process = {program}\n")
    return {}


SOURCES = [in_variables, in_a_profile, by_a_process]


def environment(store, proxy, home, source):
    return surroundings(home, AWS_ENDPOINT_URL=f"http://127.0.0.1:{proxy.port}", AWS_REGION="us-east-1", **source(store, home))


ANSWERS = [
    None,
    lambda store: fault("status", start=1, status=403, code=f"SignatureDoesNotMatch {store.secret}"),
    lambda store: fault("status", start=1, status=400, code="ExpiredToken"),
    lambda store: fault("status", start=1, status=400, code=f"InvalidToken {TOKEN}"),
    lambda store: fault("answer", start=1, status=400, content_type="application/xml", body=f"<Error><Code>X</Code><Message>{store.secret} {TOKEN}</Message></Error>"),
    lambda store: fault("redirect", start=1, to=f"http://10.1.1.1/{TOKEN}?token={TOKEN}"),
    lambda store: fault("skewed", start=1),
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("answer", ANSWERS)
def test_no_secret_is_printed(store, proxy, small, tmp_path, source, answer):
    proxy.set(*([answer(store)] if answer else []))
    known = environment(store, proxy, tmp_path, source)
    options = {"environment": known, "secrets": [store.secret, TOKEN]}
    for command in [
        ("ncdump", "--verbose", "-h", store.url("in.nc")),
        ("nccopy", "--verbose", store.tree("tree", "zarr"), tmp_path / "out.nc"),
        ("nccopy", "--verbose", small.source, store.url("new.nc")),
    ]:
        outcome = run(*command, **options)
        # s3s-fs takes no session tokens, which it does not know.
        if answer is not None:
            outcome.refused()


# Answers that have a secret in the code or in the message, to a first request that is then made again.
PASSING = {
    "code": lambda secret: fault("status", at=[1], status=503, code=f"SlowDown {secret}"),
    "message": lambda secret: fault(
        "answer", at=[1], status=503, content_type="application/xml", body=f"<Error><Code>SlowDown</Code><Message>{secret}</Message></Error>"
    ),
}


@pytest.mark.parametrize("level", ["", "debug", "trace"])
@pytest.mark.parametrize("answer", PASSING)
def test_no_secret_of_a_request_made_again_is_printed(store, proxy, small, tmp_path, answer, level):
    """The answer is in no message, as the run succeeds, but the log tells of it."""
    known = {**store.environment(proxy.port), "NCUTILS_LOG": level}
    for command in [
        ("ncdump", "--verbose", "-h", store.url("in.nc")),
        ("nccopy", "--verbose", store.tree("tree", "zarr"), tmp_path / "out.nc"),
        ("nccopy", "--verbose", small.source, store.url("new.nc")),
    ]:
        proxy.set(PASSING[answer](store.secret))
        outcome = run(*command, environment=known, secrets=[store.secret]).whole()
        assert proxy.counts()["faults"] == {PASSING[answer]("")["fault"]["kind"]: 1}
        # The log is where the answer could show.
        assert ("trying again" in outcome.error) == bool(level), outcome.told()


def test_ended_keys_are_renewed_from_their_source(store, proxy, tmp_path):
    known = environment(store, proxy, tmp_path, by_a_process)
    (tmp_path / "keys").write_text((tmp_path / "keys").read_text().replace(f'"SessionToken": "{TOKEN}"', '"Expiration": "2999-01-01T00:00:00Z"'))
    proxy.set(fault("status", at=[1], status=400, code="ExpiredToken"))
    run("ncdump", "-h", store.url("in.nc"), environment=known, secrets=[store.secret]).whole()
    assert (tmp_path / "runs").read_text() == "run\nrun\n"


@pytest.mark.parametrize("name", STORES)
def test_wrong_keys_are_named_and_not_shown(store_of, small, name):
    store = store_of(name)
    if name in ("moto", "gcs"):
        pytest.skip("the server takes any key")
    wrong = {"AWS_SECRET_ACCESS_KEY": secrets.token_urlsafe(30), "AZURE_STORAGE_KEY": "b25seSBhIHRlc3Qga2V5IHRoYXQgaXMgd3Jvbmc="}
    outcome = run(
        "nccopy", "--verbose", small.source, store.url("new.nc"), environment=store.environment(**wrong), secrets=[*store.secrets, *wrong.values()]
    )
    outcome.refused("403|refused", "credentials")


@pytest.mark.parametrize("status", [400, 403])
def test_a_terminal_is_safe_from_what_servers_say(store, proxy, small, status):
    proxy.set(fault("answer", start=1, status=status, content_type="application/xml", body=HOSTILE_ERROR))
    for command in ("ncdump", "-h", store.url("in.nc")), ("ncdump", "-h", store.tree("tree", "zarr")), ("nccopy", small.source, store.url("new.nc")):
        check_hostile_text_is_shown_safely(on(store, *command, port=proxy.port))


BILLION = "<!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'>" + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi")) + "]>"
LISTS = {
    "entities": f"<?xml version='1.0'?>{BILLION}<ListBucketResult><Contents><Key>&i;</Key></Contents></ListBucketResult>",
    "external": "<?xml version='1.0'?><!DOCTYPE l [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><ListBucketResult><Contents><Key>&x;</Key></Contents></ListBucketResult>",
    "cut": "<?xml version='1.0'?><ListBucketResult><Contents><Key>a",
    "no XML": "\x00\x01\x02 nothing \u001b[31m",
    "deep": "<?xml version='1.0'?>" + "<a>" * 50_000,
    "outside": "<?xml version='1.0'?><ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>../../etc/passwd</Key><Size>4</Size>"
    "<LastModified>2020-01-01T00:00:00Z</LastModified><ETag>\"x\"</ETag></Contents></ListBucketResult>",
    "for ever": "<?xml version='1.0'?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>",
}


@pytest.mark.parametrize("name", LISTS)
def test_hostile_lists_fail_cleanly(store, proxy, tmp_path, name):
    proxy.set(fault("answer", start=1, contains="list-type", status=200, content_type="application/xml", body=LISTS[name]))
    outcome = on(store, "nccopy", store.tree("tree", "zarr"), tmp_path / "out.nc", port=proxy.port, timeout=60)
    assert "\x1b" not in outcome.error and "root:" not in outcome.error
    if outcome.code == 0:
        # The list was not needed.
        assert proxy.counts()["faults"] == {}
    else:
        outcome.refused()
        assert not (tmp_path / "out.nc").exists()
