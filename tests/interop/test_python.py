"""The Python module `ncutils`: what its functions make, give and raise."""

import inspect
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import types

import h5py
import netCDF4
import numpy as np
import pytest
import zarr
from conftest import BIN, HERE, PYTHON_MODULE
from python_module import environment

import ncutils
from ncutils import _options, _program, _run
from ncutils._arguments import arguments

SAMPLE = HERE.parent.parent / "testdata" / "sample.nc"


def test_a_copy_is_what_its_keywords_say(tmp_path):
    out = tmp_path / "out.zarr"
    assert ncutils.copy(SAMPLE, out, kind="zarr3", filter={"*": "zstd,3"}, chunk={"time": 2, "lat": None}, shard="128M") == []
    made = zarr.open(out)["temp"]
    with netCDF4.Dataset(SAMPLE) as nc:
        nc.set_auto_maskandscale(False)
        assert made.chunks == (2, 37, 72)
        assert np.array_equal(made[:], nc["temp"][:])
    out = tmp_path / "out.nc"
    ncutils.copy(
        SAMPLE, output=out, filter={"temp": ["shuffle", "deflate,4"], "lat": None}, chunk={"temp": (1, 5, 6)},
        isel={"time": slice(1, None, 2)}, sel={"lat": slice(-30, 30)}, quantize={"temp": ("bitround", 9)},
    )
    with h5py.File(out) as f:
        temp = f["temp"]
        assert (temp.shape, temp.chunks, temp.shuffle, temp.compression_opts) == ((2, 13, 72), (1, 5, 6), True, 4)
        assert temp.attrs["_QuantizeBitRoundNumberOfSignificantBits"] == 9


@pytest.mark.parametrize("keyword, value, expected", [
    ("shuffle", True, ["--shuffle"]),
    ("shuffle", False, []),
    ("shuffle", None, []),
    ("deflate", 5, ["--deflate=5"]),
    ("memory", "64M", ["--memory=64M"]),
    ("for_", "cdo", ["--for=cdo"]),
    ("only_variables", ["a", "b,c"], ["--only-variables=a", "--only-variables=b,c"]),
    ("only_variables", "a", ["--only-variables=a"]),
    ("flatten", True, ["--flatten"]),
    ("flatten", "-", ["--flatten=-"]),
    ("data_dir", SAMPLE.parent, [f"--data-dir={SAMPLE.parent}"]),
    ("filter", "*,none", ["--filter=*,none"]),
    ("filter", {"*": "zstd,3", "u&v": ["shuffle", "lz4"], "w": None},
     ["--filter=*,zstd,3", "--filter=u&v,shuffle|lz4", "--filter=w,none"]),
    ("quantize", {"t": "granularbr,3", "u": ("bitround", 9)}, ["--quantize=t,granularbr,3", "--quantize=u,bitround,9"]),
    ("chunk", {"time": np.int64(9), "lat": None, "t": (1, 2), "u": "contiguous"},
     ["--chunk=time/9", "--chunk=lat/", "--chunk=t:1,2", "--chunk=u:contiguous"]),
    ("shard", ["128M"], ["--shard=128M"]),
    ("block", {"t": 4096}, ["--block=t:4096"]),
    ("isel", {"x": -1, "y": slice(2, None), "z": slice(None, 9, 3)}, ["--isel=x=-1", "--isel=y=2:", "--isel=z=:9:3"]),
    ("sel", {"time": slice(np.datetime64("2000-01-01"), "2001"), "lat": slice(-10, 10, 2), "lon": 4.5},
     ["--sel=time=2000-01-01..2001", "--sel=lat=-10..10/2", "--sel=lon=4.5"]),
    ("label", range(3), ["--label=0", "--label=1", "--label=2"]),
])
def test_values_become_arguments(keyword, value, expected):
    assert arguments("copy", _options.COPY, {keyword: value}) == expected


@pytest.mark.parametrize("keyword, value", [("shuffle", "yes"), ("deflate", True), ("deflate", {"t": 5}), ("dflate", 5)])
def test_values_of_another_type_are_refused(keyword, value):
    with pytest.raises(TypeError, match=keyword):
        ncutils.copy(SAMPLE, "out.nc", **{keyword: value})


