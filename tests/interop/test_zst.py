"""The plain twin of an archive: a classic file in Zstandard's seekable format."""

import gzip
import subprocess

import archive_samples
import pytest
from conftest import BIN, installed, nccopy, ncdump


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "a.nc"
    path.write_bytes(archive_samples.file(2, 9000, [0, 30], [(5, (0, 1), 400), (6, (0,), 520)], 400 + 9000 * 128))
    return path


def text(path):
    return ncdump("-n", "a", path)


def test_zstd_restores_it(original, tmp_path):
    twin = tmp_path / "a.nc.zst"
    nccopy("-k", "zst", original, twin)
    done = subprocess.run([installed("zstd"), "-dc", twin], capture_output=True, check=True)
    assert done.stdout == original.read_bytes()
    assert text(twin) == text(original)
    one = tmp_path / "one.zst"
    nccopy("-k", "zst", "--threads", "1", original, one)
    assert one.read_bytes() == twin.read_bytes()


def test_other_options_are_refused(original, tmp_path):
    twin = tmp_path / "a.nc.zst"
    for option in ["--isel", "x=1"], ["-d", "1"], ["--page", "4096"], ["--salvage"], ["--verify"], ["-M", "1k"]:
        assert f"leave out {option[0]}" in nccopy("-k", "zst", *option, original, twin, ok=False)
    nccopy("-k", "zst", "--dry-run", original, twin)
    assert not twin.exists()


def test_pyzstd_seeks_in_it(original, tmp_path):
    pyzstd = pytest.importorskip("pyzstd")
    twin = tmp_path / "a.nc.zst"
    nccopy("-k", "zst", original, twin)
    data = original.read_bytes()
    with pyzstd.SeekableZstdFile(str(twin), "rb") as file:
        for at in 0, 300_000, 700_001, len(data) - 5:
            file.seek(at)
            assert file.read(1000) == data[at : at + 1000]


def test_pyzstd_made_it(original, tmp_path):
    """A seek table with and without checksums in it."""
    pyzstd = pytest.importorskip("pyzstd")
    twin = tmp_path / "b.nc.zst"
    with pyzstd.SeekableZstdFile(str(twin), "wb", max_frame_content_size=100_000) as file:
        file.write(original.read_bytes())
    assert text(twin) == text(original)


def test_files_without_a_seek_table(original, tmp_path):
    zst, gz = tmp_path / "a.nc.zst", tmp_path / "a.nc.gz"
    subprocess.run([installed("zstd"), "-q", original, "-o", zst], check=True)
    gz.write_bytes(gzip.compress(original.read_bytes()))
    for path in zst, gz:
        assert text(path) == text(original)
        nccopy("-k", "nc3" if original.read_bytes()[3] == 1 else "nc6", path, tmp_path / "copy.nc")
        assert text(tmp_path / "copy.nc") == text(original)
        archive = tmp_path / "a.nc3z"
        nccopy("-k", "archive", path, archive)
        nccopy("--restore", archive, tmp_path / "back.nc")
        assert (tmp_path / "back.nc").read_bytes() == original.read_bytes()


def test_a_pipe(original, tmp_path):
    with open(original, "rb") as file:
        cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        nccopy("-k", "zst", "-", tmp_path / "a.zst", stdin=cat.stdout)
    assert text(tmp_path / "a.zst") == text(original)


def test_deflate_is_refused(original, tmp_path):
    error = nccopy("-k", "zst", "-d", "5", original, tmp_path / "a.zst", ok=False)
    assert "-k zst takes the bytes of the input as they are" in error
    assert not (tmp_path / "a.zst").exists()


@pytest.mark.parametrize("ending", ["gz", "zst", "twin.zst"])
def test_what_comes_before_a_cut_is_salvaged(original, tmp_path, ending):
    whole, cut = tmp_path / f"a.nc.{ending}", tmp_path / f"cut.nc.{ending}"
    match ending:
        case "gz":
            whole.write_bytes(gzip.compress(original.read_bytes()))
        case "zst":
            subprocess.run([installed("zstd"), "-q", original, "-o", whole], check=True)
        case _:
            nccopy("-k", "zst", original, whole)
    # The first of several blocks of Zstandard has nearly all bytes of this file.
    length = whole.stat().st_size
    cut.write_bytes(whole.read_bytes()[: length - 20 if ending == "zst" else length // 2])
    ncdump("--check", whole)
    checked = subprocess.run([BIN / "ncdump", "--check", cut], capture_output=True, text=True)
    assert checked.returncode == 1
    assert "ends or is damaged after" in checked.stdout
    hint = "'nccopy --salvage' copies what can still be read"
    assert nccopy(cut, tmp_path / "none.nc", ok=False).rstrip().endswith(hint)
    assert not (tmp_path / "none.nc").exists()
    done = subprocess.run([BIN / "nccopy", "--salvage", cut, tmp_path / "left.nc"], capture_output=True, text=True)
    assert done.returncode == 3
    assert "ends or is damaged after" in done.stderr
    # A plain prefix of the original gives the same values.
    length = int(done.stderr.split("damaged after ")[1].split()[0])
    assert 4096 < length < original.stat().st_size
    prefix = tmp_path / "prefix.nc"
    prefix.write_bytes(original.read_bytes()[:length])
    subprocess.run([BIN / "nccopy", "--salvage", prefix, tmp_path / "expected.nc"], capture_output=True)
    assert text(tmp_path / "left.nc") == text(tmp_path / "expected.nc")
