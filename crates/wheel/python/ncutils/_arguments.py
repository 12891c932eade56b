"""Makes a program's arguments of keywords."""

import os


def arguments(function, table, options):
    """The arguments of keywords, by the table of a function's keywords.

    None and False leave an option out.
    """
    made = []
    for name, value in options.items():
        if name not in table:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        if value is None or value is False:
            continue
        flag, form, _help = table[name]
        if form in ("flag", "optional") and value is True:
            made.append(flag)
        elif form == "flag":
            raise TypeError(f"{name} must be True or False, not {value!r}")
        elif value is True:
            raise TypeError(f"{name} needs a value")
        else:
            made.extend(f"{flag}={text}" for text in _texts(name, form, value))
    return made


def path(value):
    """A path or URL as an argument."""
    return os.fsdecode(os.fspath(value))


def operands(paths):
    """The arguments of paths, which may begin with `-`."""
    return ["--", *map(path, paths)]


def help_of(table):
    """A line of documentation for each keyword."""
    return "".join(f"\n        {name}: {text}" for name, (_flag, _form, text) in table.items())


def _texts(name, form, value):
    if hasattr(value, "items"):
        if form not in _OF_MAPPINGS:
            raise TypeError(f"{name} cannot be a dictionary")
        return [_OF_MAPPINGS[form](key, each) for key, each in value.items()]
    if form in ("value", "optional") or isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__iter__"):
        return [_text(value)]
    return [_text(each) for each in value]


def _text(value):
    if isinstance(value, (bytes, os.PathLike)):
        return path(value)
    # Dates
    isoformat = getattr(value, "isoformat", None)
    return isoformat() if isoformat else str(value)


def _joined(values, separator):
    return values if isinstance(values, str) else separator.join(map(_text, values))


def _filters(variable, filters):
    return f"{variable},{'none' if filters is None else _joined(filters, '|')}"


def _quantize(variable, words):
    return f"{variable},{_joined(words, ',')}"


def _shape(name, lengths):
    # Of a dimension a length, of a variable a shape or a word.
    if lengths is None:
        return f"{name}/"
    if isinstance(lengths, str) or hasattr(lengths, "__iter__"):
        return f"{name}:{_joined(lengths, ',')}"
    return f"{name}/{lengths}"


def _size(variable, size):
    return f"{variable}:{size}"


def _end(value):
    return "" if value is None else _text(value)


def _cells(dimension, cells):
    if isinstance(cells, slice):
        step = "" if cells.step is None else f":{cells.step}"
        return f"{dimension}={_end(cells.start)}:{_end(cells.stop)}{step}"
    return f"{dimension}={_text(cells)}"


def _range(dimension, values):
    if isinstance(values, slice):
        step = "" if values.step is None else f"/{_text(values.step)}"
        return f"{dimension}={_end(values.start)}..{_end(values.stop)}{step}"
    return f"{dimension}={_text(values)}"


_OF_MAPPINGS = {
    "filters": _filters,
    "quantize": _quantize,
    "shapes": _shape,
    "sizes": _size,
    "cells": _cells,
    "ranges": _range,
}
