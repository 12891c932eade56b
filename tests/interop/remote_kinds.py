"""Kinds of datasets for the remote tests, and a small dataset of each on the local disk."""

import re
import subprocess
from dataclasses import dataclass

import pytest
from conftest import BIN, nccopy, ncgen

# Names of all sorts, groups where there can be, numbers in chunks, records, text.
CDL = """netcdf small {
dimensions: time = UNLIMITED; y = 40; x = 50; n = 6;
variables:
    double time(time); time:units = "days since 2000-01-01";
    float field(time, y, x); field:_FillValue = -999.f; field:long_name = "a field"; field:_ChunkSizes = 1, 20, 25;
        field:_DeflateLevel = 1; field:_Shuffle = "true"; field:_Storage = "chunked";
    short number(y, x); number:_ChunkSizes = 10, 50; number:_Storage = "chunked";
    int odd\\ name(n);
    double scalar;
    :title = "small";
data:
    time = 0, 1, 2;
    odd\\ name = 1, 2, 3, 4, 5, 6;
    scalar = 1.5;
    number = %s;
    field = %s;
}
"""


@dataclass(frozen=True)
class Kind:
    """How nccopy makes a dataset. `mode` is that of a tree of keys, or of a zip."""

    flags: tuple[str, ...] = ()
    mode: str | None = None
    ending: str = "nc"

    def is_tree(self):
        return self.mode is not None and "zip" not in self.mode

    def on(self, store, key):
        """The name of a dataset on a store."""
        return store.tree(key, self.mode) if self.is_tree() else store.url(key, self.mode)


KINDS = {
    "classic": Kind(("-k", "nc6")),
    "netcdf4": Kind(("-k", "nc4")),
    "nczarr": Kind((), "nczarr", "nczarr"),
    "zarr": Kind((), "zarr", "zarr"),
    "v3": Kind(("--shard", "2K"), "zarr,v3", "v3"),
    "zip": Kind((), "zarr,zip", "zip"),
}


def cdl():
    """The text of the dataset."""
    number = ", ".join(str(i * 7 % 1000) for i in range(2000))
    field = ", ".join(f"{i * 0.37 % 97:.6g}f" if i % 11 else "_" for i in range(6000))
    return CDL % (number, field)


class Small:
    """The dataset of each kind, made once by our programs without a network."""

    def __init__(self, folder):
        self.folder = folder
        self.text = folder / "small.cdl"
        self.text.write_text(cdl())
        self.source = folder / "small.nc"
        ncgen("-k", "nc4", "-o", self.source, self.text)

    def text_of(self, kind):
        """The text, without what a classic file does not have."""
        if kind != "classic":
            return self.text
        path = self.folder / "classic.cdl"
        path.write_text(re.sub(r"(\w+:_(ChunkSizes|DeflateLevel|Shuffle|Storage) = [^;]*;)", "", self.text.read_text()))
        return path

    def of(self, kind):
        """The path of a dataset of a kind."""
        made = self.folder / f"{kind}.{KINDS[kind].ending}"
        if not made.exists():
            nccopy(*KINDS[kind].flags, self.source, self.name(kind))
        return made

    def name(self, kind):
        """The path, with the fragment that names the kind."""
        mode = KINDS[kind].mode
        path = self.folder / f"{kind}.{KINDS[kind].ending}"
        return f"{path}#mode={mode}" if mode else str(path)

    def back(self, kind):
        """The bytes of a netCDF file that is made of a dataset of a kind."""
        path = self.folder / f"{kind}.back.nc"
        if not path.exists():
            self.of(kind)
            nccopy(self.name(kind), path)
        return path.read_bytes()

    def dump(self, kind):
        """What ncdump prints of it."""
        self.of(kind)
        return subprocess.run([str(BIN / "ncdump"), "-n", "x", self.name(kind)], capture_output=True, check=True).stdout.decode()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return Small(tmp_path_factory.mktemp("small"))
