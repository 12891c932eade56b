"""Which tests run where not all can: of a test with many values, a sample in which each kind of value still comes.

    collected tests ─► by test function ─► in the order of their names' hashes ─► those that bring a value not seen yet

`cargo xtask interop` runs the sample, and `cargo xtask long` all. A test that is named on the command line runs whole.

A test that loops over many values takes the fixture `some`, and one that needs long for a single value has the mark `long`.
"""

import collections
import hashlib

import pytest

# So many values of a parameter are in the sample, if there are more. A test of several parameters runs once for each value at
# least, and not for each combination.
MOST_VALUES = 3

# A loop runs over one of so many values, but over as many as a parameter has.
ONE_OF = 8

# Of so many outputs of tests, the readers of `strict.py` read one.
ONE_OF_OUTPUTS = 4


def add_option(parser):
    """Adds `--sample`."""
    parser.addoption("--sample", action="store_true", help="of tests with many values, run a sample")


@pytest.fixture(scope="session")
def some(request):
    """A function that gives the sample of a sequence, or all of it."""
    if not request.config.getoption("--sample"):
        return lambda values: values

    def sample_of(values):
        chosen = sorted(range(len(values)), key=lambda n: digest(str(n)))[: max(MOST_VALUES, len(values) // ONE_OF)]
        return [values[n] for n in sorted(chosen)]

    return sample_of


def one_of_outputs(request):
    """A function that says whether the n-th output of a test is in the sample."""
    if not request.config.getoption("--sample"):
        return lambda n: True
    return lambda n: digest(f"{request.node.nodeid} {n}")[0] % ONE_OF_OUTPUTS == 0


def select(config, items):
    """Leaves the sample in `items`, if it is asked for."""
    if not config.getoption("--sample"):
        return
    functions = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("long") is None:
            functions[item.nodeid.partition("[")[0]].append(item)
    chosen = {id(item) for tests in functions.values() for item in sample(tests)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = [item for item in items if id(item) in chosen]


def sample(tests):
    """The sample of the tests of one function: those that bring a value of a parameter of which few were seen."""
    if not hasattr(tests[0], "callspec"):
        return tests
    seen = collections.defaultdict(set)
    taken = []
    # The same tests in each process and each run, and nearly the same ones when some come or go.
    for test in sorted(tests, key=lambda test: digest(test.nodeid)):
        new = [
            (name, index)
            for name, index in test.callspec.indices.items()
            if index not in seen[name] and len(seen[name]) < MOST_VALUES
        ]
        for name, index in new:
            seen[name].add(index)
        if new:
            taken.append(test)
    return taken


def digest(text):
    """A number that says nothing of the text, and is the same each time."""
    return hashlib.sha256(text.encode()).digest()
