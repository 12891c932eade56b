"""Jobs whose output is on a store: workers on a slow server that fails, killed workers, and what is left of jobs."""

import json
import signal

import job_inputs
import pytest
from jobs import call
from remote_long import LONG
from remote_proxy import fault
from remote_run import different, on, tree_of
from test_remote_kills import started

PARTS = 4

# Format of a tree, and options.
TREES = {
    "zarr3 shards": ("zarr,v3", ["--shard", "4K"]),
    "zarr2": ("zarr", []),
    "nczarr": ("nczarr", []),
}

@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return job_inputs.plain(tmp_path_factory.mktemp("source") / "in.nc")

@pytest.fixture(scope="module")
def older(tmp_path_factory):
    return job_inputs.plain(tmp_path_factory.mktemp("older") / "older.nc")

@pytest.fixture(scope="module")
def wanted(source, tmp_path_factory):
    """The tree that one process writes into a folder, by the name of the form."""
    folder, made = tmp_path_factory.mktemp("wanted"), {}

    def of(form):
        mode, options = TREES[form]
        if form not in made:
            path = folder / form
            call("--quiet", *options, source, f"{path}#mode={mode}")
            made[form] = tree_of(path)
        return made[form]

    return of

def job(store, folder, source, form, *options, key="data/out", port=None):
    mode, own = TREES[form]
    file = folder / "job.json"
    on(store, "nccopy", "--plan", file, "--parts", PARTS, *own, *options, source, store.tree(key, mode), port=port).whole()
    return file

def visible(store, prefix="data/out/"):
    """The keys that readers see."""
    return {key: value for key, value in store.get_all(prefix).items() if not key.startswith(".ncutils-partial")}

@pytest.mark.parametrize("form", TREES)
def test_workers_on_a_slow_server_that_fails(store, proxy, source, wanted, tmp_path, form):
    proxy.set(fault("status", rate=0.025, status=503), fault("reset", rate=0.025, seed=1), latency_ms=20)
    file = job(store, tmp_path, source, form, port=proxy.port)
    workers = [started(store, proxy, "--part", part, file) for part in range(PARTS)]
    for worker in workers:
        error = worker.communicate(timeout=120)[1].decode()
        assert worker.returncode == 0, error
    assert proxy.counts()["faults"]
    on(store, "nccopy", "--finish", file, port=proxy.port).whole()
    proxy.set()
    assert different(store.get_all("data/out/"), wanted(form)) == []
    assert store.uploads() == []

@pytest.mark.parametrize("form", ["zarr3 shards", "zarr2"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.75])
def test_a_worker_killed_between_two_uploads(store, proxy, source, wanted, tmp_path, form, share):
    file = job(store, tmp_path, source, form)
    proxy.set()
    on(store, "nccopy", "--part", "1", file, port=proxy.port).whole()
    requests = proxy.counts()["requests"]
    proxy.set(fault("stall", at=[max(2, round(requests * share))]))
    worker = started(store, proxy, "--again", "--part", "1", file)
    proxy.until_fault(worker)
    worker.kill()
    worker.communicate(timeout=60)
    assert worker.returncode == -signal.SIGKILL
    proxy.set()
    assert not [key for key in visible(store) if key.endswith(("zarr.json", ".zgroup", ".zarray"))]
    on(store, "ncdump", "-h", store.tree("data/out", TREES[form][0]), codes=(1,)).refused("partial|--replace")
    for part in 0, 2, 3, 1:
        on(store, "nccopy", "--again", "--part", part, file).whole()
    on(store, "nccopy", "--finish", file).whole()
    assert different(store.get_all("data/out/"), wanted(form)) == []


@pytest.mark.parametrize("form", TREES)
def test_leftovers_are_told_and_cleared(store, source, tmp_path, form):
    file = job(store, tmp_path, source, form)
    on(store, "nccopy", "--part", "0,2", file).whole()
    mode, _ = TREES[form]
    # Another run is told of them.
    on(store, "nccopy", source, store.tree("data/out", mode)).refused("partial|--replace")
    status = json.loads(on(store, "nccopy", "--status", "--json", file).whole().out)
    assert (status["done"], status["missing"]) == ("0,2", "1,3")
    on(store, "nccopy", "--finish", file, codes=(3,))
    copy = tmp_path / "copy.json"
    copy.write_bytes(file.read_bytes())
    on(store, "nccopy", "--abandon", file).whole()
    assert store.keys() == [] and store.uploads() == []
    on(store, "nccopy", "--part", "1", copy).refused("finished or abandoned")
    assert store.keys() == []


@pytest.mark.parametrize("form", TREES)
def test_an_older_dataset_stays_until_the_end(store, source, older, wanted, tmp_path, form):
    mode, options = TREES[form]
    on(store, "nccopy", *options, "-V", "x,time", older, store.tree("data/out", mode)).whole()
    old = store.get_all("data/out/")
    file = tmp_path / "job.json"
    arguments = ["--plan", file, "--parts", PARTS, *options, source, store.tree("data/out", mode)]
    on(store, "nccopy", *arguments).refused("--replace")
    assert not file.exists() and store.get_all("data/out/") == old
    on(store, "nccopy", "--replace", *arguments).whole()
    for part in range(PARTS):
        assert different(visible(store), old) == []
        on(store, "nccopy", "--part", part, file).whole()
    assert different(visible(store), old) == []
    on(store, "nccopy", "--finish", file).whole()
    assert different(store.get_all("data/out/"), wanted(form)) == []


