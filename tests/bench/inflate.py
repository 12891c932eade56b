"""Inflates the chunks of the largest variable of two files in turns: inflate.py OURS THEIRS TURNS.

Prints the median processor seconds of each file, as JSON. Each stream is inflated to its known length, so that zlib
makes its output once.
"""

import json
import statistics
import sys
import time
import zlib

import h5py


def chunks(path):
    """The streams of the largest chunked variable, and the length of a chunk in bytes."""
    found = []
    with h5py.File(path) as file:
        file.visititems(lambda _, item: found.append(item) if getattr(item, "chunks", None) else None)
        variable = max(found, key=lambda item: item.size)
        length = variable.dtype.itemsize
        for extent in variable.chunks:
            length *= extent
        ids = variable.id
        return [
            ids.read_direct_chunk(ids.get_chunk_info(number).chunk_offset)[1]
            for number in range(ids.get_num_chunks())
        ], length


files = [chunks(path) for path in sys.argv[1:3]]
times = [[], []]
for _ in range(int(sys.argv[3])):
    for (streams, length), seconds in zip(files, times):
        begun = time.process_time()
        for stream in streams:
            zlib.decompress(stream, bufsize=length)
        seconds.append(time.process_time() - begun)
print(json.dumps([statistics.median(seconds) for seconds in times]))
