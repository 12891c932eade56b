"""What is saved of a damaged dataset on a store, and that a store which does not answer is no damage."""

from remote_kinds import small  # noqa: F401, a fixture
from remote_proxy import fault
from remote_run import on


def test_a_damaged_chunk_is_lost(store, small, tmp_path):
    store.put_tree(small.of("zarr"), "in")
    damaged = next(key for key in store.keys() if "/number/0" in key)
    store.put(damaged, b"no chunk")
    target = tmp_path / "out.nc"
    outcome = on(store, "nccopy", "--salvage", store.tree("in", "zarr"), target, codes=[3])
    assert "number" in outcome.error, outcome.told()
    assert target.exists()


def test_a_chunk_that_is_not_answered_for_ends_the_run(store, proxy, small, tmp_path):
    store.put_tree(small.of("zarr"), "in")
    proxy.set(fault("status", status=403, code="AccessDenied", start=0, contains="/number/0"))
    target = tmp_path / "out.nc"
    outcome = on(store, "nccopy", "--salvage", store.tree("in", "zarr"), target, port=proxy.port)
    assert outcome.code == 1 and "403" in outcome.error, outcome.told()
    assert not target.exists()
