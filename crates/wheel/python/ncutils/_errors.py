"""The errors and warnings of the module."""


class Error(Exception):
    """What a program of ncutils refuses, or failed at.

    Attributes:
        message: the program's message, without its name.
        status: the program's exit status; the negative number of a signal that ended it.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message, status)
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return self.message


class PartsMissing(Error):
    """A job cannot be finished before all its parts are done. Its status is 3."""


class InputChanged(Error):
    """An input of a job is no longer the one that was planned. Its status is 4."""


class Warning(UserWarning):
    """A warning of a program of ncutils, such as what a copy left out."""
