"""Files of the HDF5 library's own tests, some of them broken on purpose.

Every variable that netCDF4-python opens and reads is equal after a copy; nothing makes a program panic, hang or take over
1 GiB; filters that are not built in pass through.
"""

import re
import subprocess

import forked
import h5py
import pytest
from conftest import BIN, CORPUS, HERE, compare, nccopy, needs_corpus, unfinished

FILES = sorted(p for p in CORPUS.glob("hdf5/**/*") if p.is_file())


@needs_corpus
@pytest.mark.parametrize("source", FILES, ids=lambda p: p.name)
def test_copy(source, tmp_path):
    target = tmp_path / "out.nc"
    done = subprocess.run(
        ["time", "-f", "peak %M", str(BIN / "nccopy"), *unfinished(source), "-m", "200M", str(source), str(target)],
        capture_output=True, text=True, timeout=60,
    )
    error = done.stderr
    peak = int(error.rsplit("peak ", 1)[1].split()[0]) if "peak " in error else 0
    assert peak < 1 << 20, error
    assert "panicked" not in error and done.returncode in (0, 1), error
    if done.returncode == 1:
        # Refused: then netCDF4-python must not be able to read a variable of it.
        readable = readable_variables(source)
        assert not readable, f"netCDF4-python reads {readable}, and nccopy says: {error}"
        return
    try:
        code, text = compare("--subset", source, target, timeout=60)
    except subprocess.TimeoutExpired:
        readable_variables(target)
        try:
            hangs = not readable_variables(source)
        except subprocess.TimeoutExpired:
            hangs = True
        assert hangs
        pytest.skip("netCDF4-python hangs on the original")
    if code < 0:
        readable_variables(target)
        pytest.skip(f"netCDF4-python crashes on it (signal {-code})")
    # Virtual datasets are left out, with a warning each.
    missing = [line for line in text.splitlines() if not left_out(line, error)]
    assert code == 0 or not any("missing" in m or "values" in m or "shape" in m for m in missing), text
    assert code in (0, 1) and "Traceback" not in text, text


def left_out(line, warnings):
    """Whether a line `/path is missing` speaks of a virtual dataset, of which nccopy has said that it is left out."""
    path = line.removesuffix(" is missing")
    return any(path in warning and "virtual" in warning for warning in warnings.splitlines())


@needs_corpus
@pytest.mark.parametrize("source", FILES, ids=lambda p: p.name)
def test_dump(source):
    for flags in ["-h"], ["-hs"], *([[]] if size_of(source) < 50_000_000 else []):
        done = subprocess.run([str(BIN / "ncdump"), *flags, str(source)], capture_output=True, timeout=60)
        assert b"panicked" not in done.stderr and done.returncode in (0, 1), done.stderr


def size_of(path):
    """About how many bytes the numbers of the file would take."""
    header = subprocess.run([str(BIN / "ncdump"), "-h", str(path)], capture_output=True, text=True, timeout=60).stdout
    dims = {name: int(n) for name, n in re.findall(r"\t(\S+) = (?:UNLIMITED ; // \()?(\d+)", header)}
    sizes = []
    for names in re.findall(r"\((.*)\) ;", header):
        size = 8
        for name in names.split(", "):
            size *= dims.get(name, 1)
        sizes.append(size)
    return sum(sizes)


def readable_variables(path):
    _, output, _ = forked.run(("netCDF4",), HERE / "readable_variables.py", path, timeout=60)
    return output.split("\n")[:-1]


@needs_corpus
def test_text_behind_a_nul_is_told(tmp_path):
    """netCDF-C leaves it out without a word, of padded strings too, where it is part of the text."""
    path = CORPUS / "reports" / "a11_nul_in_text.h5"
    told = "variable fix: strings end at their first NUL, and text behind it is left out; nccopy -k h5 keeps it"
    done = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == f"ncdump: {path}: warning: {told}\n"
    assert 'fix = "ab", "x", "plain"' in done.stdout
    assert told in nccopy(path, tmp_path / "a.nc")
    assert nccopy("-k", "h5", path, tmp_path / "a.h5") == ""
    with h5py.File(tmp_path / "a.h5") as ours, h5py.File(path) as theirs:
        assert ours["fix"][:].tolist() == theirs["fix"][:].tolist() == [b"ab\0cd", b"x\0\0y", b"plain"]
