"""One copy by many processes, on as many machines: planned once, done in parts, finished once."""

from __future__ import annotations

from . import _options
from ._arguments import arguments, help_of, operands
from ._arguments import path as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from typing_extensions import Unpack

    from ._options import CopyOptions, Path


class Job:
    """A copy in parts, by its job file. It can be pickled, and sent to processes that see the file under the same path.

    Each part writes the same bytes however often it runs, so one that failed, or that was killed, simply runs again. Nothing of the
    output is visible before `finish`.

        job = ncutils.Job.plan("in.nc", "out.zarr", job="job.json", parts=64, kind="zarr3")
        for part in job.missing():
            job.part(part)
        job.finish()

    Attributes:
        path: the job file, absolute.
    """

    def __init__(self, path: Path) -> None:
        import os

        self.path = os.path.abspath(text(path))

    def __repr__(self) -> str:
        return f"Job({self.path!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    @classmethod
    def plan(
        cls, *paths: Path, job: Path, parts: int, output: Path | None = None, **options: Unpack[CopyOptions]
    ) -> Job:
        """Plans a copy: checks everything, claims the output and writes the job file. No data is copied.

        Args:
            paths: the inputs and then the output, as for `ncutils.copy`.
            job: the job file to write, where all processes see it.
            parts: number of parts. Parts beyond the number of chunks or shards are empty.
            output: the output, if it is not the last of `paths`.
            options: the options of `ncutils.copy`.

        Raises:
            Error: the copy is not possible, or another job writes the output.
        """
        from ._run import run

        if output is not None:
            paths = (*paths, output)
        given = arguments("plan", _options.COPY, options)
        planned = cls(job)
        run("nccopy", ["--plan", planned.path, f"--parts={parts}", *given, *operands(paths)])
        return planned

    def part(
        self,
        part: int | str | Iterable[int],
        *,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> None:
        """Copies a part, or several. The program ends when this process does.

        Args:
            part: number from 0, numbers, or text such as "0-9,12".
            threads: threads to work with; default one for each core.
            memory: bytes for data, or text such as "2G"; default a quarter of the machine's.
            progress: True for a bar, or a callable that gets the bytes done and all bytes, decoded, of one part after the other.

        Raises:
            InputChanged: an input is no longer what was planned.
            Error: the part failed; the message names variable and chunk.
        """
        self._part(part, threads, memory, progress, None)

    def _part(self, part, threads, memory, progress, started):
        from ._run import run

        numbers = part if isinstance(part, str) or not hasattr(part, "__iter__") else ",".join(map(str, part))
        given = arguments("part", _options.COPY, {"threads": threads, "memory": memory})
        words = ["--with-parent", *given, "--part", str(numbers), self.path]
        run("nccopy", words, progress=progress, stdin="open", started=started)

    def missing(self) -> list[int]:
        """The numbers of the parts that are not done, in order."""
        from ._run import run

        done = run("nccopy", ["--status", self.path, "--missing"], ok=(0, 3))
        return _numbers(done.output.decode())

    def status(self) -> dict[str, Any]:
        """What is done, running and missing, as `nccopy --status --json` prints it."""
        import json

        from ._run import run

        done = run("nccopy", ["--status", self.path, "--json"], ok=(0, 3))
        return json.loads(done.output)

    def finish(self, *, verify: bool = False) -> None:
        """Makes the dataset appear. Finishing twice is harmless.

        Args:
            verify: compare the output with what was asked for before.

        Raises:
            PartsMissing: not all parts are done; the message names those that are missing. Nothing has changed.
        """
        self._run("--finish", self.path, *["--verify"] * verify)

    def abandon(self) -> None:
        """Removes what was begun. Parts that still run then fail."""
        self._run("--abandon", self.path)

    def _run(self, *words):
        from ._run import run

        run("nccopy", [*words])


def _numbers(ranges):
    """The numbers of a list such as "0-2,7"."""
    numbers = []
    for each in filter(None, ranges.strip().split(",")):
        first, _, last = each.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


# Without documentation in `python -OO`.
if Job.plan.__doc__:
    Job.plan.__func__.__doc__ = Job.plan.__doc__.rstrip() + "\n\n        Options:" + help_of(_options.COPY) + "\n        "
