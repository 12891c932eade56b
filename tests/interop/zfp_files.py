"""Files of arrays with zfp, by the registered plugin, and what it says of ours.

    python zfp_files.py write MODE EVERY RAW ENCODED DECODED     each nth array of a mode, and what the plugin makes of it
    python zfp_files.py compare ENCODED OURS                     fails where stored words, chunks or numbers differ
"""

import itertools
import pathlib
import sys

import h5py
import hdf5plugin  # noqa: F401  registers zfp
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "testdata" / "filters"))
from make_zfp_streams import LOSSLESS, LOSSY, MODES, SHAPES, TYPES, field, is_reversible  # noqa: E402

ZFP = 32013


def arrays(mode):
    """Name, values and chunk shape of each array."""
    for dtype, shape in itertools.product(TYPES, itertools.chain(*SHAPES)):
        if mode[0] == 3 and "i" in dtype:
            continue
        for name in LOSSLESS if is_reversible(mode) else LOSSY:
            yield f"{dtype[1:]}_{'x'.join(map(str, shape))}_{name}", field(name, dtype, shape), shape
        # Chunks that reach beyond the array.
        chunk = tuple(max(size * 2 // 3, 2) for size in shape)
        yield f"{dtype[1:]}_{'x'.join(map(str, shape))}_chunks", field("smooth", dtype, shape), chunk


def write(number, every, raw, encoded, decoded):
    mode, every = MODES[int(number)], int(every)
    with h5py.File(raw, "w") as plain, h5py.File(encoded, "w") as file:
        for name, values, chunk in itertools.islice(arrays(mode), int(number) % every, None, every):
            plain.create_dataset(name, data=values, chunks=chunk)
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk(chunk)
            plist.set_filter(ZFP, h5py.h5z.FLAG_OPTIONAL, mode)
            space = h5py.h5s.create_simple(values.shape)
            h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(values.dtype), space, plist)
            file[name][...] = values
    # Opened anew, so that nothing comes from a cache.
    with h5py.File(encoded) as file, h5py.File(decoded, "w") as plain:
        for name in file:
            plain.create_dataset(name, data=file[name][()], chunks=file[name].chunks)


def compare(encoded, ours):
    with h5py.File(encoded) as wanted, h5py.File(ours) as found:
        assert sorted(wanted) == sorted(name for name in found if not name.startswith("phony_dim"))
        for name in wanted:
            a, b = wanted[name], found[name]
            assert a.id.get_create_plist().get_filter(0)[2] == b.id.get_create_plist().get_filter(0)[2], name
            places = itertools.product(*(range(0, size, chunk) for size, chunk in zip(a.shape, a.chunks)))
            for place in places:
                assert a.id.read_direct_chunk(place) == b.id.read_direct_chunk(place), (name, place)
            assert a[()].tobytes() == b[()].tobytes(), name


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
