"""How many threads the programs start."""

import subprocess

import h5py
import numpy as np
import pytest

from conftest import BIN

# Writes one byte for each thread that the process starts.
COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    int file = open(getenv("STARTED"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, "t", 1) != 1) abort();
    close(file);
    return next(thread, attr, start, arg);
}
"""


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    """A library that counts threads."""
    folder = tmp_path_factory.mktemp("counter")
    (folder / "counter.c").write_text(COUNTER)
    library = folder / "counter.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "counter.c", "-ldl"], check=True)
    return library


def started(counter, program, *arguments):
    """The number of threads that a run starts beside the first one."""
    count = counter.parent / "started"
    count.write_bytes(b"")
    environment = {"LD_PRELOAD": str(counter), "STARTED": str(count)}
    subprocess.run([BIN / program, *map(str, arguments)], env=environment, check=True, timeout=120)
    return len(count.read_bytes())


def many_datasets(folder):
    """A file of many object headers, with a dataset in four others."""
    layout = h5py.VirtualLayout((4, 10), "i4")
    for n in range(4):
        with h5py.File(folder / f"source{n}.h5", "w") as file:
            file["v"] = np.arange(10, dtype="i4") + n
        layout[n] = h5py.VirtualSource(f"source{n}.h5", "v", (10,))
    with h5py.File(folder / "many.h5", "w") as file:
        for n in range(300):
            file.create_dataset(f"v{n}", data=np.arange(100), chunks=(10,), compression=1)
        file["text"] = np.array(["a", "bc"] * 5000, dtype=object)
        file.create_virtual_dataset("virtual", layout)
    return folder / "many.h5"


def text(folder):
    """A text with lists that are checked in several pieces."""
    lists = "".join(f"v{n} = {', '.join(map(str, range(20000)))};\n" for n in range(8))
    variables = "".join(f"int v{n}(x);" for n in range(8))
    (folder / "text.cdl").write_text(f"netcdf t {{ dimensions: x = 20000; variables: {variables} data:\n{lists}}}")
    return folder / "text.cdl"


def test_one_thread_is_one_thread(tmp_path, counter):
    many, cdl = many_datasets(tmp_path), text(tmp_path)
    # One thread waits for signals from the time when a file is written.
    for arguments in [
        ["nccopy", "--verify", many, tmp_path / "out.nc"],
        ["nccopy", many, f"{tmp_path}/out.zarr#mode=nczarr,file"],
        ["ncgen", "-o", tmp_path / "cdl.nc", cdl],
    ]:
        one = started(counter, arguments[0], "--threads", 1, *arguments[1:])
        four = started(counter, arguments[0], "--threads", 4, "--replace", *arguments[1:])
        assert one == 1 and four >= 4, arguments
    assert started(counter, "ncgen", "--threads", 1, cdl) == 0
    assert started(counter, "ncgen", "--threads", 3, cdl) == 2
