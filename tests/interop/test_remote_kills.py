"""A program that is killed while it writes to a store leaves nothing partial that opens; one that is interrupted leaves nothing."""

import signal
import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy
from remote_long import LONG
from remote_proxy import fault
from remote_run import check_no_secret, different, on, tree_of

MOMENTS = 50 if LONG else 5


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two files of noise, of several parts each, and a tree of each."""
    folder = tmp_path_factory.mktemp("data")
    for seed, name in enumerate(("new", "old")):
        with netCDF4.Dataset(folder / "made.nc", "w") as made:
            made.createDimension("t", 80)
            made.createDimension("x", 75_000)
            v = made.createVariable("v", "f4", ("t", "x"), chunksizes=(1, 75_000))
            v[:] = np.random.default_rng(seed).normal(0, 1, (80, 75_000))
        nccopy(folder / "made.nc", folder / f"{name}.nc")
        nccopy(folder / f"{name}.nc", f"{folder / name}.zarr#mode=zarr")
    return folder


def started(store, proxy, *arguments):
    command = [str(BIN / "nccopy"), "--verbose", *map(str, arguments)]
    return subprocess.Popen(
        command, env=store.environment(proxy.port), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
    )


def requests_of(store, proxy, before, *arguments):
    """How many requests the whole run makes."""
    before()
    proxy.set()
    on(store, "nccopy", *arguments, port=proxy.port).whole()
    return proxy.counts()["requests"]


def each_kill(store, proxy, before, *arguments):
    """Kills the program while it waits for the answer to a request: the first, the last, and those between.

    The server carries out every second of these requests, and is not asked the others. Yields True after a run that was killed, False
    after one that was done before. Fails in the end if too few runs were killed to say anything.
    """
    whole = requests_of(store, proxy, before, *arguments)
    killed = 0
    for moment in range(MOMENTS):
        before()
        number = 1 + moment * (whole - 1) // (MOMENTS - 1)
        proxy.set(fault(("stall", "unanswered")[moment % 2], at=[number]))
        process = started(store, proxy, *arguments)
        proxy.until_fault(process)
        process.kill()
        error = process.communicate(timeout=60)[1]
        check_no_secret(error.decode(errors="replace"), store.secrets)
        was_killed = process.returncode == -signal.SIGKILL
        killed += was_killed
        # The run is over: what the test asks next meets no fault.
        proxy.set()
        yield was_killed
    assert killed >= MOMENTS // 2, f"{killed} of {MOMENTS} runs were killed, of {whole} requests each"


def content(store, key):
    return store.get(key) if key in store.keys() else None


def test_a_killed_copy_to_a_file(store, proxy, data):
    for _ in each_kill(store, proxy, store.clear, data / "new.nc", store.url("out")):
        assert content(store, "out") in (None, (data / "new.nc").read_bytes())


def test_a_killed_copy_over_a_file(store, proxy, data):
    old, new = (data / "old.nc").read_bytes(), (data / "new.nc").read_bytes()

    def before():
        store.clear()
        store.put("out", old)

    for _ in each_kill(store, proxy, before, data / "new.nc", store.url("out")):
        assert content(store, "out") in (old, new)


def opened(store, name, tmp_path):
    """The bytes of a copy of what a name opens as, or None where it does not open."""
    target = tmp_path / "opened.nc"
    target.unlink(missing_ok=True)
    outcome = on(store, "nccopy", name, target)
    return target.read_bytes() if outcome.code == 0 else None


def copied(folder, name):
    """The bytes of a copy of a local tree."""
    target = folder / f"{name}.back.nc"
    if not target.exists():
        nccopy(folder / f"{name}.zarr", target)
    return target.read_bytes()


def test_a_killed_copy_to_a_tree(store, proxy, data, tmp_path):
    name, new = store.tree("out", "zarr"), copied(data, "new")
    for was_killed in each_kill(store, proxy, store.clear, data / "new.nc", name):
        left = store.keys()
        assert opened(store, name, tmp_path) in (None, new)
        if was_killed and left and opened(store, name, tmp_path) is None:
            # The leftovers are named as such, and the same command with --replace takes their place.
            on(store, "nccopy", data / "new.nc", name).refused("partial|--replace")
            on(store, "nccopy", "--replace", data / "new.nc", name).whole()
            assert different(store.get_all("out/"), tree_of(data / "new.zarr")) == []


def test_a_killed_replacement_of_a_tree(store, proxy, data, tmp_path):
    name, old, new = store.tree("out", "zarr"), copied(data, "old"), copied(data, "new")

    def before():
        store.clear()
        store.put_tree(data / "old.zarr", "out")

    for _ in each_kill(store, proxy, before, "--replace", data / "new.nc", name):
        assert opened(store, name, tmp_path) in (None, old, new)
        # A run that ended behind the switch leaves marks, under keys that no reader sees.
        marks = [key for key in store.keys() if key.startswith("out/.ncutils-partial")]
        if marks or opened(store, name, tmp_path) != new:
            on(store, "nccopy", "--replace", data / "new.nc", name).whole()
        assert opened(store, name, tmp_path) == new
        assert different(store.get_all("out/"), tree_of(data / "new.zarr")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("form", ["file", "tree"])
def test_an_interrupted_copy_leaves_nothing(store, proxy, data, form, number):
    name = store.url("out") if form == "file" else store.tree("out", "zarr")
    whole = requests_of(store, proxy, store.clear, data / "new.nc", name)
    for share in (0.1, 0.3, 0.5, 0.7, 0.9) if LONG else (0.6,):
        store.clear()
        proxy.set(fault("stall", at=[max(1, round(whole * share))]))
        process = started(store, proxy, data / "new.nc", name)
        assert proxy.until_fault(process), "the run ended before"
        process.send_signal(number)
        error = process.communicate(timeout=60)[1].decode(errors="replace")
        check_no_secret(error, store.secrets)
        if process.returncode != 0:
            # What was complete when the signal came is whole.
            if form == "file":
                is_whole = store.keys() == ["out"] and content(store, "out") == (data / "new.nc").read_bytes()
            else:
                is_whole = different(store.get_all("out/"), tree_of(data / "new.zarr")) == []
            assert (is_whole or store.keys() == []) and store.uploads() == [], (store.keys(), store.uploads(), error)
