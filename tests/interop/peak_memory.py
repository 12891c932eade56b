"""The most memory that a program takes."""

import subprocess
import sys

# What a process takes counts from its fork, so a small process starts the program.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(*command, stdin=subprocess.DEVNULL, cwd=None, warning=""):
    """The peak in bytes of a command that succeeds, and says nothing but a warning that is expected."""
    command = [sys.executable, "-S", "-E", "-c", MEASURE, *map(str, command)]
    done = subprocess.run(command, stdin=stdin, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and warning in done.stderr and bool(warning) == bool(done.stderr), done.stderr
    return int(done.stdout) << 10
