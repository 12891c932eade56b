"""Runs a program: reads what it prints, tells its progress and its warnings, and raises its errors."""

import os
import select

from ._errors import Error, InputChanged, PartsMissing, Warning
from ._process import Process
from ._program import command

# Of a run that does not salvage.
_ERRORS = {3: PartsMissing, 4: InputChanged}


class Run:
    """A run of a program that has ended.

    Attributes:
        status: the exit status.
        output: what it printed, as bytes.
        lines: its messages, without its name.
    """

    def __init__(self, status, output, lines):
        self.status = status
        self.output = output
        self.lines = lines


def run(name, arguments, *, ok=(0,), progress=None, stdin="empty", started=None):
    """Runs `nccopy` or `ncdump`, and returns its run.

    Args:
        ok: the exit statuses that are no error.
        progress: True for a bar, or a callable that gets the bytes done and all bytes.
        stdin: "inherited", "empty", or "open" until this process ends.
        started: called with the process when it runs.

    Raises:
        Error: the program ended with another status.

    An exception here, such as KeyboardInterrupt, ends the program, which removes what it has written.
    """
    bar = None
    if progress is True:
        from ._bar import bar_of

        progress = bar = bar_of("B")
    try:
        words = [*command(name), *(["--progress=json"] if progress else []), *arguments]
        status, output, lines = _ended(words, f"{name}: ", progress, stdin, started)
    finally:
        if bar is not None:
            bar.close()
    is_error = status not in ok
    # Status 3 of a copy that salvages: messages say what is lost.
    _tell(lines, of_warnings=status == 3 and not is_error)
    if is_error:
        raise _error(name, status, lines)
    return Run(status, output, lines)


def _ended(words, prefix, progress, stdin, started):
    """Runs a program to its end. Returns its status, its output and its messages."""
    try:
        process = Process(words, stdin)
    except OSError as error:
        raise Error(f"{words[0]}: cannot run: {error.strerror}") from error
    try:
        if started is not None:
            started(process)
        output, lines = _read(process, prefix, progress)
        return process.wait(), output, lines
    except BaseException:
        process.end()
        raise
    finally:
        process.close()


def _read(process, prefix, progress):
    """Reads both streams to their ends. Returns the output and the messages."""
    printed, begun, lines = [], b"", []
    poll = select.poll()
    streams = {process.output, process.errors}
    for stream in streams:
        poll.register(stream, select.POLLIN)
    while streams:
        for stream, _ in poll.poll():
            data = os.read(stream, 1 << 16)
            if not data:
                poll.unregister(stream)
                streams.remove(stream)
            elif stream == process.output:
                printed.append(data)
            else:
                *whole, begun = (begun + data).split(b"\n")
                for line in whole:
                    _line(line, prefix, progress, lines)
    if begun:
        _line(begun, prefix, progress, lines)
    return b"".join(printed), lines


def _line(line, prefix, progress, lines):
    """Tells the progress that a line has, or keeps the message."""
    if progress and line.startswith(b"{"):
        import json

        told = json.loads(line)
        progress(told["done"], told["total"])
        return
    text = line.decode("utf-8", "replace")
    lines.append(text[len(prefix) :] if text.startswith(prefix) else text)


def _is_warning(line):
    return line.startswith("warning: ") or ": warning: " in line


def _tell(lines, of_warnings):
    """Tells warnings as Python's, and other messages to the log `ncutils`, unless all are warnings."""
    if not lines:
        return
    import logging
    import warnings

    for line in lines:
        if of_warnings or _is_warning(line):
            # The line of the caller of the module's function.
            warnings.warn(line, Warning, stacklevel=4)
        else:
            logging.getLogger("ncutils").info(line)


def _error(name, status, lines):
    messages = [line for line in lines if not _is_warning(line)]
    if status < 0:
        messages.append(f"{name} was ended by signal {-status}")
    message = "\n".join(messages) or f"{name} ended with status {status}"
    return _ERRORS.get(status, Error)(message, status)
