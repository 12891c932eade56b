"""Finds the programs."""

import os
import sys

from ._errors import Error

# The command of `ncutils` that is the same as a program of the old name.
_COMMANDS = {"nccopy": "copy", "ncdump": "dump"}

_found = {}


def command(name):
    """The beginning of a command line of `nccopy` or `ncdump`.

    The environment variable NCUTILS_BIN names a folder with both. Without it, the program is looked for beside the interpreter,
    where pip installs it, in the folders of other ways to install a package, and last in PATH.
    """
    folder = os.environ.get("NCUTILS_BIN")
    if folder:
        return [os.path.join(folder, name)]
    if name not in _found:
        _found[name] = [_ncutils(), _COMMANDS[name]]
    return _found[name]


def _ncutils():
    for folder in _folders():
        path = os.path.join(folder, "ncutils")
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    raise Error("the program ncutils is not found; 'pip install ncutils-rs' installs it, or NCUTILS_BIN names its folder")


def _folders():
    yield os.path.dirname(sys.executable)
    package = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(package, "bin")
    # `pip install --target FOLDER`
    yield os.path.join(os.path.dirname(package), "bin")
    import sysconfig

    yield sysconfig.get_path("scripts")
    # `pip install --user`
    user = sysconfig.get_preferred_scheme("user")
    if user in sysconfig.get_scheme_names():
        yield sysconfig.get_path("scripts", user)
    # Never a program of an old name: netcdf-bin has them too.
    yield from os.get_exec_path()
