"""Which other files a dataset may name: external data, virtual sources, external links."""

import os
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump

KINDS = ["external", "virtual", "link"]


def naming(path, kind, name):
    """A file that names another: `d` has its data there."""
    with h5py.File(path, "w") as f:
        if kind == "external":
            f.create_dataset("d", (64,), "u1", external=[(name, 0, h5py.h5f.UNLIMITED)])
        elif kind == "virtual":
            layout = h5py.VirtualLayout((64,), "u1")
            layout[:] = h5py.VirtualSource(name, "d", (64,))
            f.create_virtual_dataset("d", layout, fillvalue=7)
        else:
            f["d"] = h5py.ExternalLink(name, "/d")
    return path


def other(path, kind):
    """What such a file may name."""
    if kind == "external":
        path.write_bytes(bytes(range(64)))
        return
    with h5py.File(path, "w") as f:
        f["d"] = np.arange(64, dtype="u1")


def run(program, *arguments, **options):
    command = [BIN / program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=10, **options)


def refused(path, kind, *says):
    """The file is refused, at once, and nothing of it is told."""
    out = path.with_name("out.nc")
    for done in run("nccopy", path, out), run("ncdump", path):
        assert "root:" not in done.stdout + done.stderr
        for words in says:
            assert words in done.stderr, done.stderr
        assert done.returncode == 1, done
    assert not out.exists()


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "data"
    inside.mkdir()
    return inside


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["absolute", "up", "link", "folder link", "link to link"])
def test_what_lies_outside_is_refused(tmp_path, folder, kind, way):
    if way == "absolute":
        name = "/etc/passwd"
    else:
        other(tmp_path / "secret", kind)
        (folder / "alias").symlink_to("../secret")
        (folder / "again").symlink_to("alias")
        (folder / "up").symlink_to("..")
        name = {"up": "../secret", "link": "alias", "folder link": "up/secret", "link to link": "again"}[way]
    path = naming(folder / "in.h5", kind, name)
    refused(path, kind, "outside of the input's folder", name, "--data-dir DIR")
    listed = run("ncdump", "--sources", path).stdout
    assert name in listed and "outside of the input's folder" in listed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["pipe", "socket", "folder", "/dev/zero"])
def test_only_regular_files_are_read(folder, kind, what):
    name = "x"
    if what == "pipe":
        os.mkfifo(folder / "x")
    elif what == "socket":
        import socket

        server = socket.socket(socket.AF_UNIX)
        server.bind(os.path.relpath(folder / "x"))
    elif what == "folder":
        (folder / "x").mkdir()
    else:
        name = what
    path = naming(folder / "in.h5", kind, name)
    refused(path, kind, "is outside" if what == "/dev/zero" else "is not a regular file", name)


@pytest.mark.parametrize("kind", KINDS)
def test_devices_in_an_allowed_folder_are_refused(folder, kind):
    path = naming(folder / "in.h5", kind, "/dev/zero")
    done = run("ncdump", "--data-dir", "/dev", path)
    assert "is not a regular file" in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_folders_are_allowed_by_options_and_variables(tmp_path, folder, kind):
    more = tmp_path / "more"
    (more / "deep").mkdir(parents=True)
    other(more / "deep" / "o", kind)
    path = naming(folder / "in.h5", kind, "../more/deep/o")
    out = tmp_path / "out.nc"
    for dirs in [more], [tmp_path / "data", more], [more / "deep"]:
        options = [word for folder in dirs for word in ("--data-dir", str(folder))]
        nccopy(*options, path, out)
        with h5py.File(out) as f:
            assert f["d"][()].tolist() == list(range(64))
        assert b"62, 63" in ncdump(*options, path)
    assert run("ncdump", "--data-dir", more / "none", path).returncode == 1
    variable = {"external": "HDF5_EXTFILE_PREFIX", "virtual": "HDF5_VDS_PREFIX", "link": "HDF5_EXT_PREFIX"}[kind]
    path = naming(folder / "in.h5", kind, "o")
    for prefix in more / "deep", "${ORIGIN}/../more/deep":
        nccopy(path, out, env={**os.environ, variable: str(prefix)})
        with h5py.File(out) as f:
            assert f["d"][()].tolist() == list(range(64))
    if kind != "external":
        nccopy(path, out, env={**os.environ, variable: f"/none:{more / 'deep'}"})
        path = naming(folder / "in.h5", kind, "/gone/o")
        nccopy(path, out, env={**os.environ, variable: str(more / "deep")})
        shutil.copy(more / "deep" / "o", folder / "o")
        nccopy(path, out)
        with h5py.File(out) as f:
            assert f["d"][()].tolist() == list(range(64))


