"""The functions of the module, each a run of a program."""

from __future__ import annotations

from . import _options
from ._arguments import arguments, help_of, operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import Unpack

    from ._options import CheckOptions, CopyOptions, DiffOptions, DigestOptions, HeaderOptions, Path


def copy(
    *paths: Path,
    output: Path | None = None,
    progress: bool | Callable[[int, int], object] | None = None,
    **options: Unpack[CopyOptions],
) -> list[dict[str, Any]]:
    """Copies datasets as `nccopy` does. The output appears when it is complete, or not at all.

    Args:
        paths: the inputs and then the output, paths or URLs, as for nccopy. Several inputs go into a folder, `"folder/"`.
        output: the output, if it is not the last of `paths`.
        progress: True for a bar, or a callable that gets the bytes done and all bytes, decoded. Of several files they are bytes
            of the inputs.
        options: the options of nccopy under their long names, with `_` for `-`, and `for_` for `--for`. A flag is True. What
            may be repeated is a value or a list. Some take a dictionary:

            filter={"*": "zstd,3"}, filter={"t": ["shuffle", "deflate,5"], "u": None} (no filters)
            quantize={"t": "bitround,9"}
            chunk={"time": 100, "lat": None}: lengths in elements, None for the whole dimension
            chunk={"t": (1, 90, 180)}: the shape of one variable, in its dimensions' order; shard likewise
            isel={"time": slice(0, 12)}: indices from 0, the stop not included
            sel={"lat": slice(-10, 10), "time": "2000-02"}: values of coordinates, both ends included

    Returns:
        With `dry_run`, `summary` or `json`: what is in nccopy's lines of JSON, a dictionary for each. Else an empty list.

    Raises:
        Error: nccopy failed. Nothing is left of the output.

    Options:
    """
    from ._run import run

    if output is not None:
        paths = (*paths, output)
    if options.get("dry_run") or options.get("summary"):
        options["json"] = True
    given = arguments("copy", _options.COPY, options)
    # With status 3, something of a damaged input is lost; warnings say what.
    ok = (0, 3) if options.get("salvage") else (0,)
    words = [*given, *operands(paths)]
    stdin = "inherited" if "-" in words else "empty"
    done = run("nccopy", words, ok=ok, progress=progress, stdin=stdin)
    return _objects(done.output)


def header(path: Path, **options: Unpack[HeaderOptions]) -> dict[str, Any]:
    """The header of a dataset, as `ncdump -h --json` prints it.

    Args:
        path: a dataset of any format, by its path or URL.

    Returns:
        `dimensions` (name to length), `variables` (name to `shape`, a list of names of dimensions, `type` and `attributes`),
        `attributes`, `types` and `groups`, which are such dictionaries themselves. Empty parts have no key.

    Raises:
        Error: the dataset cannot be read.

    Options:
    """
    import json

    from ._run import run

    done = run("ncdump", ["--json", "--header", *arguments("header", _options.HEADER, options), *operands([path])])
    return json.loads(done.output)


def check(path: Path, **options: Unpack[CheckOptions]) -> dict[str, Any]:
    """Reads all of a dataset and tells what is wrong, as `ncdump --check --json` does.

    Returns:
        `faults`, an empty list if the dataset is sound; each has `variable`, `chunk` (its index along each dimension), `byte` (where
        it lies) and `cause`. And what was read: `variables`, `chunks`, `bytes`.

    Raises:
        Error: the dataset cannot be opened.

    Options:
    """
    from ._run import run

    given = ["--check", "--json", *arguments("check", _options.CHECK, options), *operands([path])]
    done = run("ncdump", given, ok=(0, 1))
    reports = _objects(done.output)
    if not reports:
        raise _failed(done)
    return reports[0]


def digest(path: Path, **options: Unpack[DigestOptions]) -> dict[str, str]:
    """SHA-256 digests of a dataset's values and attributes, the same in every format, as `ncdump --digest` prints them.

    Returns:
        What was digested to its digest: `"/t float time=4 lat=37"` for the values of a variable, `"/t attributes=3"` for its
        attributes, `"/ attributes=2"` for those of a group.

    Raises:
        Error: the dataset cannot be read.

    Options:
    """
    from ._run import run

    done = run("ncdump", ["--digest", *arguments("digest", _options.DIGEST, options), *operands([path])])
    lines = done.output.decode("utf-8", "surrogateescape").splitlines()
    return {what: sha256 for sha256, what in (line.split(" ", 1) for line in lines)}


def diff(path: Path, other: Path, **options: Unpack[DiffOptions]) -> list[str]:
    """What differs between two datasets of any format, as `ncdump --diff` prints it.

    Args:
        tolerance: the difference that two numbers may have, in their own unit; `"ABS,REL"` adds one relative to the larger.

    Returns:
        A line for each difference, `other`'s value first; an empty list if there is none.

    Raises:
        Error: one of them cannot be read. Its status is 2.

    Options:
    """
    from ._arguments import path as text
    from ._run import run

    given = [f"--diff={text(other)}", *arguments("diff", _options.DIFF, options), *operands([path])]
    done = run("ncdump", given, ok=(0, 1))
    return done.output.decode("utf-8", "surrogateescape").splitlines()


def _objects(output):
    """What lines of JSON say."""
    if not output:
        return []
    import json

    return [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]


def _failed(done):
    from ._errors import Error

    return Error("\n".join(done.lines), done.status)


for _function, _table in (
    (copy, _options.COPY),
    (header, _options.HEADER),
    (check, _options.CHECK),
    (digest, _options.DIGEST),
    (diff, _options.DIFF),
):
    # Without documentation in `python -OO`.
    if _function.__doc__:
        _function.__doc__ = _function.__doc__.rstrip() + help_of(_table) + "\n    "
