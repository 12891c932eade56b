"""Servers whose answers have the status of success and say otherwise in their documents."""

import pytest
from remote_kinds import KINDS, small  # noqa: F401, a fixture among them
from remote_proxy import fault
from remote_run import different, on, tree_of


def answer(body, **where):
    return fault("answer", status=200, content_type="application/xml", body=body, **where)


REFUSAL = "<?xml version='1.0'?><Error><Code>%s</Code><Message>later</Message></Error>"


@pytest.mark.parametrize("ending", ["<IsTruncated>true</IsTruncated>", "<IsTruncated>true</IsTruncated><NextMarker>x</NextMarker>"])
def test_a_list_that_is_cut_is_no_whole_list(store, proxy, small, tmp_path, ending):
    """Without this, chunks that are not in the list would read as fill."""
    store.put_tree(small.of("zarr"), "in")
    body = f"<ListBucketResult><Name>bucket</Name>{ending}<Contents><Key>in/.zgroup</Key><Size>24</Size><LastModified>2020-01-01T00:00:00Z</LastModified></Contents></ListBucketResult>"
    proxy.set(answer(body, start=0, method="GET", contains="list-type=2"))
    target = tmp_path / "out.nc"
    on(store, "nccopy", store.tree("in", "zarr"), target, port=proxy.port).refused("list of keys is cut")
    assert not target.exists()


def test_a_refusal_that_may_pass_is_tried_again(store, proxy, small):
    for code, where in ("SlowDown", dict(method="GET", contains="list-type=2")), ("InternalError", dict(method="PUT", contains="number/")):
        store.clear()
        proxy.set(answer(REFUSAL % code, at=[1, 2, 3, 4], **where))
        on(store, "nccopy", small.source, store.tree("out", "zarr"), port=proxy.port).whole()
        assert different(store.get_all("out/"), tree_of(small.of("zarr"))) == []


def test_a_refusal_that_stays_is_told(store, proxy, small):
    proxy.set(answer(REFUSAL % "AccessDenied", start=0, method="PUT", contains="number/"))
    on(store, "nccopy", small.source, store.tree("out", "zarr"), port=proxy.port).refused("AccessDenied: later")
    assert store.keys() == []


@pytest.mark.parametrize("body", ["<Error><Key>other</Key><Code>AccessDenied</Code><Message>later</Message></Error>", "<Error><Key>other</Key><Code>NoSuchKey</Code></Error>"])
def test_a_deletion_that_tells_of_other_objects(store, proxy, small, body):
    store.put_tree(small.of("zarr"), "out")
    proxy.set(answer(f"<DeleteResult>{body}</DeleteResult>", start=0, method="POST", contains="delete"))
    outcome = on(store, "nccopy", "--replace", small.source, store.tree("out", "zarr"), port=proxy.port)
    assert outcome.code == 1 and "cannot delete" in outcome.error
    proxy.set()
    on(store, "nccopy", "--replace", small.source, store.tree("out", "zarr"), port=proxy.port).whole()
    assert different(store.get_all("out/"), tree_of(small.of("zarr"))) == []
