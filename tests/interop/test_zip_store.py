"""Zip files as stores of keys: Python's zipfile and Info-ZIP read ours, and we read theirs."""

import pathlib
import random
import subprocess
import zipfile

import pytest
from conftest import BIN, each_in_corpus, harness, installed, nccopy, ncdump, ncgen

FIRST_DATE = (1980, 1, 1, 0, 0, 0)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "data.zarr"
    numbers = random.Random(3)
    values = {
        ".zgroup": b'{"zarr_format": 2}',
        "v/.zarray": b"{}",
        "v/0.0": numbers.randbytes(100_000),
        "v/0.1": b"",
        "g/h/größe/0": bytes(300_000),
        "g/.zattrs": b"{}",
    }
    for key, value in values.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(value)
    return folder


def files(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def pack(folder, path, *top_folder):
    subprocess.run(harness("zip_tool", "pack", folder, path, *top_folder), check=True)


def unpack(path, folder):
    """The top folder, and the values of all keys."""
    done = subprocess.run(harness("zip_tool", "unpack", path, folder), check=True, capture_output=True, text=True)
    return done.stdout.strip(), files(folder)


@pytest.mark.parametrize("top_folder", [[], ["data"], ["dätä"]])
def test_zipfile_reads_ours(folder, tmp_path, top_folder):
    path = tmp_path / "ours.zip"
    pack(folder, path, *top_folder)
    prefix = "".join(f"{name}/" for name in top_folder)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        names = file.namelist()
        assert names[: len(top_folder)] == [f"{name}/" for name in top_folder]
        names = names[len(top_folder) :]
        assert {name: file.read(name) for name in names} == {prefix + key: value for key, value in files(folder).items()}
        metadata = [name.rsplit("/")[-1].startswith(".z") for name in names]
        assert metadata == sorted(metadata), "metadata comes last"
        for info in file.infolist():
            assert (info.date_time, info.compress_type) == (FIRST_DATE, zipfile.ZIP_STORED)
            assert bool(info.flag_bits & 0x800) == (not info.filename.isascii())
            assert info.is_dir() == info.filename.endswith("/")
    again = tmp_path / "again.zip"
    pack(folder, again, *top_folder)
    assert again.read_bytes() == path.read_bytes()


def test_unzip_reads_ours(folder, tmp_path):
    path = tmp_path / "ours.zip"
    pack(folder, path, "data")
    subprocess.run([installed("unzip"), "-tqq", path], check=True)
    subprocess.run([installed("unzip"), "-qq", path, "-d", tmp_path / "out"], check=True)
    assert sorted(files(tmp_path / "out" / "data").values()) == sorted(files(folder).values())
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert modes == {0o644}


def test_more_entries_than_16_bits_count(tmp_path):
    theirs, ours = tmp_path / "theirs.zip", tmp_path / "ours.zip"
    with zipfile.ZipFile(theirs, "w") as file:
        for n in range(65_537):
            file.writestr(str(n), b"%d" % n)
    subprocess.run(harness("zip_tool", "repack", theirs, ours), check=True)
    with zipfile.ZipFile(ours) as file:
        assert len(file.namelist()) == 65_537
        assert all(file.read(str(n)) == b"%d" % n for n in range(65_537))


@pytest.mark.parametrize("flags", [["-0"], ["-9"], ["-0", "-fz"], ["-X"]])
def test_we_read_what_info_zip_writes(folder, tmp_path, flags):
    for name, where, top in [("root.zip", folder, ""), ("top.zip", folder.parent, "data.zarr")]:
        path = tmp_path / name
        subprocess.run([installed("zip"), "-qr", *flags, path, top or "."], cwd=where, check=True)
        found, out = unpack(path, tmp_path / (name + ".out")), {}
        for key, value in files(folder).items():
            out[f"{top}/{key}" if top else key] = value
        assert found[0] == top or not top
        assert found[1] == out


def test_we_read_what_comes_from_a_pipe(folder, tmp_path):
    packed = subprocess.run([installed("zip"), "-qr", "-", "."], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    (tmp_path / "piped.zip").write_bytes(packed)
    assert unpack(tmp_path / "piped.zip", tmp_path / "out")[1] == files(folder)


@each_in_corpus("zarr/**/*.zip", "zarr-v3/**/*.zip")
def test_we_read_what_zipfile_reads(path, tmp_path):
    with zipfile.ZipFile(path) as file:
        expected = {name: file.read(name) for name in file.namelist() if not name.endswith("/")}
    top_folder, found = unpack(path, tmp_path / "out")
    assert found == expected
    tops = {pathlib.PurePath(name).parts[0] for name in expected}
    assert top_folder == ("" if len(tops) > 1 else tops.pop())


@pytest.mark.parametrize("counted", [False, True], ids=["as it was", "counted"])
def test_a_zip_behind_other_bytes_is_read(tmp_path, counted):
    """As a program that unpacks itself. Offsets count from the zip's beginning, or from the file's."""
    zarr = pytest.importorskip("zarr", "3")
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 4 ; variables: int v(x) ; v:_ChunkSizes = 2 ; data: v = 1, 2, 3, 4 ; }")
    ncgen("-4", "-o", f"{tmp_path}/plain.zip#mode=zarr,zip", tmp_path / "a.cdl")
    path, begin = tmp_path / "in.zip", b"#!/bin/sh\nexit 0\n" * 7
    if counted:
        path.write_bytes(begin)
        with zipfile.ZipFile(tmp_path / "plain.zip") as source, zipfile.ZipFile(path, "a") as target:
            for name in source.namelist():
                target.writestr(name, source.read(name))
    else:
        path.write_bytes(begin + (tmp_path / "plain.zip").read_bytes())
    assert path.read_bytes().startswith(begin)
    assert zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")["v"][:].tolist() == [1, 2, 3, 4]
    assert " v = 1, 2, 3, 4 ;" in ncdump(path).decode()
    check = subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout
    # Of another name, it is what it begins with.
    (tmp_path / "in.sh").write_bytes(path.read_bytes())
    assert "not a netCDF file" in nccopy(tmp_path / "in.sh", tmp_path / "out.nc", ok=False)
    assert nccopy(f"{tmp_path}/in.sh#mode=zarr,zip", tmp_path / "out.nc") == ""
    path.write_bytes(path.read_bytes()[:-3])
    assert nccopy(path, tmp_path / "out.nc", ok=False)
