"""Builds libnetcdf 4.10 with NCZarr, zip and its filters below `target/interop/netcdf-c`, once.

    python netcdf_c_build.py FOLDER

The crate `netcdf-src` brings the library's source. Cargo fetches it and checks its checksum; it is no dependency of our
crates. `netcdf_c.py` tells the tests what was built. Where something is missing, the reason is printed and kept in `FOLDER/missing`.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent

# netcdf-c 4.10.1.
CRATE = "0.5.3"
CHECKSUM = "9f8a4c2a96491452c12be9fe0ad0e6e20fd94cb5996eabd4cfcec51dfd4d898a"

HDF5 = pathlib.Path("/usr/lib") / f"{os.uname().machine}-linux-gnu" / "hdf5" / "serial"

OPTIONS = {
    "CMAKE_BUILD_TYPE": "None",
    "CMAKE_C_FLAGS": "-O1 -w",
    "BUILD_SHARED_LIBS": "ON",
    "BUILD_TESTING": "OFF",
    "HDF5_ROOT": HDF5,
    "NETCDF_BUILD_UTILITIES": "OFF",
    "NETCDF_ENABLE_BYTERANGE": "OFF",
    "NETCDF_ENABLE_DAP": "OFF",
    "NETCDF_ENABLE_EXAMPLES": "OFF",
    "NETCDF_ENABLE_FILTER_TESTING": "OFF",
    "NETCDF_ENABLE_LIBXML2": "OFF",
    "NETCDF_ENABLE_NCZARR": "ON",
    "NETCDF_ENABLE_NCZARR_ZIP": "ON",
    "NETCDF_ENABLE_PLUGINS": "ON",
    "NETCDF_ENABLE_S3": "OFF",
    "NETCDF_ENABLE_TESTS": "OFF",
}

MANIFEST = f"""\
[package]
name = "source-of-netcdf-c"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
netcdf-src = "={CRATE}"

[workspace]
"""


class Missing(Exception):
    """What this machine lacks."""


def needs():
    for program, package in ("cmake", "cmake"), ("make", "make"), ("cc", "gcc"):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed (Debian: {package})")
    headers = [
        (HDF5 / "lib/libhdf5.so", "libhdf5-dev"),
        ("/usr/include/zip.h", "libzip-dev"),
        ("/usr/include/blosc.h", "libblosc-dev"),
        ("/usr/include/zstd.h", "libzstd-dev"),
        ("/usr/include/bzlib.h", "libbz2-dev"),
        ("/usr/include/szlib.h", "libaec-dev"),
    ]
    for file, package in headers:
        if not pathlib.Path(file).exists():
            raise Missing(f"{file} is not there (Debian: {package})")


def run(*command, log, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    with log.open("a") as file:
        file.write(f"$ {' '.join(map(str, command))}\n{done.stdout}\n")
    if done.returncode != 0:
        raise Missing(f"{command[0]} failed; {log} tells why: {done.stdout.strip().splitlines()[-1:]}")
    return done.stdout


def source(folder, log):
    """The folder of netcdf-c's source."""
    package = folder / "source"
    package.mkdir()
    (package / "Cargo.toml").write_text(MANIFEST)
    (package / "lib.rs").touch()
    cargo = os.environ.get("CARGO", "cargo")
    run(cargo, "fetch", cwd=package, log=log)
    lock = (package / "Cargo.lock").read_text()
    entry = next(part for part in lock.split("[[package]]") if 'name = "netcdf-src"' in part)
    if CHECKSUM not in entry:
        raise Missing(f"netcdf-src {CRATE} does not have the checksum {CHECKSUM}")
    text = run(cargo, "metadata", "--format-version", "1", "--locked", "--offline", cwd=package, log=log)
    packages = json.loads(text[text.index("{"):])["packages"]
    manifest = next(p["manifest_path"] for p in packages if p["name"] == "netcdf-src")
    return pathlib.Path(manifest).parent / "source"


def build(folder):
    log = folder / "log"
    needs()
    work = folder / "build"
    work.mkdir()
    defined = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    run("cmake", source(folder, log), *defined, cwd=work, log=log)
    run("make", f"-j{os.cpu_count()}", cwd=work, log=log)
    for kind, pattern in ("lib", "libnetcdf.so*"), ("plugins", "plugins/*.so"):
        (folder / kind).mkdir()
        for file in list(work.glob(pattern)) or list(work.rglob(pattern)):
            shutil.copy2(file, folder / kind / file.name, follow_symlinks=True)
    library = folder / "lib/libnetcdf.so.22"
    run("cc", "-shared", "-fPIC", "-O1", HERE / "netcdf_c_shim.c", "-o", folder / "lib/libnetcdf.so.19", "-Wl,-soname,libnetcdf.so.19",
        "-Wl,--no-as-needed", library, "-Wl,-rpath,$ORIGIN", log=log)
    shutil.rmtree(work)


def main(folder):
    folder = pathlib.Path(folder).resolve()
    wanted = hashlib.sha256((HERE / __file__).read_bytes() + (HERE / "netcdf_c_shim.c").read_bytes()).hexdigest()
    stamp = folder / "stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"interop: building libnetcdf 4.10 in {folder}", flush=True)
    try:
        build(folder)
        stamp.write_text(wanted)
    except Missing as missing:
        print(f"interop: SKIPPED: libnetcdf 4.10 cannot be built, so the tests that need it are skipped: {missing}")
        (folder / "missing").write_text(str(missing))


if __name__ == "__main__":
    main(sys.argv[1])
