"""Completions in real shells: options, kinds, filters, and the names in the file on the line."""

import os
import pty
import re
import select
import shutil
import subprocess

import h5py
import netCDF4
import pytest
from conftest import BIN

# A line whose end is completed, and the candidates.
CASES = [
    ("ncdump --iso", ["--iso-times"]),
    ("ncdump a.nc -v ", ["salt", "temp", "time"]),
    ("ncdump a.nc -v te", ["temp"]),
    ("ncdump a.nc --variables=sa", ["salt"]),
    ("ncdump a.nc -v temp,sa", ["temp,salt"]),
    ("ncdump a.nc --isel ti", ["time="]),
    ("nccopy a.nc --sel=ti", ["time="]),
    ("nccopy a.nc -c la", ["lat/"]),
    ("nccopy a.nc --unlimited la", ["lat"]),
    ("nccopy --join la", []),
    ("nccopy a.nc b.nc --join la", ["lat"]),
    ("nccopy -k nc", ["nc3", "nc3z", "nc4", "nc5", "nc5z", "nc6", "nc6z", "nc7", "nczarr"]),
    ("nccopy a.nc -F temp,zst", ["temp,zstd"]),
    ("nccopy a.nc -g /gr", ["/group"]),
    ("ncgen -k zarr", ["zarr2", "zarr3"]),
    ("ncdump -b ", ["c", "f"]),
    ("ncdump a.n", ["a.nc"]),
    ("ncutils cop", ["copy"]),
    ("ncutils copy a.nc -v te", ["temp"]),
    ("ncutils dump a.nc -v ", ["salt", "temp", "time"]),
    ("ncutils dump a.nc --variables=sa", ["salt"]),
    ("ncutils gen -k zarr", ["zarr2", "zarr3"]),
    ("ncutils copy a.n", ["a.nc"]),
    ("ncutils man ncu", ["ncutils", "ncutils-copy", "ncutils-dump", "ncutils-gen"]),
    ("ncutils completions fi", ["fish"]),
]

