"""A running program, and its pipes.

The module `subprocess` does more, and takes longer to load than a small copy takes.
"""

import os
import time

# Seconds that a program has to remove what it has written.
_PATIENCE = 30

_SIGTERM, _SIGKILL = 15, 9


class Process:
    """A program that runs beside this process. Its output and its messages are read at `output` and `errors`.

    Attributes:
        output: descriptor of its standard output.
        errors: descriptor of its standard error.
        status: the exit status, or the negative number of the signal that ended it; None while it runs.
    """

    def __init__(self, words, stdin):
        """Starts a program.

        Args:
            words: its path and its arguments.
            stdin: "inherited", "empty", or "open": it ends when this process ends.
        """
        self.status = None
        self._pipes = []
        self.output, output = self._pipe()
        self.errors, errors = self._pipe()
        actions = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, errors, 2)]
        of_child = [output, errors]
        if stdin == "empty":
            actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
        elif stdin == "open":
            end, _held = self._pipe()
            actions.append((os.POSIX_SPAWN_DUP2, end, 0))
            of_child.append(end)
        try:
            # No descriptor of Python's is inherited, unless it was made so.
            self._pid = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
        except BaseException:
            self.close()
            raise
        for descriptor in of_child:
            self._close(descriptor)

    def _pipe(self):
        ends = os.pipe()
        self._pipes.extend(ends)
        return ends

    def _close(self, descriptor):
        self._pipes.remove(descriptor)
        os.close(descriptor)

    def close(self):
        """Closes the pipes."""
        for descriptor in list(self._pipes):
            self._close(descriptor)

    def wait(self):
        """Waits for the end. Returns the exit status."""
        self._reap(0)
        return self.status

    def end(self):
        """Ends the program, and waits until it has removed what it has written."""
        self.close()
        try:
            self.signal(_SIGTERM)
            deadline = time.monotonic() + _PATIENCE
            while not self._reap(os.WNOHANG) and time.monotonic() < deadline:
                time.sleep(0.01)
        finally:
            if self.status is None:
                self.signal(_SIGKILL)
                self.wait()

    def signal(self, number=_SIGTERM):
        """Sends a signal, if the program still runs."""
        if self.status is None:
            try:
                os.kill(self._pid, number)
            except ProcessLookupError:
                # Another thread has just waited for its end.
                pass

    def _reap(self, flags):
        if self.status is None:
            pid, status = os.waitpid(self._pid, flags)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None
