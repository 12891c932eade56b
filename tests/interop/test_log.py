"""What the programs tell of their work when the environment asks for it."""

import os
import subprocess

import pytest
from conftest import BIN, ncgen


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }")
    ncgen("-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    return tmp_path / "a.nc"


def run(level, *command):
    environment = {**os.environ, "NCUTILS_LOG": level}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0
    return done.stdout, done.stderr


@pytest.mark.parametrize("level", ["", "off", "error", "info"])
def test_nothing_is_told_unasked(level, path):
    assert run(level, BIN / "ncdump", "-k", path) == ("classic\n", "")


def test_what_is_opened_and_created(path):
    text, told = run("debug", BIN / "ncdump", "-k", path)
    assert text == "classic\n" and "opened" in told and "a.nc" in told and "\x1b" not in told
    _, told = run("debug", BIN / "nccopy", path, path.with_name("b.nc"))
    assert all(word in told for word in ["opened", "creating", "committed"]), told


def test_routes_and_work(path):
    _, told = run("debug", BIN / "nccopy", "-k", "nc4", path, path.with_name("b.nc"))
    assert 'variable="v"' in told and "route=ranges" in told and "admitted" not in told, told
    _, told = run("trace", BIN / "nccopy", path, path.with_name("b.nc"))
    assert "admitted" in told, told


def test_a_level_that_is_none(path):
    text, told = run("loud", BIN / "ncdump", "-k", path)
    assert text == "classic\n"
    assert told.startswith("ncdump: warning: NCUTILS_LOG=loud: expected ") and len(told.splitlines()) == 1