def test_the_help_has_every_keyword():
    for function, table in (ncutils.copy, _options.COPY), (ncutils.diff, _options.DIFF):
        documented = re.findall(r"(?m)^        (\w+): ", inspect.getdoc(function).split("Options:")[1].replace("\n", "\n        "))
        assert set(table) <= set(re.findall(r"(\w+): ", function.__doc__)), documented
    stub = (PYTHON_MODULE / "ncutils" / "_options.pyi").read_text()
    for name in _options.COPY:
        assert re.search(rf"(?m)^    {name}: ", stub), name


def test_readers_give_what_ncdump_prints(tmp_path):
    header = ncutils.header(SAMPLE)
    assert header["dimensions"] == {"time": 4, "lat": 37, "lon": 72}
    assert header["variables"]["temp"]["shape"] == ["time", "lat", "lon"] and "data" not in header["variables"]["temp"]
    assert "_Storage" in ncutils.header(SAMPLE, special=True)["variables"]["temp"]["attributes"]
    copy = tmp_path / "copy.zarr"
    ncutils.copy(SAMPLE, copy, kind="zarr2")
    digests = ncutils.digest(SAMPLE)
    assert digests == ncutils.digest(copy) and digests["/temp float time=4 lat=37 lon=72"].startswith("sha256:")
    assert ncutils.diff(SAMPLE, copy) == []
    assert list(ncutils.digest(SAMPLE, variables="lat")) == ["/lat float lat=37", "/lat attributes=1"]
    report = ncutils.check(SAMPLE)
    assert (report["faults"], report["variables"]) == ([], 4)


def test_what_is_wrong_is_a_result_or_an_error(tmp_path):
    other, broken = tmp_path / "other.nc", tmp_path / "broken.nc"
    shutil.copy(SAMPLE, other)
    with netCDF4.Dataset(other, "a") as nc:
        nc["temp"][2, 3, 4] += 1
    assert len(ncutils.diff(SAMPLE, other)) == 1 and ncutils.diff(SAMPLE, other, tolerance=1.5) == []
    broken.write_bytes(SAMPLE.read_bytes()[:20000])
    faults = ncutils.check(broken)["faults"]
    assert faults[0]["variable"] == "temp" and "truncated" in faults[0]["cause"]
    gone = tmp_path / "gone.nc"
    for call in (ncutils.header, ncutils.check, ncutils.digest, lambda path: ncutils.diff(SAMPLE, path)):
        with pytest.raises(ncutils.Error, match=f"^{gone}: cannot open"):
            call(gone)
    with pytest.raises(ncutils.Error, match="truncated") as error:
        ncutils.copy(broken, tmp_path / "out.nc", deflate=1)
    assert error.value.status == 1 and not (tmp_path / "out.nc").exists()
    again = pickle.loads(pickle.dumps(error.value))
    assert (type(again), again.status, str(again)) == (ncutils.Error, 1, str(error.value))
    with pytest.warns(ncutils.Warning) as warned:
        ncutils.copy(broken, tmp_path / "out.nc", salvage=True)
    assert "variable temp: 4 of 4 chunks are lost" in str(warned[0].message) and warned[0].filename == __file__


def test_a_password_is_in_no_error():
    with pytest.raises(ncutils.Error) as error:
        ncutils.header("https://user:secret@localhost:1/x.nc")
    assert "secret" not in repr(error.value)


def test_plans_and_summaries_are_dictionaries(tmp_path):
    [plan] = ncutils.copy(SAMPLE, tmp_path / "out.nc", deflate=1, dry_run=True)
    assert plan["type"] == "plan" and [each["name"] for each in plan["variables"]] == ["time", "lat", "lon", "temp"]
    [summary] = ncutils.copy(SAMPLE, tmp_path / "out.nc", deflate=1, summary=True)
    assert summary["type"] == "summary" and list(tmp_path.iterdir()) == [tmp_path / "out.nc"]
    (tmp_path / "more").mkdir()
    files = ncutils.copy(SAMPLE, tmp_path / "out.nc", f"{tmp_path}/more/", json=True)
    assert [each.get("status") for each in files] == ["copied", "copied", None]


