"""What all scripts share that read a dataset whole, to tell what a program cannot read of it.

    script READER… PATH… ─► for each path a line of JSON: how many items there were, errors by item, values of small arrays

A script runs in a process of its own, by `forked.py`. If it crashes, the first path without a line is the one it crashed on.
"""

import contextlib
import json

# An array of at most this many bytes is read whole. Of a larger one, the first and the last chunk are read.
WHOLE = 1 << 22
# A chunk of more bytes is not read.
MOST = 1 << 26
# Of a group with more items than this, the first and the last ones are read: some libraries find each by counting.
MOST_ITEMS = 200
# Values of arrays of at most so many elements are told, if they are numbers or text.
TOLD = 1000


class Found:
    """What was found in a dataset."""

    def __init__(self):
        self.items, self.errors, self.values = 0, [], {}

    @contextlib.contextmanager
    def item(self, name):
        """Notes an error at an item, and goes on."""
        self.items += 1
        try:
            yield
        except Exception as error:
            self.errors.append([name, f"{type(error).__name__}: {error}"[:400]])


def some(items):
    """All of a list or range, or its first and last items."""
    half = MOST_ITEMS // 2
    return items if len(items) <= MOST_ITEMS else [*items[:half], *items[-half:]]


def boxes(shape, chunks, size):
    """The start and the lengths of what is to be read of an array whose elements have `size` bytes."""

    def bytes_of(lengths):
        count = size
        for n in lengths:
            count *= n
        return count

    if bytes_of(shape) <= WHOLE:
        return [([0] * len(shape), list(shape))]
    if 0 in shape:
        return []
    # An array in one piece: rows of the fastest dimension.
    chunks = chunks or [1] * (len(shape) - 1) + [min(shape[-1], WHOLE // size)]
    if bytes_of(chunks) > MOST:
        return []
    last = [(n - 1) // c * c for n, c in zip(shape, chunks)]
    return [
        ([0] * len(shape), [min(n, c) for n, c in zip(shape, chunks)]),
        (last, [n - at for n, at in zip(shape, last)]),
    ]


def tell(read, paths):
    """Prints a line for each path. `read` takes a path and a `Found`."""
    for path in paths:
        found = Found()
        with found.item("/"):
            read(path, found)
        print(json.dumps([path, found.items, found.errors, found.values]), flush=True)
