"""Whatever a network or a server does wrong, the data is equal or the program says why it has none, and nothing partial stays.

Each fault meets each request of a small run (a sample of the requests, but for long runs), and a share of the requests of a large
one.
"""

import re
from dataclasses import dataclass

import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from remote_kinds import KINDS, small  # noqa: F401, a fixture among them
from remote_long import LONG, some
from remote_proxy import fault
from remote_run import different, on, tree_of


@dataclass(frozen=True)
class Expected:
    """A fault, and what comes of it. `says` is in the message if the run fails; `passes`, if it must succeed."""

    kind: str
    details: dict
    says: str = ""
    passes: bool = False
    # What is in the message of a run that writes, where that differs.
    says_in_writing: str | None = None
    # True if all requests from the number on meet it.
    stays: bool = False
    # True if a run waits about a minute until it ends.
    waits: bool = False

    def in_writing(self):
        """What is in the message if a run that writes fails."""
        return self.says if self.says_in_writing is None else self.says_in_writing


def status(code, name="", **more):
    return {"status": code, "code": name, **more}


FAULTS = {
    "500": Expected("status", status(500, "InternalError"), passes=True),
    "502, a page": Expected("status", status(502), passes=True),
    "503": Expected("status", status(503, "SlowDown"), passes=True),
    "503, wait": Expected("status", status(503, "SlowDown", retry_after=1), passes=True),
    "429": Expected("status", status(429, "TooManyRequests"), passes=True),
    "408": Expected("status", status(408, "RequestTimeout"), passes=True),
    "dropped": Expected("drop", {}, passes=True),
    "reset": Expected("reset", {}, passes=True),
    "reset in the body": Expected("reset-body", {}, passes=True),
    "short": Expected("short-body", {}, passes=True),
    "half": Expected("half-body", {}, passes=True),
    "wrong range": Expected("wrong-range", {}, passes=True),
    "lost answer": Expected("lost-answer", {}, passes=True),
    "stalled": Expected("stall", {}, passes=True, waits=True),
    "stalled in the body": Expected("stall-body", {}, passes=True, waits=True),
    "200 to a range": Expected("whole", {}, passes=True),
    "403": Expected("status", status(403, "AccessDenied"), says="403|refused"),
    # A mark of the run itself that is gone is taken for the work of another run.
    "404": Expected(
        "status", status(404, "NoSuchKey"), says="no such object|404|cannot be found",
        says_in_writing="no such object|404|cannot be found|another run took over",
    ),
    "expired": Expected("status", status(400, "ExpiredToken"), says="ExpiredToken|expired"),
    "damaged request": Expected("damaged-request", {}, passes=True),
    "clock": Expected("skewed", {}, says="clock"),
    "416": Expected("unsatisfiable", {}, says="416|range"),
    "gzip": Expected("gzip", {}, says="gzip"),
    "HTML": Expected("html", {}, says="web page|HTML|text/html"),
    "changed": Expected("changed", {}, says="changed|not the one|another", stays=True),
    "changed, unasked": Expected("changed-unasked", {}, says="changed|not the one|another", stays=True),
    "redirect": Expected("redirect", {"to": "http://127.0.0.1:9/elsewhere"}, says="redirect"),
    "redirect around": Expected("redirect", {"to": "{path}"}, says="redirect", stays=True),
    "500 for ever": Expected("status", status(500, "InternalError"), says="500.*tried", stays=True, waits=True),
    "403 for ever": Expected("status", status(403, "AccessDenied"), says="403|refused", stays=True),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A netCDF-4 file of 12 MB of noise, which takes several requests."""
    folder = tmp_path_factory.mktemp("large")
    with netCDF4.Dataset(folder / "made.nc", "w") as data:
        data.createDimension("t", 120)
        data.createDimension("x", 25_000)
        v = data.createVariable("v", "f4", ("t", "x"), chunksizes=(1, 25_000))
        v[:] = np.random.default_rng(4).normal(0, 1, (120, 25_000))
    # By our programs, so that copies are equal.
    nccopy(folder / "made.nc", folder / "large.nc")
    return folder / "large.nc"


def source_of(small, large, kind):
    """The local dataset, and the bytes of a netCDF file that is made of it: a tree is small, a file large."""
    return (small.of(kind), small.back(kind)) if kind == "zarr" else (large, large.read_bytes())


def begun_unheard(proxy):
    """How many uploads were begun whose names the program never got, so that it cannot end them."""
    return sum(r["fault"] == "lost-answer" and "?uploads" in r["path"] for r in proxy.log())


def planned(store, expected, number):
    where = {"start": number} if expected.stays else {"at": [number]}
    open_server = {"open": f"127.0.0.1:{store.open_port}"} if expected.kind == "whole" else {}
    return fault(expected.kind, **where, **open_server, **expected.details)


def requests_of(proxy, run):
    """How many requests a run without faults makes."""
    proxy.set()
    run().whole()
    return proxy.counts()["requests"]


# How many tests share the requests of a fault that is waited out. They run side by side, each with a server of its own.
SHARES = 8


def each_fault(test):
    """Runs a test for the `name` of each fault, those that are waited out only in long runs.

    `share` is a pair of numbers, first and step: which of the requests meet the fault in this test.
    """
    quick = [pytest.param(name, (0, 1), id=name) for name, expected in FAULTS.items() if not expected.waits]
    marks = [pytest.mark.waits, pytest.mark.skipif(not LONG, reason="takes minutes: only in long runs (NCUTILS_REMOTE=long)")]
    long = [
        pytest.param(name, (first, SHARES), id=f"{name}, share {first}", marks=marks)
        for name, expected in FAULTS.items()
        for first in range(SHARES)
        if expected.waits
    ]
    return pytest.mark.parametrize("name, share", quick + long)(test)


def numbers_of(count, share, key):
    """The numbers of the requests, of `count` of them, that meet a fault one after another."""
    first, step = share
    return some(range(1, count + 1), key)[first::step]


@pytest.mark.parametrize("kind", ["netcdf4", "zarr"])
@each_fault
def test_reading(store, proxy, small, large, tmp_path, kind, name, share):
    expected = FAULTS[name]
    store.clear()
    (local, wanted), target = source_of(small, large, kind), tmp_path / "out.nc"
    store.put_tree(local, "in") if local.is_dir() else store.put("in", local.read_bytes())

    def run():
        target.unlink(missing_ok=True)
        return on(store, "nccopy", "--verbose", KINDS[kind].on(store, "in"), target, port=proxy.port, timeout=300)

    count = requests_of(proxy, run)
    for number in numbers_of(count, share, (kind, name)):
        proxy.set(planned(store, expected, number))
        outcome = run()
        met = proxy.counts()["faults"]
        if outcome.code == 0:
            assert target.read_bytes() == wanted, (number, proxy.log())
            # An object that changed before it was first read, or is read once, is no mixture.
            is_new = "changed" in expected.kind and (number == 1 or kind == "zarr")
            assert expected.passes or not expected.stays or not met or is_new, (number, outcome.told(), proxy.log())
        else:
            assert not expected.passes, (number, outcome.told())
            outcome.refused(expected.says)
            assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["changed", "changed-unasked"])
def test_a_shard_that_changes_between_two_requests(store, proxy, tmp_path, kind):
    """Its index and its chunks are read by different requests."""
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 64)
        file.createDimension("y", 20000)
        file.createVariable("v", "f8", ("x", "y"), chunksizes=(1, 20000))[:] = 1.5
    nccopy("--shard", "v:64,20000", source, f"{tmp_path / 'tree'}#mode=zarr,v3")
    store.clear()
    store.put_tree(tmp_path / "tree", "in")

    def run():
        return on(store, "nccopy", "--isel", "x=0,60", store.tree("in", "zarr"), target, port=proxy.port)

    shard = {"method": "GET", "contains": "/v/c/"}
    proxy.set(fault(kind, **shard))
    run().whole()
    numbers = [number for number, one in enumerate(proxy.log(), 1) if "/v/c/" in one["path"]]
    assert len(numbers) > 1
    for number in numbers[1:]:
        target.unlink(missing_ok=True)
        proxy.set(fault(kind, start=number, **shard))
        run().refused("v", "replaced or changed")
        assert not target.exists()


def stored(store, local, unheard):
    """True if the whole dataset is there, False if nothing is; fails at anything else, but for uploads that were never heard of."""
    if local.is_dir():
        found = store.get_all("out/")
        assert not found or different(found, tree_of(local)) == []
    else:
        found = store.keys()
        assert not found or store.get("out") == local.read_bytes()
    assert len(store.uploads()) == unheard
    return bool(found)


@pytest.mark.parametrize("kind", ["netcdf4", "zarr"])
@each_fault
def test_writing(store, proxy, small, large, kind, name, share):
    expected = FAULTS[name]

    def run():
        store.clear()
        name, source = KINDS[kind].on(store, "out"), small.source if kind == "zarr" else large
        return on(store, "nccopy", "--verbose", *KINDS[kind].flags, source, name, port=proxy.port, timeout=300)

    count = requests_of(proxy, run)
    for number in numbers_of(count, share, (kind, name)):
        proxy.set(planned(store, expected, number))
        outcome = run()
        unheard = begun_unheard(proxy)
        proxy.set()
        if outcome.code == 0:
            assert stored(store, source_of(small, large, kind)[0], unheard), (number, outcome.told())
        else:
            assert not expected.passes, (number, outcome.told())
            outcome.refused(expected.in_writing())
            if expected.stays:
                # What cannot be deleted is named, and does not open.
                left = store.keys()
                assert not left or "out" in outcome.error
                assert not left or on(store, "ncdump", "-h", KINDS[kind].on(store, "out")).code == 1
            else:
                assert not stored(store, source_of(small, large, kind)[0], unheard), (number, outcome.told(), store.keys())


@pytest.mark.parametrize("name", [name for name, expected in FAULTS.items() if not expected.waits])
def test_an_old_file_stays_until_the_new_one_is_whole(store, proxy, small, large, name):
    expected, new, old = FAULTS[name], large.read_bytes(), small.of("classic").read_bytes()

    def run():
        store.clear()
        store.put("out", old)
        return on(store, "nccopy", large, store.url("out"), port=proxy.port, timeout=300)

    count = requests_of(proxy, run)
    for number in some(range(1, count + 1), name):
        proxy.set(planned(store, expected, number))
        outcome = run()
        unheard = begun_unheard(proxy)
        if outcome.code != 0:
            assert not expected.passes, (number, outcome.told())
            if expected.stays:
                # A second line may name what stays of an upload, as it cannot be ended.
                assert re.search(expected.in_writing(), outcome.told()[0]), outcome.told()
            else:
                outcome.refused(expected.in_writing())
        assert store.get("out") == (new if outcome.code == 0 else old)
        # Where everything is refused for ever, so is the end of an upload.
        assert len(store.uploads()) == unheard or expected.stays


CHUNKS = 2000
PASSING = ["500", "503", "429", "dropped", "reset", "reset in the body", "short", "half", "wrong range", "lost answer"]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A netCDF-4 file of 2,000 chunks of noise, and a tree of it."""
    folder = tmp_path_factory.mktemp("many")
    with netCDF4.Dataset(folder / "many.nc", "w") as data:
        data.createDimension("t", CHUNKS)
        data.createDimension("x", 4000)
        v = data.createVariable("v", "i2", ("t", "x"), chunksizes=(1, 4000), zlib=True, complevel=1)
        v[:] = np.random.default_rng(3).integers(0, 5000, (CHUNKS, 4000), dtype="i2")
    # Both by our programs, so that they are equal to what is copied.
    nccopy(folder / "many.nc", folder / "in.nc")
    nccopy(folder / "in.nc", f"{folder / 'in.zarr'}#mode=zarr")
    nccopy(folder / "in.zarr", folder / "back.nc")
    return folder


def by_chance(seed, rate=0.05):
    kinds = [FAULTS[name] for name in PASSING]
    return [fault(e.kind, rate=rate / len(kinds), seed=100 * seed + at, **e.details) for at, e in enumerate(kinds)]


@pytest.mark.parametrize("seed", range(5) if LONG else range(1))
@pytest.mark.parametrize("form", ["file", "tree"])
def test_reading_many_chunks_with_random_faults(store, proxy, many, tmp_path, form, seed):
    store.clear()
    if form == "tree":
        store.put_tree(many / "in.zarr", "in")
        name, wanted = store.tree("in", "zarr"), many / "back.nc"
    else:
        store.put("in", (many / "in.nc").read_bytes())
        name, wanted = store.url("in"), many / "in.nc"
    # A file comes by so few requests that chance alone may spare all of them.
    sure = [fault("status", at=[2], **status(503, "SlowDown"))] if form == "file" else []
    proxy.set(*sure, *by_chance(seed, 0.05 if form == "tree" else 0.3))
    on(store, "nccopy", "--verbose", name, tmp_path / "out.nc", port=proxy.port, timeout=300).whole()
    assert (tmp_path / "out.nc").read_bytes() == wanted.read_bytes()
    assert sum(proxy.counts()["faults"].values()) >= (50 if form == "tree" else 1)


@pytest.mark.parametrize("seed", range(5) if LONG else range(1))
@pytest.mark.parametrize("form", ["file", "tree"])
def test_writing_many_chunks_with_random_faults(store, proxy, many, form, seed):
    store.clear()
    name = store.tree("out", "zarr") if form == "tree" else store.url("out")
    proxy.set(*by_chance(seed, 0.05 if form == "tree" else 0.3))
    on(store, "nccopy", "--verbose", many / "in.nc", name, port=proxy.port, timeout=300).whole()
    if form == "tree":
        assert different(store.get_all("out/"), tree_of(many / "in.zarr")) == []
        assert sum(proxy.counts()["faults"].values()) >= 50
    else:
        assert store.get("out") == (many / "in.nc").read_bytes()
    assert len(store.uploads()) == begun_unheard(proxy)
