"""The rules of NcML 2.2's XML schema (ncml-2.2.xsd of netCDF-Java), and what its documentation adds, for documents that describe a file:
which elements stand in which, in which order, with which attributes of which types; and that names of dimensions and enums that
an element speaks of are defined in its group or in one around it."""

import re

NAMESPACE = "{https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2}"

DATA_TYPES = {"byte", "char", "short", "int", "long", "float", "double", "String", "string", "Structure", "Sequence", "opaque", "enum1",
              "enum2", "enum4", "ubyte", "ushort", "uint", "ulong"}
ENUMS = {"enum1": 1, "enum2": 2, "enum4": 4}
INTEGERS = {"byte": (-2**7, 2**7), "short": (-2**15, 2**15), "int": (-2**31, 2**31), "long": (-2**63, 2**63),
            "ubyte": (0, 2**8), "ushort": (0, 2**16), "uint": (0, 2**32), "ulong": (0, 2**64)}


def is_int(text):
    """xsd:int: 32 bits."""
    return re.fullmatch(r"[+-]?\d+", text) is not None and -2**31 <= int(text) < 2**31


def anything(text):
    return True


def is_type(text):
    return text in DATA_TYPES


def is_boolean(text):
    return text in ("true", "false", "1", "0")


# For each element: its attributes, those that it must have, and the elements in it in their order.
GROUP_CONTENT = "((enumTypedef|group|dimension|variable|attribute|remove) )*"
ELEMENTS = {
    "netcdf": (
        {"location": anything, "id": anything, "title": anything, "enhance": anything, "addRecords": is_boolean},
        set(),
        f"((readMetadata|explicit) )?(iospParam )?{GROUP_CONTENT}(aggregation )?",
    ),
    "group": ({"name": anything, "orgName": anything}, {"name"}, GROUP_CONTENT),
    "dimension": (
        {"name": anything, "length": anything, "isUnlimited": is_boolean, "isVariableLength": is_boolean, "isShared": is_boolean,
         "orgName": anything},
        {"name"},
        "",
    ),
    "variable": (
        {"name": anything, "type": is_type, "typedef": anything, "shape": anything, "orgName": anything},
        {"name"},
        "(attribute )*(values )?(variable )*(logicalSection )?(logicalSlice )?(logicalReduce )?(remove )*",
    ),
    "attribute": (
        {"name": anything, "type": is_type, "value": anything, "separator": anything, "orgName": anything, "isUnsigned": is_boolean},
        {"name"},
        "",
    ),
    "enumTypedef": ({"name": anything, "type": is_type}, {"name"}, "(enum )+"),
    "enum": ({"key": is_int}, {"key"}, ""),
}
# Only these have text.
MIXED = {"enum", "enumTypedef", "attribute", "values"}


def check(root):
    """Fails where a document breaks a rule."""
    assert root.tag == NAMESPACE + "netcdf"
    element(root)
    group(root, {}, {})


def element(node):
    assert node.tag.startswith(NAMESPACE), node.tag
    tag = node.tag.removeprefix(NAMESPACE)
    allowed, required, content = ELEMENTS[tag]
    where = (tag, dict(node.attrib))
    assert set(node.attrib) <= set(allowed), where
    assert required <= set(node.attrib), where
    for name, text in node.attrib.items():
        assert allowed[name](text), where
    children = "".join(child.tag.removeprefix(NAMESPACE) + " " for child in node)
    assert re.fullmatch(content, children), (where, children)
    if tag not in MIXED:
        for text in (node.text, *(child.tail for child in node)):
            assert not (text or "").strip(), (where, text)
    for child in node:
        element(child)


def named(node, tag):
    """The elements in another, by their names, which are unique."""
    found = [child for child in node if child.tag == NAMESPACE + tag]
    names = [child.get("name") for child in found]
    assert len(names) == len(set(names)), (tag, names)
    return dict(zip(names, found))


def group(node, dimensions, enums):
    """`dimensions` and `enums` are those of the groups around."""
    own = named(node, "dimension")
    for dimension in own.values():
        assert re.fullmatch(r"\d+", dimension.get("length")), dimension.attrib
    dimensions = {**dimensions, **own}
    enums = {**enums, **named(node, "enumTypedef")}
    for typedef in named(node, "enumTypedef").values():
        assert typedef.get("type") in ENUMS
        keys = [e.get("key") for e in typedef]
        assert all(e.text for e in typedef) and keys, typedef.attrib
    for attribute in named(node, "attribute").values():
        values(attribute)
    for variable in named(node, "variable").values():
        member(variable, dimensions, enums)
    for child in named(node, "group").values():
        group(child, dimensions, enums)


def member(node, dimensions, enums):
    """A variable, or a field of a structure."""
    where = dict(node.attrib)
    kind = node.get("type")
    shape = (node.get("shape") or "").split()
    for name in shape:
        assert name == "*" or name.isdigit() or name in dimensions, where
    assert "*" not in shape[:-1] or set(shape[shape.index("*"):]) == {"*"}, where
    fields = named(node, "variable")
    assert (kind in ("Structure", "Sequence")) == bool(fields), where
    assert (kind == "Sequence") <= ("*" in shape), where
    assert (kind in ENUMS) == ("typedef" in node.attrib), where
    if kind in ENUMS:
        assert enums[node.get("typedef")].get("type") == kind, where
    for attribute in named(node, "attribute").values():
        values(attribute)
    for field in fields.values():
        # A field has no shared dimensions.
        member(field, {}, enums)


def values(node):
    """An attribute's value is of its type."""
    where = dict(node.attrib)
    kind, value = node.get("type", "String"), node.get("value")
    assert value is not None, where
    if kind in INTEGERS:
        least, end = INTEGERS[kind]
        assert all(least <= int(number) < end for number in value.split(" ") if number), where
    elif kind in ("float", "double"):
        for number in filter(None, value.split(" ")):
            # As Java reads it.
            assert re.fullmatch(r"NaN|-?Infinity|[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", number), where
    else:
        assert kind in ("String", "string", "char"), where
    assert "separator" not in node.attrib or len(node.get("separator")) == 1, where
