"""What the interop tests share: the binaries, the files of other programs, and comparing."""

import os
import pathlib
import shutil
import subprocess
import sys

import forked
import pytest
import sampling
import strict
from allowed_differences import ANONYMOUS_TYPES
from remote_fixtures import files_proxy, files_server, proxy, proxy_of, remote_home, store, store_of  # noqa: F401, fixtures
from sampling import some  # noqa: F401, a fixture

HERE = pathlib.Path(__file__).parent
BIN = pathlib.Path(os.environ.get("NCUTILS_BIN", HERE.parent.parent / "target" / "release"))
# The Python module. pytest's own process must find the classes of its warnings, too.
PYTHON_MODULE = HERE.parent.parent / "crates" / "wheel" / "python"
sys.path.insert(0, str(PYTHON_MODULE))
# Programs that only tests run. `cargo xtask interop` builds them and says where they are.
CORPUS = pathlib.Path(os.environ.get("NCUTILS_CORPUS", HERE.parent.parent.parent / "shared" / "corpus"))

WITHOUT_CORPUS = "the corpus of files by other programs is not here"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=WITHOUT_CORPUS)

# A filter of the ids that HDF5 keeps for tests (256 to 511), so that it is never built in.
UNKNOWN_FILTER = 511

# Files of the corpus of more text than a test should read.
LARGE = {"bigf1", "bigf2", "bigf3", "bigr1", "bigr2", "bigr3"}


# Files of the corpus that their writers did not close. Copies of them are asked for all the same.
UNFINISHED = {
    "a31_swmr_open.h5", "fletcher32_datasets_earliest.hdf5", "h5clear_log_v3.h5", "h5clear_sec2_v0.h5", "h5clear_sec2_v2.h5",
    "h5clear_status_noclose.h5", "multidim_string_datasest.hdf5", "var-length-strings-reused.hdf5",
}


def unfinished(*arguments):
    """The option with which nccopy copies these files."""
    return ["--unfinished"] * any(isinstance(path, pathlib.Path) and path.name in UNFINISHED for path in arguments)


def each_in_corpus(*patterns, but=()):
    """Runs a test for the `path` of each file of the corpus that fits a pattern, but for those of certain stems."""
    found = sorted(path for pattern in patterns for path in CORPUS.glob(pattern) if path.stem not in but)
    return lambda test: needs_corpus(pytest.mark.parametrize("path", found, ids=lambda p: p.name)(test))


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long for a single value, and is in no sample")
    config.addinivalue_line("markers", "waits: takes minutes and no processor, so that many run side by side")


def pytest_addoption(parser):
    sampling.add_option(parser)


def pytest_collection_modifyitems(config, items):
    sampling.select(config, items)


def pytest_terminal_summary(terminalreporter):
    """Says how many tests did not run for want of the corpus."""
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    # Without the corpus, a test of each of its files has an empty list of them.
    count = sum(WITHOUT_CORPUS in reason or "empty parameter set" in reason for reason in reasons)
    if not CORPUS.is_dir():
        terminalreporter.write_line(
            f"{count} tests that read the corpus were skipped, most of which read each of its files: {CORPUS} is not here"
        )


def harness(program, *arguments):
    """The command of a program that only tests run."""
    path = BIN / program
    assert path.exists(), f"{path} is not built; `cargo xtask interop` builds it"
    return [str(path), *map(str, arguments)]


def in_folder(path, options):
    """The path of an output of a program that ran in another folder."""
    return os.path.join(options.get("cwd", ""), path)


def nccopy(*arguments, ok=True, timeout=120, **options):
    """Runs our nccopy; returns what it printed on standard error."""
    command = [str(BIN / "nccopy"), *unfinished(*arguments), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
    if ok:
        assert done.returncode == 0, f"{command}: {done.stderr}"
        strict.wrote(in_folder(arguments[-1], options), arguments, done.stderr)
    else:
        assert done.returncode == 1, f"{command}: exit status {done.returncode}, {done.stderr}"
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert done.stderr.startswith("nccopy: "), done.stderr
    return done.stderr


def ncdump(*arguments, timeout=120, **options):
    """Runs our ncdump; returns its text."""
    command = [str(BIN / "ncdump"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=timeout, **options)
    assert done.returncode == 0, f"{command}: {done.stderr.decode()}"
    return done.stdout


def ncgen(*arguments, timeout=120, **options):
    """Runs our ncgen; returns what it printed on standard error."""
    command = [str(BIN / "ncgen"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=timeout, **options)
    printed = done.stderr.decode(errors="replace")
    assert done.returncode == 0, f"{command}: exit status {done.returncode}: {printed}"
    if "-o" in arguments:
        strict.wrote(in_folder(arguments[arguments.index("-o") + 1], options), arguments, printed)
    return printed


def check_lines(report):
    """The lines of a report of `ncdump --check`, without the note of what libhdf5 allocates and does not use."""
    return [line for line in report.splitlines() if "that nothing refers to" not in line]


def installed(program):
    """The path of a program that Debian installs, or a skip."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def made_by_installed_ncgen(text, target, *flags):
    """`target`, which the installed ncgen makes of a text, or a skip where it cannot."""
    done = subprocess.run([installed("ncgen"), *flags, "-o", target, text], capture_output=True, timeout=60)
    if done.returncode != 0 or not target.exists():
        pytest.skip("the installed ncgen makes no such file of this text")
    return target


def compare(*arguments, timeout=120):
    """Differences between two files, found in a process of its own. None where the peer itself crashes."""
    libraries = ("h5py", "hdf5plugin", "netCDF4")
    code, output, error = forked.run(libraries, HERE / "compare.py", *arguments, timeout=timeout)
    return code, output + error


def compare_pairs(pairs, *flags, timeout=60):
    """Differences of many pairs of files, by the first of each: a list of lines, or None where the peer itself crashes or hangs."""
    found = {}
    left = [(str(a), str(b)) for a, b in pairs]
    command = [sys.executable, "-W", "ignore", str(HERE / "compare.py"), *flags, "--pairs"]
    while left:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
        )
        try:
            text, _ = child.communicate("".join(f"{a}\t{b}\n" for a, b in left), timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            text, _ = child.communicate()
        current = None
        ended = False
        for line in text.splitlines():
            if line == "END":
                ended = True
            elif line.startswith("\t"):
                found[current].append(line[1:])
            else:
                current = line
                found[current] = []
        if ended:
            return found
        assert current is not None, "the peer does not begin"
        found[current] = None
        left = left[[a for a, _ in left].index(current) + 1:]
    return found


@pytest.fixture(autouse=True)
def outputs_are_readable(request):
    """What a test wrote is read by the programs that are promised to read it."""
    yield
    strict.check(sampling.one_of_outputs(request))


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """A folder with all samples."""
    folder = tmp_path_factory.mktemp("generated")
    subprocess.run([sys.executable, "-W", "ignore", str(HERE / "generate.py"), str(folder)], check=True)
    return folder


@pytest.fixture(scope="session")
def printable(generated, tmp_path_factory):
    """The path of each generated file, by its name; where types are not committed, of a copy, in which they are.

    Of the first kind the installed ncdump prints all, of the second only the copy.
    """
    copies = tmp_path_factory.mktemp("printable")
    for name in ANONYMOUS_TYPES:
        nccopy(generated / f"{name}.nc", copies / f"{name}.nc")
    return lambda name: (copies if name in ANONYMOUS_TYPES else generated) / f"{name}.nc"
