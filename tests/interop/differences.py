"""Runs our programs and Debian's on one input, for the tests of the pages on differences from netCDF-C."""

import re
import subprocess

from conftest import BIN, installed


def outcome(command, folder):
    """The exit status, what is printed, and the messages of a program, in one text."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, timeout=60)
    printed, told = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return f"status {done.returncode}\n{printed}\n{told}"


def both(program, *arguments, folder):
    """The outcomes of our program and of Debian's."""
    return (outcome([path, *arguments], folder) for path in (BIN / program, installed(program)))


def make(folder, text, *flags, name="in.nc"):
    """A file that Debian's ncgen makes of the body of a text."""
    (folder / "in.cdl").write_text(f"netcdf x {{ {text} }}\n")
    subprocess.run([installed("ncgen"), *(flags or ["-4"]), "-o", name, "in.cdl"], cwd=folder, check=True, capture_output=True)
    return folder / name


def check(pattern, text):
    """Asserts that the regular expression is found in an outcome. One that begins with ! must not be found."""
    if pattern.startswith("!"):
        assert not re.search(pattern[1:], text), text
    else:
        assert re.search(pattern, text), text
