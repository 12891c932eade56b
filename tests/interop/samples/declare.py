"""How a sample is declared, and the values that fill it."""

import dataclasses
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass
class Sample:
    """A file that another program makes."""

    name: str
    make: Callable[[str], None]
    """Makes the file at a path."""
    reader_only: bool
    """Whether it is for the test of the reader alone; else every test of files has it."""

    @property
    def file_name(self):
        return self.name + (".h5" if self.name.startswith("h5_") else ".nc")


SAMPLES = {}
"""All of them, by name."""


def sample(make=None, *, name=None, reader_only=False):
    """Declares a sample: `@sample`, `@sample(reader_only=True)`, or `sample(name="x")(function)` where one function makes several."""

    def declare(make):
        own = name or make.__name__
        assert own not in SAMPLES, f"there is a sample {own} already"
        SAMPLES[own] = Sample(own, make, reader_only)
        return make

    return declare if make is None else declare(make)


def field(*shape, dtype="f4"):
    """Smooth numbers, as measurements are."""
    n = int(np.prod(shape))
    values = np.sin(np.arange(n) / 50.0) * 1000 + np.arange(n) % 7
    return values.astype(dtype).reshape(shape)


def numbers(dtype, *shape):
    """Whole numbers below 119, which every type holds."""
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 119).astype(dtype).reshape(shape)
