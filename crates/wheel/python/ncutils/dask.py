"""Copies on a cluster of Dask: the parts of a `Job` by its workers."""

from __future__ import annotations

import contextlib
import os
import threading

from distributed import CancelledError, KilledWorker, Reschedule, as_completed, get_worker

from ._arguments import path as text
from ._errors import Error, InputChanged
from .job import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from distributed import Client
    from typing_extensions import Unpack

    from ._options import CopyOptions, Path

# Parts for each worker: some take longer than others, and what a lost worker did runs again.
_PARTS_OF_WORKER = 4

# Part of a worker's memory that the program may fill with data. The rest is Python's and Dask's.
_SHARE_OF_MEMORY = 2

# Seconds that a part waits for another one of its worker, before it is placed anew.
_WAIT = 2

# Held while a part runs in this process.
_alone = threading.Lock()

# The programs that run in this process, by the token of their copy.
_running: dict[str, Any] = {}

# The tokens of copies that were stopped.
_stopped: set[str] = set()


def copy(
    client: Client,
    *paths: Path,
    output: Path | None = None,
    job: Path | None = None,
    parts: int | None = None,
    retries: int = 2,
    progress: bool | Callable[[int, int], object] | None = None,
    **options: Unpack[CopyOptions],
) -> None:
    """Copies datasets by the workers of a cluster. The output appears when it is complete.

    Each worker process does one part at a time, with as many threads as it has (`nthreads`) and half of its memory
    (`memory_limit`). Parts of lost workers run again on others. Inputs and output must have the same names on all machines;
    workers take credentials from their own environment.

    An exception here, such as KeyboardInterrupt, stops the programs on the workers.

    Args:
        client: the cluster's client.
        paths: the inputs and then the output, as for `ncutils.copy`.
        output: the output, if it is not the last of `paths`.
        job: the job file, where all workers see it. If the copy fails, the job stays, and `resume(client, ncutils.Job(job))` goes
            on with it. Without `job`, a copy that fails is abandoned.
        parts: number of parts; default 4 for each worker. Parts beyond the number of chunks or shards are empty.
        retries: how often a part that fails is tried again.
        progress: True for a bar, or a callable that gets the number of parts that are done, and of all.
        options: the options of `ncutils.copy`. `threads` and `memory` are those of each part, in place of the worker's figures.

    Raises:
        Error: a part failed; the message names it, the variable and the chunk. Nothing of the output is visible.
    """
    if output is not None:
        paths = (*paths, output)
    verify = options.pop("verify", None)
    keeps = job is not None
    with _job_file(job, text(paths[-1])) as path:
        planned = Job.plan(*paths, job=path, parts=parts or _parts(client), **options)
        try:
            resume(
                client, planned, retries=retries, progress=progress, verify=bool(verify),
                threads=options.get("threads"), memory=options.get("memory"),
            )
        except BaseException:
            if not keeps:
                # The first failure is what the caller must see.
                with contextlib.suppress(Error):
                    planned.abandon()
            raise


def resume(
    client: Client,
    job: Job,
    *,
    retries: int = 2,
    progress: bool | Callable[[int, int], object] | None = None,
    verify: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
) -> None:
    """Does the missing parts of a job by the workers of a cluster, and finishes it.

    Args and errors are those of `copy`.
    """
    if progress is True:
        from ._bar import bar_of

        bar = bar_of("parts")
        with contextlib.closing(bar):
            _parts_done(client, job, retries, bar, threads, memory)
    else:
        _parts_done(client, job, retries, progress or (lambda done, total: None), threads, memory)
    job.finish(verify=verify)


def _parts_done(client, job, retries, progress, threads, memory):
    missing = job.missing()
    progress(0, len(missing))
    token = os.urandom(8).hex()
    document = _document(job)
    futures = []
    try:
        futures = client.map(
            _part, missing, job=job, document=document, token=token, threads=threads, memory=memory,
            key=[f"ncutils-part-{token}-{part}" for part in missing], pure=False, retries=retries,
        )
        for done, future in enumerate(as_completed(futures), 1):
            # Raises what the part raised.
            error = future.result()
            if error is not None:
                raise error
            progress(done, len(missing))
    except BaseException as error:
        _stop(client, futures, token)
        if isinstance(error, CancelledError):
            raise Error(f"{job.path}: the cluster is gone, or has cancelled the parts") from error
        if isinstance(error, KilledWorker):
            raise Error(str(error)) from error
        raise


def _stop(client, futures, token):
    """Takes back the parts that wait, and ends the programs that run."""
    # A cluster that is gone has neither.
    with contextlib.suppress(Exception):
        client.cancel(futures, force=True)
        client.run(_end, token, wait=True, on_error="ignore")


def _end(token):
    """Ends the program of a copy in this process. Its part then fails, and nobody waits for it."""
    _stopped.add(token)
    process = _running.get(token)
    if process is not None:
        process.signal()


def _part(part, *, job, document, token, threads, memory):
    """Copies a part in a worker. Returns an error that no other attempt would mend."""
    if not _alone.acquire(timeout=_WAIT):
        # Another worker may be free.
        raise Reschedule
    try:
        if token in _stopped:
            return None
        worker = get_worker()
        limit = worker.memory_manager.memory_limit
        threads = threads or worker.state.nthreads
        memory = memory or (limit and limit // _SHARE_OF_MEMORY)
        with _seen(job, document) as seen:
            seen._part(part, threads, memory, None, lambda process: _running.update({token: process}))
    except InputChanged as error:
        return error
    except Error as error:
        raise Error(f"part {part}: {error}", error.status) from error
    finally:
        _running.pop(token, None)
        _alone.release()
    return None


@contextlib.contextmanager
def _job_file(job, output):
    """The path of the job file. One that nobody named is removed at the end."""
    if job is not None:
        yield job
        return
    import tempfile

    # Workers see what is beside the output. For an output on a store, the file is sent to them.
    folder = None if _is_remote(output) else os.path.dirname(os.path.abspath(output.rstrip("/"))) or "/"
    with tempfile.TemporaryDirectory(prefix=".ncutils-job-", dir=folder) as folder:
        yield os.path.join(folder, "job.json")


def _is_remote(name):
    return "://" in name


def _document(job):
    """The content of the job file, for workers that do not see it."""
    with open(job.path, "rb") as file:
        return file.read()


@contextlib.contextmanager
def _seen(job, document):
    """The job by a file that this process sees."""
    if os.path.exists(job.path):
        yield job
        return
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(document)
        file.flush()
        yield Job(file.name)


def _parts(client):
    """The number of parts for the workers that there are."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return _PARTS_OF_WORKER * max(len(workers), 1)
