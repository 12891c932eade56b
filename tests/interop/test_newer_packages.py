"""The tests of references once more, with the packages of `requirements-newer.txt`: VirtualiZarr 2.8, Icechunk 2 and pandas 2.3."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
NEWER = pathlib.Path(os.environ.get("NCUTILS_NEWER", HERE.parent.parent / "target" / "interop" / "newer")).resolve()

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not NEWER.is_dir(), reason=f"no Python 3.12, by which `cargo xtask long` makes {NEWER}"),
]

# Those that write or read by the packages.
USES = re.compile("(?m)^from references_read import .*needs_references")
FILES = sorted(path.name for path in HERE.glob("test_*.py") if USES.search(path.read_text()))


def test_the_versions_are_others():
    script = "import json, icechunk, pandas, virtualizarr as v; print(json.dumps([m.__version__ for m in (icechunk, pandas, v)]))"
    found = json.loads(subprocess.run([NEWER / "bin" / "python", "-c", script], capture_output=True, check=True).stdout)
    assert [version.rsplit(".", 1)[0] for version in found] == ["2.3", "2.3", "2.8"]


@pytest.mark.parametrize("file", FILES)
def test_references_with_newer_packages(file, tmp_path):
    # The servers of remote tests may not be built, and long tests take minutes that tell nothing new.
    chosen = ["-m", "not long", "-k", "not remote", f"--basetemp={tmp_path}/run", HERE / file]
    command = [sys.executable, "-W", "ignore", "-m", "pytest", "-q", "-rs", "--tb=short", "-p", "no:cacheprovider", *chosen]
    done = subprocess.run(command, env={**os.environ, "NCUTILS_REFERENCES": str(NEWER)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout and " skipped" not in done.stdout, done.stdout
