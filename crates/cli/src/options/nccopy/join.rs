//! The options of nccopy that join datasets along a dimension.

use ncutils_core::error::{Alternative, Request};

use crate::options::mode::Mode;
use crate::options::opt::{Opt, Value};

const SECTION: &str = "nccopy.md#join";

/// Options that go with no output of several inputs.
const CONFLICTS: &[&str] = &[
    "in-place", "update", "preserve", "restore", "salvage", "flatten", "strings",
];

/// The options, of which most need the first.
pub fn join() -> Vec<Opt> {
    let further = |id, help: &'static str| {
        Opt::long(id, help)
            .section(SECTION)
            .modes(&[Mode::Values, Mode::Append])
    };
    vec![
        Opt::long(
            "join",
            "Join the inputs along DIM, in their order, into one output",
        )
.common()
        .value(Value::Text("DIM"))
        .more("If the inputs do not have DIM, it is a new outermost dimension.")
        .section(SECTION)
        .modes(&[Mode::Values, Mode::Append])
        .conflicts(CONFLICTS)
        .requests(&[Request::Join])
        .alternatives(&[
            (Alternative::OtherVariables, "; --exclude leaves the variable out"),
            (
                Alternative::Unpacked,
                "; --unpack decodes packed values, --exclude leaves the variable out",
            ),
        ]),
        Opt::long(
            "append",
            "Add the inputs to OUTPUT, which exists, along its unlimited dimension",
        )
.common()
        .more("--join names the dimension where several are unlimited.")
        .section("nccopy.md#append")
        .selects(&[Mode::Append])
        .conflicts(&[
            "in-place", "update", "preserve", "restore", "salvage", "flatten", "strings", "verify",
        ]),
        Opt::long(
            "merge",
            "Merge the variables of the inputs; what they share must be equal",
        )
.common()
        .more("With --join, inputs with the same variables are joined, and then merged.")
        .section(SECTION)
        .modes(&[Mode::Values])
        .conflicts(CONFLICTS),
        further("sort", "With --join: order the inputs by the coordinate of DIM")
            .modes(&[Mode::Values])
            .requires("join"),
        further(
            "label",
            "With --join: the coordinate of a new DIM, a value for each input",
        )
        .modes(&[Mode::Values])
        .requires("join")
        .value(Value::Texts("V,…"))
        .conflicts(&["merge"])
        .requests(&[Request::Labels]),
        further(
            "overlap",
            "With --join or --append: of cells with one coordinate, take that of the first or last input",
        )
        .value(Value::OneOf("WHICH", vec!["first", "last"]))
        .alternatives(&[
            (
                Alternative::OneOfTwoCells,
                "; --sort puts the inputs in order, --overlap takes one of two cells",
            ),
            (
                Alternative::NewDataset,
                "; --overlap takes one of two cells, and for what comes before the end --join with --sort makes a new dataset",
            ),
        ]),
        further(
            "inexact",
            "With --join or --append: round times that have no exact form in the first input's units",
        )
        .alternatives(&[(Alternative::RoundedTimes, "; --inexact rounds it")]),
        further(
            "unpack",
            "With --join: unpack these variables to float or double; repeatable",
        )
        .modes(&[Mode::Values])
        .requires("join")
        .value(Value::Texts("VAR,…"))
        .requests(&[Request::Unpacking]),
        Opt::long(
            "first",
            "With --join, --merge, --append: take what inputs share from the first, if others differ",
        )
        .section(SECTION)
        .modes(&[Mode::Values, Mode::Append])
        .alternatives(&[(Alternative::ValuesOfFirst, "; --first takes those of the first, and moves no data")]),
        further(
            "fill-missing",
            "With --join or --append: fill the cells of a variable that an input lacks",
        )
        .alternatives(&[(Alternative::FilledCells, "; --fill-missing fills its cells")]),
    ]
}