PROGRAMS = {"nccopy": "--completions", "ncdump": "--completions", "ncgen": "--completions", "ncutils": "completions"}
# A cursor before the end: the words, and which one is completed.
BEFORE = (["ncdump", "-v", "te", "a.nc"], 2, ["temp"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completions")
    with netCDF4.Dataset(folder / "a.nc", "w") as d:
        d.createDimension("time", None)
        d.createDimension("lat", 3)
        for name in "temp", "salt", "time":
            d.createVariable(name, "f4", ("time",))
        d.createGroup("group")
    return folder


@pytest.fixture(scope="module")
def environment():
    return {**os.environ, "PATH": f"{BIN.resolve()}:{os.environ['PATH']}", "TERM": "dumb"}


def shell(name):
    return shutil.which(name) or pytest.skip(f"{name} is not installed")


def run(folder, environment, *command):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.splitlines()


def equals_sign(words):
    """Words as bash splits them."""
    for word in words:
        if word.startswith("--") and "=" in word:
            yield from word.replace("=", " = ").split(" ")
        else:
            yield word


def evaluated(shell):
    """What loads the scripts of all programs in a shell."""
    return "; ".join(f'eval "$({name} {printed_by} {shell})"' for name, printed_by in PROGRAMS.items())


def in_bash(folder, environment, words, index):
    script = """
        LOAD
        COMP_CWORD=$1; shift
        COMP_WORDS=("$@")
        "_$1"
        printf '%s\\n' "${COMPREPLY[@]}"
    """.replace("LOAD", evaluated("bash"))
    return [line for line in run(folder, environment, shell("bash"), "-c", script, "bash", str(index), *words) if line]


@pytest.mark.parametrize("line, wanted", CASES)
def test_bash(folder, environment, line, wanted):
    words = list(equals_sign(line.split(" ")))
    # The shell itself completes names of files, when the function has no candidates and says so.
    wanted = [] if wanted == ["a.nc"] else wanted
    assert sorted(in_bash(folder, environment, words, len(words) - 1)) == wanted


def test_bash_before_the_file(folder, environment):
    words, index, wanted = BEFORE
    assert in_bash(folder, environment, words, index) == wanted


@pytest.mark.parametrize("line, wanted", CASES)
def test_fish(folder, environment, line, wanted):
    load = "; ".join(f"{name} {printed_by} fish | source" for name, printed_by in PROGRAMS.items())
    script = f"{load}; complete -C $argv[1]"
    told = run(folder, {**environment, "HOME": str(folder)}, shell("fish"), "-N", "-c", script, line)
    option = line.rsplit(" ", 1)[1]
    before = option[:option.index("=") + 1] if option.startswith("--") and "=" in option else ""
    assert sorted(line.split("\t")[0] for line in told) == [before + name for name in wanted]


class Zsh:
    """zsh on a terminal."""

    def __init__(self, folder, environment):
        path = shell("zsh")
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execve(path, [path, "-f", "-i"], environment)
        self.pid = pid
        self.seen = b""

    def send(self, text):
        os.write(self.terminal, text.encode())

    def until(self, pattern):
        """What comes, until the pattern is in it: its first group. What comes behind it is for the next call."""
        while not (found := re.search(pattern, self.seen)):
            assert select.select([self.terminal], [], [], 60)[0], (pattern, self.seen)
            self.seen += os.read(self.terminal, 65536)
        self.seen = self.seen[found.end():]
        return found[1].decode()

    def until_prompt(self):
        """Waits for the line editor: a key that comes before it is no key of its."""
        self.until(rb"(@@ )")

    def close(self):
        self.send("\x15exit\n")
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def test_zsh(folder, environment):
    zsh = Zsh(folder, environment)
    try:
        zsh.send("PS1='@''@ '; autoload -Uz compinit; compinit -u -D; bindkey -e; bindkey '^I' complete-word\n")
        zsh.send(evaluated("zsh") + '; echo loa""ded\n')
        zsh.until(rb"(loaded)")
        zsh.until_prompt()
        for line, wanted in CASES:
            if len(wanted) != 1:
                continue
            word = line.rsplit(" ", 1)[1]
            before = word[:word.index("=") + 1] if word.startswith("--") and "=" in word else ""
            # The one candidate is put in. Then the line becomes the argument of a command that prints it.
            zsh.send(f'{line}\t\x01print -r -- "<\x05>"\n')
            assert zsh.until(rb"\n<([^>]*)>").strip() == f"{line.rsplit(' ', 1)[0]} {before}{wanted[0]}"
            zsh.until_prompt()
    finally:
        zsh.close()


def test_every_program_has_scripts_for_every_shell(environment, folder):
    for program, printed_by in PROGRAMS.items():
        for name in "bash", "zsh", "fish", "elvish", "powershell":
            assert run(folder, environment, BIN / program, printed_by, name)


def test_names_that_a_shell_could_run_are_not_offered(environment, tmp_path):
    names = ["temp\x01$(touch run)", "temp\u202e", ":files", "temp'; touch run; '", "temp"]
    with h5py.File(tmp_path / "a.h5", "w") as f:
        for name in names:
            f[name] = 1
    asked = ["ncdump", "--complete-words", "bash", "3", "ncdump", "a.h5", "-v", "te"]
    assert run(tmp_path, environment, *asked) == ["temp", "temp'; touch run; '"]
    bash = """eval "$(ncdump --completions bash)"; COMP_WORDS=(ncdump a.h5 -v te); COMP_CWORD=3; _ncdump; printf '%s\\n' "${COMPREPLY[@]}" """
    offered = run(tmp_path, environment, shell("bash"), "-c", bash)
    assert "temp" in offered and not any("$'" in word for word in offered) and not (tmp_path / "run").exists()
    # What is printed in another way in the locale C is not, either.
    with h5py.File(tmp_path / "a.h5", "a") as f:
        f["tempé$(touch run)"] = 1
    offered = run(tmp_path, {**environment, "LC_ALL": "C"}, shell("bash"), "-c", bash)
    assert "temp" in offered and not any("$'" in word for word in offered)
