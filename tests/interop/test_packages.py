"""Packages: what `cargo xtask dist` puts into them, installed, used and removed.

CI makes them of the program that the other tests run. With the mark `long`, they are installed in a fresh Debian.
"""

import os
import pathlib
import shutil
import subprocess
import tarfile

import pytest

from conftest import BIN, HERE, installed

ROOT = HERE.parent.parent
SAMPLE = ROOT / "testdata" / "sample.nc"
OLD_NAMES = ["nccopy", "ncdump", "ncgen"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A folder with the archive and the packages of Debian, made by xtask of the program under test."""
    xtask, ncutils = BIN / "xtask", BIN / "ncutils"
    if not xtask.exists() or not ncutils.exists():
        pytest.skip("xtask and ncutils are not built in this profile")
    installed("dpkg-shlibdeps")
    folder = tmp_path_factory.mktemp("packages")
    environment = {**os.environ, "CARGO_MANIFEST_DIR": str(ROOT / "xtask")}
    run(xtask, "dist", "tar", "deb", "--program", ncutils, "--to", folder, env=environment)
    return folder


def only(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, found
    return found[0]


def use(folder, programs, target):
    """Copies and prints the sample by the programs of a folder."""
    for name in programs:
        assert run(folder / name, "--version").startswith(f"{name} (ncutils ")
    run(folder / "nccopy", "-d", "1", SAMPLE, target / "copy.nc")
    (target / "copy.cdl").write_text(run(folder / "ncdump", target / "copy.nc"))
    run(folder / "ncgen", "-k", "nc4", "-o", target / "again.nc", target / "copy.cdl")
    assert run(folder / "ncdump", "--diff", SAMPLE, target / "again.nc") == ""


def test_the_archive_is_unpacked_and_used(packages, tmp_path):
    with tarfile.open(only(packages, "ncutils-*.tar.gz")) as archive:
        archive.extractall(tmp_path)
    folder = only(tmp_path, "ncutils-*")
    for name in ["ncutils", *OLD_NAMES]:
        assert f".TH {name} 1" in (folder / f"share/man/man1/{name}.1").read_text()
        for path in [f"bash-completion/completions/{name}", f"zsh/site-functions/_{name}", f"fish/vendor_completions.d/{name}.fish"]:
            assert name in (folder / "share" / path).read_text()
    licences = (folder / "THIRD-PARTY-LICENSES.txt").read_text()
    for word in ["zstd-sys ", "libdeflate", "Redistribution and use in source and binary forms", "The Rust standard library"]:
        assert word in licences, word
    use(folder / "bin", OLD_NAMES, tmp_path)


def dpkg(root, *arguments):
    """dpkg on a root with nothing in it, where no dependency is there."""
    return run("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--log=/dev/null", *arguments)


def empty_root(folder):
    root = folder / "root"
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    (root / "var/lib/dpkg/updates").mkdir()
    (root / "var/lib/dpkg/status").touch()
    return root


def files_of(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() and "dpkg" not in path.parts)


def test_the_packages_of_debian_are_installed_used_and_removed(packages, tmp_path):
    installed("dpkg")
    own, old = only(packages, "ncutils_*.deb"), only(packages, "ncutils-as-netcdf-bin_*.deb")
    assert "libc6" in run("dpkg-deb", "-f", own, "Depends")
    relations = {field: run("dpkg-deb", "-f", old, field).strip() for field in ["Provides", "Conflicts", "Replaces"]}
    assert set(relations.values()) == {"netcdf-bin"} and run("dpkg-deb", "-f", old, "Depends").startswith("ncutils (=")
    root = empty_root(tmp_path)
    dpkg(root, "-i", own)
    present = files_of(root)
    # Nothing has the path of a file of netcdf-bin.
    assert not {f"usr/bin/{name}" for name in OLD_NAMES} & set(present), present
    assert "usr/bin/ncutils" in present and "usr/share/man/man1/ncutils-copy.1.gz" in present
    use(root / "usr/lib/ncutils/bin", OLD_NAMES, tmp_path)
    assert (root / "usr/lib/ncutils/man/man1/ncgen.1.gz").resolve().is_file()
    dpkg(root, "-i", old)
    assert {f"usr/bin/{name}" for name in OLD_NAMES} <= set(files_of(root))
    for name in OLD_NAMES:
        assert run(root / "usr/bin" / name, "--version").startswith(f"{name} (ncutils ")
    dpkg(root, "-r", "ncutils-as-netcdf-bin", "ncutils")
    assert files_of(root) == []


@pytest.mark.long
def test_the_packages_take_the_place_of_netcdf_bin(packages, tmp_path):
    """In a fresh Debian with netcdf-bin, made by debootstrap."""
    installed("debootstrap")
    if os.geteuid() != 0:
        pytest.skip("debootstrap needs root")
    root = tmp_path / "debian"
    run("debootstrap", "--variant=minbase", "bookworm", root, *filter(None, [os.environ.get("NCUTILS_DEBIAN")]))
    # Packages and settings of the system that runs the test.
    for path in ["etc/apt", "etc/resolv.conf", "etc/hosts"]:
        source, target = pathlib.Path("/") / path, root / path
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
        elif source.exists():
            shutil.copy(source, target)
    inside = lambda *command: run("chroot", root, *command, env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "DEBIAN_FRONTEND": "noninteractive"})  # noqa: E731
    inside("apt-get", "update", "-qq")
    inside("apt-get", "install", "-y", "-qq", "--no-install-recommends", "netcdf-bin")
    for package in packages.glob("*.deb"):
        shutil.copy(package, root / "tmp")
    shutil.copy(SAMPLE, root / "tmp")
    own, old = (f"/tmp/{only(packages, pattern).name}" for pattern in ["ncutils_*.deb", "ncutils-as-netcdf-bin_*.deb"])
    inside("apt-get", "install", "-y", "-qq", own)
    # Both are there, side by side.
    assert "netcdf library version" in subprocess.run(
        ["chroot", root, "ncdump"], capture_output=True, text=True).stderr
    inside("ncutils", "copy", "-d", "1", "/tmp/sample.nc", "/tmp/copy.nc")
    inside("ncdump", "-h", "/tmp/copy.nc")
    inside("apt-get", "install", "-y", "-qq", "--allow-downgrades", old)
    assert inside("ncdump", "--version").startswith("ncdump (ncutils ")
    inside("apt-get", "remove", "-y", "-qq", "ncutils-as-netcdf-bin", "ncutils")
    assert not (root / "usr/bin/ncdump").exists() and not (root / "usr/lib/ncutils").exists()


@pytest.mark.long
@pytest.mark.parametrize("python", ["python3.10", "python3.13"])
def test_the_wheel_is_installed_and_used(tmp_path, python):
    """The wheel that `cargo xtask dist wheel` made, in a fresh environment."""
    wheels = list((ROOT / "target/dist").glob("ncutils_rs-*.whl"))
    if not wheels:
        pytest.skip("cargo xtask dist wheel makes the wheel")
    of_pyenv = (pathlib.Path.home() / ".pyenv/versions").glob(f"*/bin/{python}")
    works = lambda path: subprocess.run([path, "--version"], capture_output=True).returncode == 0  # noqa: E731
    interpreter = next(filter(works, filter(None, [shutil.which(python), *of_pyenv])), None)
    if interpreter is None:
        pytest.skip(f"{python} is not installed")
    run(interpreter, "-m", "venv", tmp_path / "venv")
    folder = tmp_path / "venv/bin"
    run(folder / "pip", "install", "--quiet", "--no-index", wheels[0])
    licences = folder.parent / "share/doc/ncutils-rs/THIRD-PARTY-LICENSES.txt"
    assert "zstd-sys " in licences.read_text()
    use(folder, ["ncutils", *OLD_NAMES], tmp_path)
    # A link that lies elsewhere finds the program too.
    (tmp_path / "nccopy").symlink_to(folder / "nccopy")
    assert run(tmp_path / "nccopy", "--version").startswith("nccopy (ncutils ")
    # The module runs this program, whatever PATH has.
    script = "import ncutils, sys; ncutils.copy(*sys.argv[1:], deflate=1); print(ncutils.diff(*sys.argv[1:]), ncutils.__version__)"
    environment = {name: value for name, value in os.environ.items() if name not in ("NCUTILS_BIN", "PYTHONPATH")}
    told = run(folder / "python", "-c", script, SAMPLE, tmp_path / "module.nc", env={**environment, "PATH": "/nowhere"})
    assert told.startswith("[] ")
    run(folder / "pip", "uninstall", "--quiet", "-y", "ncutils-rs")
    assert not any((folder / name).exists() for name in ["ncutils", *OLD_NAMES])
    assert not list((tmp_path / "venv").glob("lib/*/site-packages/ncutils"))