def test_sources_are_listed(tmp_path, folder):
    path = folder / "in.h5"
    other(folder / "raw", "external")
    other(folder / "s1", "virtual")
    with h5py.File(path, "w") as f:
        f.create_dataset("g/e", (64,), "u1", external=[("raw", 0, 30), ("none", 0, 30), ("raw", 0, 30)])
        layout = h5py.VirtualLayout((3, 64), "u1")
        for n in range(3):
            layout[n] = h5py.VirtualSource(f"s{n}", "d", (64,))
        f.create_virtual_dataset("v", layout)
        f["l"] = h5py.ExternalLink("s1", "/d")
        f["passwords"] = h5py.ExternalLink("/etc/passwd", "/d")
        f["own"] = np.arange(3)
    listed = ncdump("--sources", path).decode().splitlines()
    real = folder.resolve()
    assert sorted(listed) == sorted([
        f"/l: external link s1: {real}/s1",
        "/passwords: external link /etc/passwd: is outside of the input's folder: it is /etc/passwd; "
        "--data-dir DIR lets files lie in DIR",
        f"/g/e: external data raw: {real}/raw",
        "/g/e: external data none: does not exist",
        "v: virtual source s0: does not exist",
        f"v: virtual source s1: {real}/s1",
        "v: virtual source s2: does not exist",
    ])
    with h5py.File(folder / "alone.h5", "w") as f:
        f["d"] = 1
    assert ncdump("--sources", folder / "alone.h5") == b""


def test_names_of_sources_do_not_steer_a_terminal(tmp_path):
    """Control characters and those that turn the direction of text are escaped, whatever standard output is."""
    layout = h5py.VirtualLayout((3,), "i4")
    layout[:] = h5py.VirtualSource("a\x1b]0;x\x07\u009b31m\u202e.h5", "x", (3,))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_virtual_dataset("v", layout)
        f["l"] = h5py.ExternalLink("b\x1b[31m\nv: virtual source", "/d")
    listed = ncdump("--sources", tmp_path / "in.h5").decode()
    assert listed.isascii() and not any(sign in listed for sign in "\x1b\x07")
    assert len(listed.splitlines()) == 2 and "v: virtual source a" in listed


def test_few_files_are_open(folder):
    """Hundreds of files, with room for a few descriptors."""
    count = 300
    layout = h5py.VirtualLayout((count, 64), "u1")
    for n in range(count):
        other(folder / f"s{n}", "virtual")
        layout[n] = h5py.VirtualSource(f"s{n}", "d", (64,))
    with h5py.File(folder / "in.h5", "w") as f:
        f.create_virtual_dataset("d", layout)
        f.create_dataset("e", (count * 64,), "u1", external=[(f"s{n}", 2048, 64) for n in range(count)])
    for command in f"{BIN}/nccopy in.h5 out.nc", f"{BIN}/ncdump in.h5":
        # Standard streams, the input, the output, and at most 63 others.
        subprocess.run(["bash", "-c", f"ulimit -n 80; {command} > /dev/null"], check=True, timeout=60, cwd=folder)


def test_what_comes_from_a_pipe_has_no_files_beside_it(folder):
    other(folder / "s", "virtual")
    path = naming(folder / "in.h5", "virtual", "s")
    done = run("ncdump", "-", stdin=path.open(), cwd=folder)
    assert done.returncode == 1 and "not known what lies beside the input" in done.stderr


