"""Makes the files of `cargo xtask bench proof` and `cargo xtask bench parts` of the files that make.py made: one file for
each step of the deflated field, a virtual dataset over all of them, and the field's plain values.

    python proof.py FOLDER
"""

import pathlib
import sys

import h5py


def steps(folder):
    """The chunks of deflated.nc, each in a file of its own, and `virtual.h5` over them."""
    whole = folder / "virtual.h5"
    if whole.exists():
        return
    place = folder / "steps"
    place.mkdir(exist_ok=True)
    part = whole.with_suffix(".part")
    with h5py.File(folder / "deflated.nc") as source:
        field = source["t2m"]
        layout = h5py.VirtualLayout(field.shape, field.dtype)
        for step in range(len(field)):
            name = place / f"{step:03}.h5"
            with h5py.File(name, "w") as file:
                shape = (1, *field.shape[1:])
                made = file.create_dataset("t2m", shape, field.dtype, chunks=shape, shuffle=True, compression=4)
                mask, stored = field.id.read_direct_chunk((step, 0, 0))
                made.id.write_direct_chunk((0, 0, 0), stored, mask)
            layout[step] = h5py.VirtualSource(f"steps/{name.name}", "t2m", shape)[0]
        with h5py.File(part, "w") as file:
            file.create_virtual_dataset("t2m", layout)
    part.rename(whole)


def plain(folder):
    """The values of the field, as `openssl dgst` and others take them."""
    whole = folder / "plain.bin"
    if whole.exists():
        return
    part = whole.with_suffix(".part")
    with h5py.File(folder / "raw.nc") as source, open(part, "wb") as file:
        for values in source["t2m"]:
            file.write(values.astype("<f4").tobytes())
    part.rename(whole)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    steps(folder)
    plain(folder)
