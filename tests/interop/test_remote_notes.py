"""What the user is told of a remote location: once for each, on every way to copy."""

import pytest
from remote_kinds import small  # noqa: F401, a fixture
from remote_run import run


def noted(store, tmp_path, program, *arguments):
    """How often each location is told of a line of settings that is not understood."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / ".ncrc").write_text("this is no setting\n")
    environment = {**store.environment(), "HOME": str(home), "NCUTILS_LOG": "error"}
    outcome = run(program, *arguments, environment=environment, secrets=store.secrets)
    assert outcome.code == 0, outcome.error
    lines = [line for line in outcome.error.splitlines() if "is not understood, and ignored" in line]
    return [line.split(": ")[1].rsplit("/", 1)[1] for line in lines]


@pytest.mark.parametrize("verify", [[], ["--verify"]], ids=["plain", "verified"])
def test_notes_are_told_once_for_each_location(store, small, tmp_path, verify):
    def copied(*arguments):
        return noted(store, tmp_path, "nccopy", *verify, *arguments)

    a, b = store.url("a"), store.url("b")
    assert copied(small.source, a) == ["a"]
    assert copied(a, b) == ["a", "b"]
    assert copied(a, tmp_path / "out.nc") == ["a"]
    assert copied("-k", "h5", a, b) == ["a", "b"]
    assert copied("-k", "zst", a, b) == ["a", "b"]
    assert copied(small.source, store.tree("tree", "zarr")) == ["tree"]
    assert copied("-k", "archive", small.of("classic"), store.url("z")) == ["z"]
    assert copied("--restore", store.url("z"), b) == ["z", "b"]
    if not verify:
        assert copied("--salvage", store.url("z"), b) == ["z", "b"]


def test_notes_of_texts_and_what_is_made_of_them(store, tmp_path):
    (tmp_path / "in.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }\n")
    assert noted(store, tmp_path, "ncgen", "-o", store.url("made"), tmp_path / "in.cdl") == ["made"]
    assert noted(store, tmp_path, "ncdump", store.url("made")) == ["made"]


def test_an_object_in_the_place_of_a_tree_is_told(store, small):
    store.put("a.nc", small.of("classic").read_bytes())
    environment = {**store.environment(), "NCUTILS_LOG": "error"}

    def refused(key, words):
        outcome = run("ncdump", "-h", store.tree(key, "zarr"), environment=environment, secrets=store.secrets)
        assert outcome.code == 1 and words in outcome.error, outcome.error

    refused("a.nc", "a.nc is one object; leave the fragment out")
    refused("b.nc", "nothing is there")
