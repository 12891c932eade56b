"""Takes parts out of the text of ncdump, so that the rest can be compared.

    text ─► parts ─► without those that are `gone`, then without what only they needed ─► text

A part is a type, a dimension, a variable with its attributes, one attribute, or the data of one variable.
"""

import re
from dataclasses import dataclass

SECTIONS = (b"types:", b"dimensions:", b"variables:", b"data:", b"// global attributes:", b"// group attributes:")
NAME = rb"((?:\\.|[^\s\\(:])+)"
TYPE = rb"((?:\\.|[^\s\\])+)"
DECLARED = re.compile(rb"\t" + TYPE + b" " + NAME + rb"(?:\((.*)\))? ;$")
ATTRIBUTE = re.compile(rb"\t\t(?:" + TYPE + b" )?" + NAME + rb"? ?:" + rb"((?:\\.|[^\s\\])+) = ")
DATA = re.compile(rb" " + NAME + rb" =")
DIMENSION = re.compile(rb"\t" + NAME + rb" = ")
PHONY = re.compile(rb"\bphony_dim_\d+\b")
# With -f, stands at the end of each variable's data, and what follows stands behind it.
ENDED = b"    "


@dataclass
class Part:
    """A piece of the text, and what it is about."""

    kind: str
    """`type`, `dimension`, `variable`, `attribute`, `data`, `section`, or `frame` for what holds the rest together."""
    path: str
    """The group and the name, without escapes; `/g/v:a` for an attribute, `/:a` for one of a group."""
    text: bytes = b""
    type: bytes = b""
    """Of a variable or an attribute: the type's name, empty where the text does not say."""
    dimensions: bytes = b""


def plain(name):
    return re.sub(rb"\\(.)", rb"\1", name or b"").decode(errors="backslashreplace")


def begins(line, section, group, blank):
    """The part that a line, taken out of its group's indentation, begins; None where it belongs to the last one."""
    if section == b"types:":
        if line.startswith(b"  ") and not line.startswith(b"    ") and not line.startswith(b"  }"):
            return Part("type", group)
    elif section == b"dimensions:" and (found := DIMENSION.match(line)):
        return Part("dimension", plain(found[1]))
    elif section == b"data:":
        if (found := DATA.match(line)) and blank:
            return Part("data", group + plain(found[1]))
    elif found := ATTRIBUTE.match(line):
        return Part("attribute", f"{group}{plain(found[2])}:{plain(found[3])}", b"", found[1] or b"")
    elif section == b"variables:" and (found := DECLARED.match(line)):
        return Part("variable", group + plain(found[2]), b"", found[1], found[3] or b"")
    return None


def parts(text):
    """The parts of a text in their order; together they are the text."""
    groups, section, blank, found = [], None, b"", [Part("frame", "")]
    for line in re.findall(rb"[^\n]*\n|[^\n]+", text):
        indent = b"  " * len(groups)
        if found[-1].kind == "data" and line.startswith((ENDED + b"\n", indent + ENDED + b"}")):
            found[-1].text += ENDED
            line = line.removeprefix(ENDED)
        if line == b"\n":
            # An empty line is of what it stands before.
            blank += line
            continue
        group = "/" + "".join(f"{name}/" for name in groups)
        inner = line.removeprefix(indent).removesuffix(b"\n")
        bare = inner.strip()
        if not inner.startswith(b"\t") and (opens := re.match(rb"group: (.*) \{$", bare)):
            groups.append(plain(opens[1]))
            section, part = None, Part("frame", "")
        elif inner == b"}" or inner.startswith(b"} // group "):
            groups, section, part = groups[:-1], None, Part("frame", "")
        elif bare in SECTIONS and not inner.startswith(b"\t"):
            section, part = bare, Part("section", bare.decode())
        else:
            part = begins(inner, section, group, blank)
        if part:
            found.append(part)
        found[-1].text += blank + line
        blank = b""
    return found


def without(text, gone):
    """The text without the parts of which `gone(part)` is true; with a variable go its attributes and its data.

    Sections that have nothing left go too, and phony dimensions that no variable is of any more.
    """
    found = parts(text)
    out = {p.path for p in found if p.kind == "variable" and gone(p)}
    kept = [p for p in found if not gone(p) and not {p.path, p.path.rpartition(":")[0]} & out]
    phony = set(PHONY.findall(b" ".join(p.dimensions for p in found if p.path in out)))
    phony -= set(PHONY.findall(b" ".join(p.dimensions for p in kept)))
    kept = [p for p in kept if p.kind != "dimension" or not phony & {p.path.encode()}]
    headed, still = entries(found), entries(kept)
    # With -s, a heading stands over no attributes too.
    stay = ("// group attributes:",) if b"\t\t:_Format = " in text else ()
    kept = [p for p in kept if p.kind != "section" or still[id(p)] or not headed[id(p)] or p.path in stay]
    return b"".join(p.text for p in kept)


def entries(found):
    """How many parts each section has; `data:` has those of the variables before it, which need not have values."""
    counts, section, variables = {}, None, None
    for part in found:
        if part.kind == "frame":
            section = variables = None
        elif part.kind == "section":
            section, bare = part, part.path
            counts[id(part)] = counts[id(variables)] if bare == "data:" and variables else 0
            variables = part if bare == "variables:" else variables
        elif section and part.kind != "data":
            counts[id(section)] += 1
    return counts


def renumbered(text):
    """The phony dimensions numbered in the order in which the text first speaks of them."""
    numbers = {}
    return PHONY.sub(lambda found: b"phony_dim_%d" % numbers.setdefault(found[0], len(numbers)), text)
