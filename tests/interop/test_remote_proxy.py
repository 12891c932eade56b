"""The proxy makes each fault as it says, and counts; the stand-in for Google's store does what its clients need."""

import http.client
import os

import pytest
from remote_proxy import Proxy, fault
from remote_stores import BUCKET, Gcs

SIZE = 100_000
RANGE = (10, 50_009)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    store = Gcs(None, tmp_path_factory.mktemp("home"))
    store.content = os.urandom(SIZE)
    store.put("x", store.content)
    yield store
    store.program.end()


@pytest.fixture(scope="module")
def proxy(stored):
    proxy = Proxy(stored.port)
    yield proxy
    proxy.end()


class Answer:
    """What a client sees of one request. `error` is the exception that ended it."""

    def __init__(self, port, method="GET", key="x", body=None, ranged=True, **headers):
        self.status = self.body = self.error = None
        headers = {**({"Range": f"bytes={RANGE[0]}-{RANGE[1]}"} if ranged else {}), **headers}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=0.5)
        try:
            connection.request(method, f"/{BUCKET}/{key}", body, headers)
            answer = connection.getresponse()
            self.status, self.headers = answer.status, answer.headers
            self.body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.error = error
        finally:
            connection.close()


FAULTS = {
    "status": ({"status": 503, "code": "SlowDown", "retry_after": 2}, lambda a, _: a.status == 503 and b"SlowDown" in a.body and a.headers["Retry-After"] == "2"),
    "skewed": ({}, lambda a, _: a.status == 403 and b"RequestTimeTooSkewed" in a.body),
    "drop": ({}, lambda a, _: isinstance(a.error, http.client.RemoteDisconnected)),
    "reset": ({}, lambda a, _: isinstance(a.error, ConnectionResetError)),
    "stall": ({}, lambda a, _: isinstance(a.error, TimeoutError) and a.status is None),
    "reset-body": ({}, lambda a, _: a.status == 206 and isinstance(a.error, ConnectionResetError)),
    "short-body": ({}, lambda a, c: isinstance(a.error, http.client.IncompleteRead) and a.error.partial == c[:25_000]),
    "stall-body": ({}, lambda a, _: a.status == 206 and isinstance(a.error, TimeoutError)),
    "half-body": ({}, lambda a, c: a.status == 206 and a.body == c[:25_000] and a.headers["Content-Range"] == f"bytes 10-50009/{SIZE}"),
    "wrong-range": ({}, lambda a, c: a.body == c and a.headers["Content-Range"] == f"bytes 11-50010/{SIZE}"),
    "whole": ({}, lambda a, _: a.status == 200 and len(a.body) == SIZE),
    "unsatisfiable": ({}, lambda a, _: a.status == 416),
    "gzip": ({}, lambda a, _: a.headers["Content-Encoding"] == "gzip" and a.body[:2] == b"\x1f\x8b"),
    "html": ({}, lambda a, _: a.status == 200 and a.headers["Content-Type"].startswith("text/html") and b"<html>" in a.body),
    "redirect": ({"to": "http://10.1.2.3{path}"}, lambda a, _: a.status == 307 and a.headers["Location"] == "http://10.1.2.3/bucket/x"),
    "changed": ({}, lambda a, c: a.body == c and a.headers["ETag"] == '"' + "f" * 32 + '"'),
    "changed-unasked": ({}, lambda a, c: a.body == c and a.headers["ETag"] == '"' + "f" * 32 + '"'),
    "lost-answer": ({}, lambda a, _: isinstance(a.error, http.client.RemoteDisconnected)),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_meets_the_request_it_is_meant_for(stored, proxy, kind):
    details, is_there = FAULTS[kind]
    proxy.set(fault(kind, at=[2], **details))
    content = stored.content[RANGE[0]:RANGE[1] + 1]
    answers = [Answer(proxy.port) for _ in range(3)]
    assert is_there(answers[1], content), vars(answers[1])
    assert [answers[0].body, answers[2].body] == [content, content]
    assert proxy.counts()["faults"] == {kind: 1}


def test_a_changed_object_fails_what_wants_the_old_one(proxy):
    proxy.set(fault("changed", start=1))
    assert Answer(proxy.port, **{"If-Match": '"old"'}).status == 412
    proxy.set(fault("changed-unasked", start=1))
    assert Answer(proxy.port, **{"If-Match": '"old"'}).status == 206


def test_a_lost_answer_is_of_a_request_that_was_carried_out(stored, proxy):
    proxy.set(fault("lost-answer", at=[1], method="PUT"))
    assert Answer(proxy.port, "PUT", "y", b"new", ranged=False).error is not None
    assert stored.get("y") == b"new"


def test_an_unanswered_request_was_carried_out(stored, proxy):
    proxy.set(fault("unanswered", at=[1], method="PUT"))
    assert isinstance(Answer(proxy.port, "PUT", "z", b"new", ranged=False).error, TimeoutError)
    assert stored.get("z") == b"new"
    assert proxy.counts()["faults"] == {"unanswered": 1}


def test_latency_bandwidth_and_counts(proxy):
    import time

    proxy.set(latency_ms=30, bytes_per_second=500_000)
    begun = time.monotonic()
    assert Answer(proxy.port).status == 206
    assert 0.12 < time.monotonic() - begun < 0.5
    counts = proxy.counts()
    assert (counts["requests"], counts["methods"], counts["received"]) == (1, {"GET": 1}, 50_000)
    assert [(r["method"], r["path"], r["range"], r["status"]) for r in proxy.log()] == [("GET", "/bucket/x", "bytes=10-50009", 206)]


def test_conditions_and_uploads_of_the_stand_in(stored):
    def ask(method, key, body=None, query="", **headers):
        return Answer(stored.port, method, key + query, body, ranged=False, **headers)

    once = {"x-goog-if-generation-match": "0"}
    assert ask("PUT", "once", b"1", **once).status == 200
    assert ask("PUT", "once", b"2", **once).status == 412
    assert stored.get("once") == b"1"
    generation = ask("GET", "once").headers["x-goog-generation"]
    assert ask("PUT", "once", b"3", **{"x-goog-if-generation-match": generation}).status == 200
    assert ask("PUT", "copy", **{"x-goog-copy-source": "bucket/once"}).status == 200
    assert stored.get("copy") == b"3"
    begun = ask("POST", "large", query="?uploads").body.decode()
    upload = begun.split("<UploadId>")[1].split("<")[0]
    pieces = [os.urandom(5 << 20), b"the end"]
    tags = {}
    for number in 2, 1:
        tags[number] = ask("PUT", "large", pieces[number - 1], f"?partNumber={number}&uploadId={upload}").headers["ETag"]
    assert stored.uploads() == ["large"] and "large" not in stored.keys()
    parts = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{tags[n]}</ETag></Part>" for n in (1, 2))
    assert ask("POST", "large", parts.encode(), f"?uploadId={upload}", **once).status == 200
    assert stored.get("large") == b"".join(pieces)
    assert stored.uploads() == []
