"""The options that each function takes as keywords.

NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all python writes this file.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Path = str | bytes | os.PathLike[str]

COPY: dict[str, tuple[str, str, str]]

class CopyOptions(TypedDict, total=False):
    variables: str | Sequence[str] | None
    only_variables: str | Sequence[str] | None
    groups: str | Sequence[str] | None
    only_groups: str | Sequence[str] | None
    exclude: str | Sequence[str] | None
    with_coordinates: bool | None
    isel: str | Sequence[str] | Mapping[str, int | str | slice] | None
    sel: str | Sequence[str] | Mapping[str, object] | None
    chunk: str | Sequence[str] | Mapping[str, int | Sequence[int] | str | None] | None
    min_chunk: int | str | None
    shard: str | Sequence[str] | Mapping[str, int | Sequence[int] | str | None] | None
    shard_index: Literal["start", "end"] | None
    as_shards: bool | None
    fix_unlimited: bool | None
    fixed: str | Sequence[str] | None
    unlimited: str | Sequence[str] | None
    skip_fill: bool | None
    page: int | str | None
    deflate: int | None
    shuffle: bool | None
    filter: str | Sequence[str] | Mapping[str, str | Sequence[str] | None] | None
    quantize: str | Sequence[str] | Mapping[str, str | Sequence[object]] | None
    prefer_plugin: bool | None
    kind: str | None
    for_: str | Sequence[str] | None
    restore: bool | None
    block: str | Sequence[str] | Mapping[str, int | str] | None
    strlen: float | str | None
    drop_unsupported: bool | None
    strings: Literal["char"] | None
    references: Literal["path"] | None
    flatten: bool | str | None
    inline: int | str | None
    copy_ragged: bool | None
    base: float | str | None
    relative: bool | None
    recursive: bool | None
    files_from: Path | None
    in_place: bool | None
    break_links: bool | None
    preserve: bool | None
    update: bool | None
    join: str | None
    append: bool | None
    merge: bool | None
    sort: bool | None
    label: str | Sequence[str] | None
    overlap: Literal["first", "last"] | None
    inexact: bool | None
    unpack: str | Sequence[str] | None
    first: bool | None
    fill_missing: bool | None
    resume: bool | None
    verify: bool | None
    no_check: bool | None
    unfinished: bool | None
    salvage: bool | None
    keep_suspect: bool | None
    replace: bool | None
    data_dir: Path | Sequence[Path] | None
    allow: str | Sequence[str] | None
    require_sources: bool | None
    requests: int | None
    timeout: int | None
    verbose: bool | None
    dry_run: bool | None
    summary: bool | None
    json: bool | None
    quiet: bool | None
    memory: int | str | None
    threads: int | None

HEADER: dict[str, tuple[str, str, str]]

class HeaderOptions(TypedDict, total=False):
    isel: str | Sequence[str] | Mapping[str, int | str | slice] | None
    sel: str | Sequence[str] | Mapping[str, object] | None
    references: Literal["path"] | None
    special: bool | None
    filter_attributes: bool | None
    requests: int | None
    timeout: int | None
    verbose: bool | None
    data_dir: Path | Sequence[Path] | None
    allow: str | Sequence[str] | None
    require_sources: bool | None
    prefer_plugin: bool | None
    memory: int | str | None

CHECK: dict[str, tuple[str, str, str]]

class CheckOptions(TypedDict, total=False):
    variables: str | Sequence[str] | None
    requests: int | None
    timeout: int | None
    verbose: bool | None
    data_dir: Path | Sequence[Path] | None
    allow: str | Sequence[str] | None
    require_sources: bool | None
    prefer_plugin: bool | None
    memory: int | str | None

DIGEST: dict[str, tuple[str, str, str]]

class DigestOptions(TypedDict, total=False):
    variables: str | Sequence[str] | None
    isel: str | Sequence[str] | Mapping[str, int | str | slice] | None
    sel: str | Sequence[str] | Mapping[str, object] | None
    references: Literal["path"] | None
    requests: int | None
    timeout: int | None
    verbose: bool | None
    data_dir: Path | Sequence[Path] | None
    allow: str | Sequence[str] | None
    require_sources: bool | None
    prefer_plugin: bool | None
    memory: int | str | None

DIFF: dict[str, tuple[str, str, str]]

class DiffOptions(TypedDict, total=False):
    variables: str | Sequence[str] | None
    isel: str | Sequence[str] | Mapping[str, int | str | slice] | None
    sel: str | Sequence[str] | Mapping[str, object] | None
    exact: bool | None
    references: Literal["path"] | None
    tolerance: float | str | None
    requests: int | None
    timeout: int | None
    verbose: bool | None
    data_dir: Path | Sequence[Path] | None
    allow: str | Sequence[str] | None
    require_sources: bool | None
    prefer_plugin: bool | None
    memory: int | str | None
