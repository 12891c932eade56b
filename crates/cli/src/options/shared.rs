//! Rows that several programs have.

use ncutils_core::error::{Alternative, Request};

use super::kinds::FIXED_STRINGS;
use super::mode::Mode;
use super::opt::{Opt, Value};
use crate::values::kind;

/// Id of the option that prints completions.
pub(super) const COMPLETIONS: &str = "completions";

/// Most requests that can be asked for. Each has a connection, and processes have about a thousand open files.
const MOST_REQUESTS: u64 = 512;

/// What `-k` takes in nccopy and ncgen alike.
pub(super) fn kinds() -> String {
    format!(
        "{}.\narchive: a compressed netCDF-3 archive, of the least kind; nc3z, nc6z, nc5z: of this kind.",
        kind::names()
    )
}

/// `-3` to `-7`.
pub(super) fn digits(modes: &'static [Mode]) -> impl Iterator<Item = Opt> {
    kind::with_digits().into_iter().map(move |(digit, kind)| {
        Opt::short(digit, kind.name(), format!("Same as -k '{}'", kind.name()))
            .or_long(kind.can().short_name)
            .modes(modes)
    })
}

/// `--isel` and `--sel`.
pub(super) fn subset(modes: &'static [Mode]) -> [Opt; 2] {
    [
        Opt::long("isel", "Only these cells of a dimension, by indices; repeatable")
            .value(Value::Texts("DIM=INDICES"))
            .takes_hyphens()
            .more("DIM=START:STOP:STEP, counted from 0, without STOP, negative from the end. DIM=5 for one. Several are joined by commas.")
            .section("nccopy.md#subset")
            .common()
            .modes(modes)
            .told("--isel and --sel")
            .requests(&[Request::Indices]),
        Opt::long("sel", "Only these cells of a dimension, by values of its coordinate; repeatable")
            .value(Value::Texts("DIM=VALUES"))
            .takes_hyphens()
            .more("DIM=LOW..HIGH or DIM=LOW..HIGH/STEP, both ends included. DIM=VALUE for one, DIM~VALUE for the nearest. Dates such as time=2000-02 or time=1990..1999; numbers of time after @. Longitudes may cross the seam. Several are joined by commas.")
            .section("nccopy.md#subset")
            .common()
            .modes(modes)
            .told("--isel and --sel")
            .requests(&[Request::Values]),
    ]
}

/// `--strlen`.
pub(super) fn string_length(modes: &'static [Mode]) -> Opt {
    Opt::long("strlen", "give each string N bytes")
        .value(Value::Text("N[,cut]"))
        .more(
            "A longer string is an error; with ',cut' it is cut. Default: the longest string, at least 128.",
        )
        .section("nccopy.md#chunks")
        .kinds(FIXED_STRINGS)
        .modes(modes)
        .requests(&[Request::StringLength])
}

/// `--references`.
pub(super) fn references(modes: &'static [Mode]) -> Opt {
    Opt::long(
        "references",
        "Read references of HDF5 as strings: the paths of their objects",
    )
    .value(Value::OneOf("FORM", vec!["path"]))
    .more("A region is a path and slices: /a[0:3,2:5]. Without the option, references are left out.")
    .section("nccopy.md#hdf5-as-it-is")
    .modes(modes)
    .told("--references path")
}

/// `--data-dir`, `--allow` and `--require-sources`.
pub(super) fn other_files() -> [Opt; 3] {
    [
        Opt::long("data-dir", "Let other files of the dataset lie in DIR and below, too; repeatable")
            .value(Value::Paths("DIR"))
            .more("Other files hold external data, sources of virtual datasets and objects of external links. Without the option they lie in the input's folder and below.")
            .section("other-files.md"),
        Opt::long("allow", "Let references lead to URL and below, too; repeatable")
            .value(Value::Texts("URL"))
            .more("References are those of kerchunk and Icechunk. Without the option they lead to files as --data-dir has it; those of a remote input lead to its service.")
            .section("other-files.md#references"),
        Opt::long("require-sources", "Fail where a source of a virtual dataset is missing")
            .more("Without the option, its elements are fill values, with a warning.")
            .section("other-files.md"),
    ]
}

