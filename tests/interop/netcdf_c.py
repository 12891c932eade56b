"""libnetcdf 4.10 with NCZarr and zip, which `netcdf_c_build.py` built: its library, and Debian's programs that run with it."""

import os
import pathlib
import subprocess

import pytest

FOLDER = pathlib.Path(
    os.environ.get("NCUTILS_NETCDF_C", pathlib.Path(__file__).parent.parent.parent / "target" / "interop" / "netcdf-c")
).resolve()
LIBRARY = FOLDER / "lib" / "libnetcdf.so.22"
PLUGINS = FOLDER / "plugins"

BUILT = (FOLDER / "stamp").exists()


def why_missing():
    missing = FOLDER / "missing"
    return missing.read_text() if missing.exists() else f"{FOLDER} is not there; `cargo xtask interop` builds it"


needs_netcdf_c = pytest.mark.skipif(not BUILT, reason=f"libnetcdf 4.10 is not built: {why_missing()}")


# The variables with which a program of Debian's runs with libnetcdf 4.10 and finds its filters.
VARIABLES = {"LD_LIBRARY_PATH": str(FOLDER / "lib"), "HDF5_PLUGIN_PATH": str(PLUGINS)}


def environment():
    """The environment of such a program."""
    return {**os.environ, **VARIABLES}


def run(program, *arguments, ok=True, timeout=120):
    """Standard output, as bytes, of Debian's `ncdump`, `ncgen` or `nccopy` with libnetcdf 4.10. Skips the test where one is not there."""
    if not BUILT:
        pytest.skip(f"libnetcdf 4.10 is not built: {why_missing()}")
    path = pathlib.Path("/usr/bin") / program
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    done = subprocess.run([str(path), *map(str, arguments)], env=environment(), capture_output=True, timeout=timeout)
    if ok:
        assert done.returncode == 0, f"{program} {arguments} of libnetcdf 4.10: {done.returncode} {done.stderr.decode(errors='replace')}"
    return done.stdout


def url(path, mode):
    """The name by which libnetcdf opens a dataset: `mode` such as `nczarr,file`."""
    return f"file://{pathlib.Path(path).resolve()}#mode={mode}"
