"""Text in braces: what comes of it is what netcdf-bin's ncgen makes, and an error where that fails."""

import subprocess

import pytest
from conftest import BIN, installed, ncdump, ncgen

# What netcdf-bin's ncgen takes.
TAKEN = [
    'types: string(*) t ; variables: t v ; data: v = {"a"} ;',
    'types: int(*) t ; variables: t v ; data: v = {"12"} ;',
    'types: compound t { char c(3) ; } ; variables: t v ; data: v = {{"a"}} ;',
    'types: compound t { char c ; } ; variables: t v ; data: v = {"a"} ;',
    'types: compound t { string c ; } ; variables: t v ; data: v = {"a"} ;',
    'types: compound t { string c(2) ; } ; variables: t v ; data: v = {{"a"}} ;',
    'types: compound t { char c(2,3) ; int i ; } ; variables: t v ; data: v = {{"abc", "b"}, 1} ;',
    'dimensions: u = unlimited ; x = 2 ; variables: char v(x, u) ; data: v = {"a", "bcd"}, {"e"} ;',
    'dimensions: u = unlimited ; x = 2 ; variables: string v(x, u) ; data: v = {"a"}, {"bcd"} ;',
    'dimensions: x = 2 ; y = 3 ; variables: char v(x,y) ; data: v = {"a"}, {"b"} ;',
    'types: string(*) t ; t :a = {"a"} ;',
    'types: compound t { string s ; } ; t :a = {"a"} ;',
]
# Where it fails, and leaves a file without the values.
REFUSED = [
    'variables: string v ; data: v = {"a"} ;',
    'dimensions: x = 2 ; variables: string v(x) ; data: v = {"a", "b"} ;',
    'dimensions: u = unlimited ; variables: string v(u) ; data: v = {"a"} ;',
    'types: compound t { string c ; } ; variables: t v ; data: v = {{"a"}} ;',
    'types: compound t { string c(2) ; } ; variables: t v ; data: v = {"a", "b"} ;',
    ':a = {"a"} ;',
    'string :a = {"a"} ;',
]


@pytest.mark.parametrize("body", TAKEN)
def test_what_netcdf_c_takes(body, tmp_path):
    text, ours, theirs = tmp_path / "a.cdl", tmp_path / "ours.nc", tmp_path / "theirs.nc"
    text.write_text(f"netcdf a {{ {body} }}")
    ncgen("-o", ours, text)
    subprocess.run([installed("ncgen"), "-k", "nc4", "-o", theirs, text], check=True)
    assert ncdump("-n", "a", ours) == ncdump("-n", "a", theirs)


@pytest.mark.parametrize("body", REFUSED)
def test_what_netcdf_c_refuses(body, tmp_path):
    text, ours = tmp_path / "a.cdl", tmp_path / "ours.nc"
    text.write_text(f"netcdf a {{ {body} }}")
    done = subprocess.run([BIN / "ncgen", "-o", ours, text], capture_output=True, text=True)
    assert done.returncode == 1 and not ours.exists() and "a.cdl:1:" in done.stderr
    done = subprocess.run([installed("ncgen"), "-k", "nc4", "-o", tmp_path / "theirs.nc", text], capture_output=True)
    assert done.stderr
