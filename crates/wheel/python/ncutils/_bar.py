"""Shows progress: by tqdm if it is installed, else on a line of a terminal or a notebook."""

import sys


def bar_of(unit):
    """A bar: called with what is done and all, in units. "B" are bytes."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(unit)
    return _Tqdm(tqdm, unit)


class _Tqdm:
    def __init__(self, tqdm, unit):
        is_bytes = unit == "B"
        self._bar = tqdm(total=0, unit=unit, unit_scale=is_bytes, unit_divisor=1000)

    def __call__(self, done, total):
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self):
        self._bar.close()


class _Line:
    def __init__(self, unit):
        self._unit = unit
        self._is_seen = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._width = 0

    def __call__(self, done, total):
        if not self._is_seen:
            return
        amounts = f"{done} of {total} {self._unit}" if self._unit != "B" else f"{done / 1e6:.1f} of {total / 1e6:.1f} MB"
        line = f"{amounts}, {100 * done // max(total, 1)} %"
        print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def close(self):
        if self._width:
            print("\r" + " " * self._width, end="\r", file=sys.stderr, flush=True)
