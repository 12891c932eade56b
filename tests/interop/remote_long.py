"""How much of the remote tests runs: a sample, or with `NCUTILS_REMOTE=long` all of it, which takes many minutes."""

import os
import zlib

LONG = os.environ.get("NCUTILS_REMOTE") == "long"


def some(items, key, count=1):
    """All items in a long run, else `count` of them that depend on the key alone."""
    items = list(items)
    if LONG or len(items) <= count:
        return items
    first = zlib.crc32(repr(key).encode()) % len(items)
    return [items[(first + step * len(items) // count) % len(items)] for step in range(count)]
