//! The options of nccopy for one dataset that many processes write.

use ncutils_core::distributed::MOST_PARTS;

use crate::options::opt::{Opt, Value};

/// Jobs of many processes, and a copy that goes on where it stopped.
pub(super) fn many_processes() -> Vec<Opt> {
    let section = "nccopy.md#many-processes";
    vec![
        Opt::long(
            "plan",
            "Plan a copy that many processes make, and write the file of the job",
        )
        .value(Value::Path("JOB"))
        .section(section)
        .requires("parts")
        .conflicts(&["part", "dry-run", "in-place", "append", "salvage"]),
        Opt::long("parts", "With --plan: the number of parts")
            .value(Value::Number("N", 1..=MOST_PARTS))
            .section(section)
            .requires("plan"),
        Opt::long(
            "part",
            "Make parts of the job whose file is named, such as 7, 0-9 or 3,7,12-15",
        )
        .value(Value::Text("LIST"))
        .more("A part that is done already is left. A part that was killed is made again.")
        .section(section),
        Opt::long(
            "again",
            "With --part: make the parts again, also if they are done",
        )
        .section(section)
        .requires("part"),
        Opt::long("status", "Tell which parts of the job are done")
            .section(section)
            .conflicts(&["part", "plan"]),
        Opt::long(
            "missing",
            "With --status: print the parts that are not done, as an array of Slurm takes them",
        )
        .section(section)
        .requires("status"),
        Opt::long(
            "finish",
            "Let the output of the job appear, when all parts are done",
        )
        .more("The exit status is 3 if parts are missing.")
        .section(section)
        .conflicts(&["part", "plan", "status"]),
        Opt::long("abandon", "Remove everything that the job has written")
            .section(section)
            .conflicts(&["part", "plan", "status", "finish"]),
        Opt::long("resume", "Go on where the same copy was stopped before")
            .section(section)
            .conflicts(&[
                "plan", "part", "status", "finish", "abandon", "dry-run", "in-place", "append", "salvage",
            ]),
        Opt::long(
            "with-parent",
            "End when standard input ends, as it does when the program that began this one ends",
        )
        .conflicts(&["files-from"])
        .section(section),
    ]
}
