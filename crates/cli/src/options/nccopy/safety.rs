//! The options of nccopy for what could go wrong, and for what it tells.

use ncutils_core::error::Alternative;

use crate::options::mode::Mode::{self, Bytes, Hdf5, SalvageArchive, Values, Zst};
use crate::options::opt::{Opt, Value};

/// What is checked, and what is done with damaged inputs.
pub(super) fn integrity() -> Vec<Opt> {
    vec![
        Opt::long(
            "verify",
            "Compare the output with what was asked for before it takes its name",
        )
        .section("nccopy.md#chunks-that-are-copied-as-they-are")
        .modes(&[Values, Bytes, Hdf5, Zst])
        .conflicts(&["dry-run"]),
        Opt::long(
            "no-check",
            "Copy encoded chunks as they are, without a test for damage",
        )
        .common()
        .section("nccopy.md#chunks-that-are-copied-as-they-are")
        .modes(&[Values, Hdf5, Mode::Append])
        .alternatives(&[(
            Alternative::SoundChunks,
            "; --salvage copies the other chunks, --no-check all as they are",
        )]),
        Opt::long("unfinished", "Copy an HDF5 file that its writer has not closed")
            .more("What the writer has not written to the file yet is missing in the copy.")
            .section("nccopy.md#unfinished-files")
            .modes(&[Values, Bytes, Hdf5, Zst]),
        Opt::long(
            "salvage",
            "Copy all that can be read of a damaged or truncated input",
        )
        .common()
        .more("What is lost is listed. The exit status is 3 if anything is.")
        .section("nccopy.md#salvage")
        .modes(&[Values, Hdf5, SalvageArchive])
        .conflicts(&["restore", "dry-run"]),
        Opt::long(
            "keep-suspect",
            "With --salvage: keep chunks whose only fault is a checksum",
        )
        .section("nccopy.md#salvage")
        .requires("salvage"),
    ]
}

/// What is printed about a copy.
pub(super) fn reports() -> Vec<Opt> {
    let section = "nccopy.md#plan-and-summary";
    vec![
        Opt::long(
            "dry-run",
            "Print what would be done, for each variable, and write nothing",
        )
        .common()
        .section(section),
        Opt::long(
            "summary",
            "Print what was done: for each variable its route, bytes, ratio and time",
        )
        .common()
        .section(section)
        .modes(&[Values, Hdf5, Bytes, Mode::Append]),
        Opt::long(
            "json",
            "Print the plan, the summary or what became of several inputs as JSON",
        )
        .common()
        .section(section),
        Opt::long(
            "quiet",
            "Print errors alone: no warnings, no choices, no progress bar",
        )
        .common()
        .conflicts(&["verbose"]),
        Opt::long(
            "progress",
            "Tell the progress as lines of JSON on standard error, also with --quiet",
        )
        .value(Value::OneOf("FORM", vec!["json"]))
        .more("At most ten lines a second.")
        .section("json.md#nccopy")
        .told("--progress json"),
    ]
}