def test_an_abandoned_replacement_leaves_the_older_dataset(store, source, older, tmp_path):
    mode, options = TREES["zarr2"]
    on(store, "nccopy", older, store.tree("data/out", mode)).whole()
    old = store.get_all("data/out/")
    file = job(store, tmp_path, source, "zarr2", "--replace")
    on(store, "nccopy", "--part", "0-1", file).whole()
    on(store, "nccopy", "--abandon", file).whole()
    assert different(store.get_all("data/out/"), old) == []


@pytest.mark.parametrize("replaces", [False, True])
def test_a_late_worker_touches_no_later_dataset(store, proxy, source, older, tmp_path, replaces):
    """The job is abandoned while a worker waits for the server; then another dataset takes the place."""
    mode, options = TREES["zarr2"]
    if replaces:
        on(store, "nccopy", "-V", "x", older, store.tree("data/out", mode)).whole()
    file = job(store, tmp_path, source, "zarr2", *["--replace"] * replaces)
    copy = tmp_path / "copy.json"
    copy.write_bytes(file.read_bytes())
    on(store, "nccopy", "--abandon", file).whole()
    on(store, "nccopy", "--replace", "-V", "v1,x", older, store.tree("data/out", mode)).whole()
    later = store.get_all("data/out/")
    on(store, "nccopy", "--part", "1", copy).refused("finished or abandoned")
    on(store, "nccopy", "--again", "--part", "1", copy).refused("finished or abandoned")
    on(store, "nccopy", "--finish", copy).refused("finished or abandoned")
    on(store, "nccopy", "--abandon", copy).whole()
    assert different(store.get_all("data/out/"), later) == []


@pytest.mark.parametrize("form", ["zarr2", "zarr3 shards"])
@pytest.mark.parametrize("replaces", [False, True])
def test_kills_of_the_process_that_finishes(store, proxy, source, older, wanted, tmp_path, form, replaces):
    """At each request, or at a sample of them. The same command goes on."""
    mode, options = TREES[form]

    def before():
        store.clear()
        (tmp_path / "job.json").unlink(missing_ok=True)
        if replaces:
            on(store, "nccopy", *options, "-V", "x,time", older, store.tree("data/out", mode)).whole()
        old = store.get_all("data/out/")
        file = job(store, tmp_path, source, form, *["--replace"] * replaces)
        on(store, "nccopy", "--part", f"0-{PARTS - 1}", file).whole()
        return old, file

    _, file = before()
    proxy.set()
    on(store, "nccopy", "--finish", file, port=proxy.port).whole()
    requests = proxy.counts()["requests"]
    step = max(1, requests // (60 if LONG else 2))
    for number in range(2, requests + 1, step):
        old, file = before()
        proxy.set(fault(("stall", "unanswered")[number % 2], at=[number]))
        process = started(store, proxy, "--finish", file)
        proxy.until_fault(process)
        process.kill()
        process.communicate(timeout=60)
        proxy.set()
        opens = on(store, "ncdump", "-h", store.tree("data/out", mode)).code == 0
        if opens:
            assert visible(store) in (old, wanted(form)), number
        again = on(store, "nccopy", "--finish", file)
        assert again.code == 0, (number, again.told())
        assert different(visible(store), wanted(form)) == [], number
        assert store.keys("data/out/.ncutils") == [], (number, store.keys("data/out/.ncutils"))


@pytest.mark.parametrize("options", [["-d", "3", "-s"], ["-k", "nc3"], ["-k", "zarr3"]])
def test_one_object(store, proxy, source, tmp_path, options):
    """Packs go up, and the process that finishes makes one file of them."""
    name = "data/out.zarr.zip" if "zarr3" in options else "data/out.nc"
    one = tmp_path / name.removeprefix("data/")
    call("--quiet", *options, source, one)
    proxy.set(fault("status", rate=0.025, status=503), fault("reset", rate=0.025, seed=2), latency_ms=20)
    file = tmp_path / "job.json"
    url = store.url(name)
    on(store, "nccopy", "--plan", file, "--parts", PARTS, *options, source, url, port=proxy.port).whole()
    for part in 3, 0, 0, 1, 2:
        assert name not in store.keys()
        on(store, "nccopy", "--again", "--part", part, file, port=proxy.port).whole()
    assert name not in store.keys() and [key for key in store.keys() if key.startswith(f"{name}.ncutils-partial-")]
    on(store, "nccopy", "--finish", file, port=proxy.port).whole()
    assert store.get(name) == one.read_bytes()
    assert store.keys() == [name] and store.uploads() == []


def test_packs_on_a_store_are_cleared(store, proxy, source, tmp_path):
    file = tmp_path / "job.json"
    on(store, "nccopy", "--plan", file, "--parts", PARTS, "-d", "1", source, store.url("data/out.nc")).whole()
    proxy.set()
    on(store, "nccopy", "--part", "0", file, port=proxy.port).whole()
    proxy.set(fault("stall", at=[proxy.counts()["requests"] - 2]))
    worker = started(store, proxy, "--part", "1", file)
    proxy.until_fault(worker)
    worker.kill()
    worker.communicate(timeout=60)
    proxy.set()
    on(store, "nccopy", "--abandon", file).whole()
    assert store.keys() == []


def test_an_input_on_a_store_that_changed(store, source, older, tmp_path):
    store.put("in.nc", source.read_bytes())
    file = tmp_path / "job.json"
    on(store, "nccopy", "--plan", file, "--parts", 2, store.url("in.nc"), tmp_path / "out.nc").whole()
    on(store, "nccopy", "--part", "0", file).whole()
    store.put("in.nc", source.read_bytes()[:-1] + b"?")
    outcome = on(store, "nccopy", "--part", "1", file, codes=(4,))
    assert "changed since the job was planned" in outcome.told()[-1]
    on(store, "nccopy", "--abandon", file).whole()