@pytest.fixture
def large(tmp_path):
    """A file whose copy reports its progress more than once."""
    path = tmp_path / "large.nc"
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 4_000_000)
        nc.createVariable("v", "f8", ("x",), chunksizes=(100_000,))[:] = np.random.default_rng(1).random(4_000_000)
    return path


def test_progress_is_told(tmp_path, large):
    told = []
    ncutils.copy(large, tmp_path / "out.nc", deflate=5, threads=1, progress=lambda done, total: told.append((done, total)))
    assert len(told) > 2 and told == sorted(told) and {total for _, total in told} == {32_000_000}
    assert (told[0][0], told[-1][0]) == (0, 32_000_000)


def test_progress_is_a_bar_of_tqdm(tmp_path, monkeypatch):
    class Bar:
        made = []

        def __init__(self, **options):
            self.n, self.total, self.closed = 0, options["total"], False
            self.made.append(self)

        def update(self, more):
            self.n += more

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    ncutils.copy(SAMPLE, tmp_path / "out.nc", deflate=1, progress=True)
    [bar] = Bar.made
    assert bar.closed and bar.n == bar.total > 0


def test_an_exception_in_the_callback_ends_the_copy(tmp_path, large):
    def fail(done, total):
        raise ZeroDivisionError

    started = []
    with pytest.raises(ZeroDivisionError):
        _run.run("nccopy", ["-d5", "--threads=1", str(large), str(tmp_path / "out.nc")], progress=fail, started=started.append)
    assert started[0].status == -signal.SIGTERM and list(tmp_path.iterdir()) == [large]


INTERRUPTED = f"""
import ncutils, signal
from ncutils import _run
signal.signal(signal.SIGINT, signal.default_int_handler)
line = _run._line
_run._line = lambda text, *rest: (print(text.decode(), flush=True), line(text, *rest))
_run.run("nccopy", ["-k", "zarr3", "-d1", {str(SAMPLE)!r}, "out.zarr"], stdin="open")
"""


def test_an_interrupt_ends_the_program_too(tmp_path):
    if BIN.name != "debug":
        pytest.skip("only programs of the profile dev stop where a test asks for it")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, env=environment(NCUTILS_STOP_AT="write:2"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    assert process.stdout.readline() == "stopped at write\n"
    assert list(tmp_path.iterdir()) != []
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in told and list(tmp_path.iterdir()) == []


def test_little_is_loaded(tmp_path):
    """A copy needs none of the modules that take longer to load than a small copy takes."""
    script = f"import sys, ncutils; ncutils.copy({str(SAMPLE)!r}, 'out.nc', deflate=1); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    slow = {"subprocess", "threading", "json", "re", "typing", "tempfile", "logging", "inspect", "pathlib", "shutil"}
    assert done.returncode == 0 and not slow & set(done.stdout.split()), done


def test_the_program_of_the_package_is_found(tmp_path, monkeypatch):
    monkeypatch.delenv("NCUTILS_BIN")
    monkeypatch.setattr(_program, "_found", {})
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv/bin/python"))
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "target/ncutils/_program.py"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    # The last of these that is made is found before the others.
    for folder in "path", "target/bin", "target/ncutils/bin", "venv/bin":
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        program = tmp_path / folder / "ncutils"
        program.touch(mode=0o755)
        _program._found.clear()
        assert _program.command("ncdump") == [str(program), "dump"]
    _program._found.clear()
    monkeypatch.setenv("NCUTILS_BIN", "/opt/bin")
    assert _program.command("ncdump") == ["/opt/bin/ncdump"]


def test_a_missing_program_is_told(monkeypatch):
    monkeypatch.setenv("NCUTILS_BIN", "/nowhere")
    with pytest.raises(ncutils.Error, match="/nowhere/nccopy: cannot run"):
        ncutils.copy(SAMPLE, "out.nc")


def test_the_module_is_over_these_programs():
    assert os.environ["NCUTILS_BIN"] == str(BIN) and ncutils.__file__.startswith(str(PYTHON_MODULE))
