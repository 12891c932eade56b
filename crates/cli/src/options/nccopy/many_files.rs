//! The options of nccopy for many inputs, each with an output of its own.

use crate::options::opt::{Opt, Value};

/// The options.
pub(super) fn many_files() -> Vec<Opt> {
    let section = "nccopy.md#many-files";
    vec![
        Opt::long(
            "recursive",
            "Copy all datasets of a folder and the folders below it",
        )
        .common()
        .more("Their folders are kept. Other files are left out, with a warning.")
        .section(section)
        .conflicts(&["files-from", "in-place"]),
        Opt::long(
            "files-from",
            "Read the names of inputs from LIST, one a line or ended by NUL",
        )
        .value(Value::Path("LIST"))
        .more("- is standard input. Names that are given beside it come first.")
        .section(section),
        Opt::long(
            "in-place",
            "Replace each input by its copy, and skip those that need no change",
        )
        .common()
        .more("Mode, owner and extended attributes are kept.")
        .section("nccopy.md#many-files")
        .conflicts(&["restore"]),
        Opt::long(
            "break-links",
            "With --in-place: replace a file that has several hard links",
        )
        .more("The other names keep the old file.")
        .section("nccopy.md#many-files")
        .requires("in-place"),
        Opt::long("preserve", "Give the output the times of the input").section(section),
        Opt::long(
            "update",
            "Skip an input whose output is newer, and stored as the options ask",
        )
        .common()
        .section("nccopy.md#many-files")
        .conflicts(&["in-place"]),
    ]
}
