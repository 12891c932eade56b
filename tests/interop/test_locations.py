"""The names that programs take: paths, file URLs, pipes and standard input are the same to all three."""

import os
import pathlib
import subprocess
import threading

import pytest
from conftest import BIN, nccopy, ncdump, ncgen

CDL = "netcdf a\\ b {\ndimensions:\n\tx = 3 ;\nvariables:\n\tint v(x) ;\ndata:\n\n v = 1, 2, 3 ;\n}\n"


def url(path):
    return "file://" + str(path).replace("%", "%25").replace(" ", "%20").replace("ä", "%C3%A4")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ä 100%"
    folder.mkdir()
    (folder / "a b.cdl").write_text(CDL)
    return folder


def test_file_urls(folder):
    ncgen("-k", "nc4", "-o", url(folder / "a b.nc"), url(folder / "a b.cdl"))
    nccopy("-k", "nc3", url(folder / "a b.nc"), url(folder / "copy.nc"))
    assert ncdump(url(folder / "a b.nc")).decode() == CDL
    assert ncdump("-n", "a b", url(folder / "copy.nc")).decode() == CDL
    assert sorted(path.name for path in folder.iterdir()) == ["a b.cdl", "a b.nc", "copy.nc"]
    # Without -o the file is named after the text.
    ncgen("-b", url(folder / "a b.cdl"), cwd=folder)
    assert ncdump(folder / "a b.nc").decode() == CDL


def through_pipe(source, command):
    """Runs a command that reads the named pipe that gives what `source` holds."""
    pipe = source.with_name("pipe")
    os.mkfifo(pipe)
    feed = threading.Thread(target=lambda: pipe.write_bytes(source.read_bytes()))
    feed.start()
    try:
        return command(pipe)
    finally:
        feed.join()
        pipe.unlink()


@pytest.mark.parametrize("kind", ["nc3", "nc4"])
def test_pipes_and_standard_input(kind, folder):
    made, copy = folder / "a b.nc", folder / "copy.nc"
    through_pipe(folder / "a b.cdl", lambda pipe: ncgen("-k", kind, "-o", made, url(pipe)))
    through_pipe(made, lambda pipe: nccopy(pipe, copy))
    assert through_pipe(copy, lambda pipe: ncdump("-n", "a b", pipe)).decode() == CDL
    for read in [made.open("rb"), subprocess.Popen(["cat", made], stdout=subprocess.PIPE).stdout]:
        nccopy("-", copy, stdin=read)
        assert ncdump("-n", "a b", copy).decode() == CDL
    with subprocess.Popen(["cat", made], stdout=subprocess.PIPE) as cat:
        printed = subprocess.run([BIN / "ncdump", "-"], stdin=cat.stdout, capture_output=True, check=True)
    assert printed.stdout.decode() == CDL.replace("a\\ b", "stdin")


@pytest.mark.parametrize("name", ["file:///no/such/file", "no such", "s3://bucket/key", "x.zarr#mode=zarr", "file://host/a"])
@pytest.mark.parametrize("program", ["ncdump", "nccopy", "ncgen"])
def test_messages_name_what_was_typed(program, name, tmp_path):
    arguments = [name, tmp_path / "out.nc"] if program == "nccopy" else [name]
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"{program}: {name}: ") and len(done.stderr.splitlines()) == 1, done.stderr


def test_names_that_are_not_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff\xfe.nc"
    pathlib.Path(os.fsdecode(name)).write_bytes(b"CDF\x01" + bytes(28))
    text = ncdump("-h", os.fsdecode(name)).decode()
    assert text.startswith("netcdf ")
    error = subprocess.run([BIN / "ncdump", name + b"x"], capture_output=True).stderr.decode()
    assert error == f"ncdump: {tmp_path}/\ufffd\ufffd.ncx: cannot open: No such file or directory (os error 2)\n"


def test_the_same_file_under_two_names(folder):
    ncgen("-o", folder / "a.nc", folder / "a b.cdl")
    error = nccopy(folder / "a.nc", url(folder / "a.nc"), ok=False)
    assert "are the same file" in error