def test_a_link_of_what_comes_from_a_pipe_is_refused(folder):
    path = naming(folder / "in.h5", "link", "s")
    done = run("nccopy", "-", "out.nc", stdin=path.open(), cwd=folder)
    assert done.returncode == 1 and "not known what lies beside the input" in done.stderr
    assert not (folder / "out.nc").exists()


def test_a_refused_link_is_an_error_unless_other_things_are_asked_for(tmp_path, folder):
    other(tmp_path / "secret", "link")
    path = naming(folder / "in.h5", "link", "../secret")
    with h5py.File(path, "a") as f:
        f["own"] = np.arange(3)
        f["gone"] = h5py.ExternalLink("none.h5", "/d")
    out = folder / "out.nc"
    says = "/d is left out: its file ../secret is outside of the input's folder"
    for program, *arguments in (
        ["ncdump", path],
        ["ncdump", "-h", path],
        ["ncdump", "--json", path],
        ["ncdump", "--digest", path],
        ["nccopy", path, out],
        ["nccopy", "--dry-run", path, out],
    ):
        done = run(program, *arguments)
        assert done.returncode == 1 and says in done.stderr and "--data-dir DIR" in done.stderr, done
    assert "own = 0, 1, 2" in run("ncdump", path).stdout
    assert run("ncdump", "--diff", path, path).returncode == 2
    checked = run("ncdump", "--check", path)
    assert checked.returncode == 1 and says in checked.stdout + checked.stderr, checked
    assert not out.exists()
    # What is missing is left out with a warning, and what was not asked for does no harm.
    done = run("ncdump", "-v", "own", path)
    assert done.returncode == 0 and "/gone is left out" in done.stderr and "own = 0, 1, 2" in done.stdout
    nccopy("-V", "own", path, out)
    done = run("nccopy", "--data-dir", tmp_path, path, out)
    assert done.returncode == 0
    with h5py.File(out) as f:
        assert sorted(f) == ["d", "own", "phony_dim_0", "phony_dim_1"] or {"d", "own"} <= set(f)


def through_a_link(folder, *names):
    """A virtual dataset whose source is an external link, which leads from file to file."""
    path = folder / "in.h5"
    layout = h5py.VirtualLayout((64,), "u1")
    layout[:] = h5py.VirtualSource("s0.h5", "g/d", (64,))
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("d", layout, fillvalue=7)
    for n, name in enumerate(names):
        with h5py.File(folder / f"s{n}.h5", "w") as f:
            if n == 0:
                f["g"] = h5py.ExternalLink(name, "/")
            else:
                f["d"] = h5py.ExternalLink(name, "/d")
    return path


def test_sources_behind_external_links(tmp_path, folder, monkeypatch):
    other(folder / "last.h5", "virtual")
    path = through_a_link(folder, "s1.h5", "last.h5")
    monkeypatch.chdir(folder)
    with h5py.File(path) as f:
        expected = f["d"][()]
    assert expected.tolist() == list(range(64))
    monkeypatch.chdir("/")
    nccopy(path, folder / "out.nc")
    with h5py.File(folder / "out.nc") as f:
        assert np.array_equal(f["d"][()], expected)
    # A link that leads nowhere is a missing source.
    (folder / "last.h5").unlink()
    done = run("ncdump", path)
    assert done.returncode == 0 and "d = 7, 7" in done.stdout and "1 of 1" in done.stderr, done
    assert run("ncdump", "--require-sources", path).returncode == 1


def test_a_refused_file_behind_a_link_of_a_source_is_an_error(tmp_path, folder):
    other(tmp_path / "secret.h5", "virtual")
    path = through_a_link(folder, "../secret.h5")
    for arguments in ["ncdump", path], ["nccopy", path, folder / "out.nc"]:
        done = run(*arguments)
        assert done.returncode == 1 and "--data-dir DIR" in done.stderr, done
        assert "external link to ../secret.h5" in done.stderr and "outside of the input's folder" in done.stderr
    assert not (folder / "out.nc").exists()
    assert run("ncdump", "--data-dir", tmp_path, path).returncode == 0
    # Links that lead back end.
    path = through_a_link(folder, "s1.h5", "s1.h5")
    done = run("ncdump", path)
    assert done.returncode == 1 and "16 external links" in done.stderr, done