/// `--prefer-plugin`.
pub(super) fn prefer_plugin() -> Opt {
    Opt::long(
        "prefer-plugin",
        "Use the plugin for a filter that is built in and that a plugin has too",
    )
    .section("filters.md#plugins")
}

/// `--replace`.
pub(super) fn replace() -> Opt {
    Opt::long("replace", "Replace a Zarr dataset on a remote store when the new one is complete")
        .more("What a killed run left there is cleared. No other program may be writing the dataset. Files and local folders are replaced in any case.")
        .section("nccopy.md#how-an-output-appears")
        .common()
        .alternatives(&[(Alternative::Replacing, "; --replace replaces or clears it")])
}

/// `--threads`.
pub(super) fn threads() -> Opt {
    Opt::long("threads", "Threads to work with; default one for each core")
        .value(Value::Number("N", 1..=u64::MAX))
        .section("nccopy.md#memory-and-threads")
        .common()
}

/// `-m`, with what it refuses.
pub(super) fn memory(refused: &str) -> Opt {
    Opt::short(
        'm',
        "memory",
        "Memory for data; default a quarter of the machine's",
    )
    .or_long("memory")
    .value(Value::Text("BYTES"))
    .more(
        format!("With suffix K, M or G (decimal), or Ki, Mi or Gi (binary): 64M, 0.5G, 64MiB. {refused}")
            .trim_end()
            .to_owned(),
    )
    .common()
    .section("nccopy.md#memory-and-threads")
}

/// Longest time, in seconds, for which a silent server can be waited for: a day.
const LONGEST_WAIT: u64 = 86_400;

/// `--requests`, `--timeout` and `--verbose`.
pub(super) fn remote() -> [Opt; 3] {
    [
        Opt::long("requests", "Most requests to a remote store at once; default 64")
            .value(Value::Number("N", 1..=MOST_REQUESTS))
            .more("Remote stores are s3://, gs://, az:// and https://.")
            .section("remote.md#urls")
            .common(),
        Opt::long(
            "timeout",
            "Give up a server that is silent for N seconds; default 180",
        )
        .value(Value::Number("N", 1..=LONGEST_WAIT))
        .more("After 5 seconds without an answer a line says which host is waited for.")
        .section("remote.md#errors")
        .common(),
        Opt::long("verbose", "Tell how remote stores are reached")
            .more("Server, region, credentials, and where each is from.")
            .section("remote.md#credentials"),
    ]
}

/// What every program has: `--completions`, `--help` and `--version`.
pub(super) fn general() -> [Opt; 3] {
    [
        Opt::long(
            COMPLETIONS,
            "Print a script that completes command lines in a shell",
        )
        .value(Value::OneOf(
            "SHELL",
            vec!["bash", "elvish", "fish", "powershell", "zsh"],
        ))
        .alone(),
        Opt::long("help", "Print the common options, or all with --help=all")
            .value(Value::Help)
            .common(),
        Opt::long("version", "Print the version, and what was built in").value(Value::Version),
    ]
}

/// A dataset to read.
pub(super) fn input() -> Opt {
    Opt::operand("input", "INPUT", "The dataset to read, by its path or URL")
        .more("A file, or a folder, zip or remote tree of Zarr. URLs begin with file://, s3://, gs://, az:// or https://. - is standard input.")
}

/// A flag of netCDF-C's program that changes nothing here.
pub(super) fn accepted(letter: char, id: &'static str, word: &'static str) -> Opt {
    Opt::short(letter, id, "Accepted for compatibility, without effect")
        .or_long(word)
        .accepted()
}
