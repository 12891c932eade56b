//! The options of nccopy for references: what is stored among them, and how they name other files.

use ncutils_core::error::Alternative;

use super::mode_lists::OF_REFERENCES;
use crate::options::kinds::{REFERENCES, RELATIVE};
use crate::options::opt::{Opt, Value};

/// References to chunks of other files.
pub(super) fn references() -> Vec<Opt> {
    vec![
        Opt::long("inline", "store variables of at most BYTES as they are; default 4096, of coordinates 1 MiB")
            .value(Value::Text("BYTES"))
            .section("nccopy.md#references")
            .kinds(REFERENCES)
            .modes(OF_REFERENCES)
            .alternatives(&[(
                Alternative::StoredAmongReferences,
                "; --inline BYTES stores them as they are, --drop-unsupported leaves them out; a copy with -V has them alone",
            )]),
        Opt::long("copy-ragged", "store chunks as they are that are not those of one input")
            .section("nccopy.md#references")
            .kinds(REFERENCES)
            .modes(OF_REFERENCES)
            .alternatives(&[(Alternative::CopiedChunks, "; --copy-ragged copies such chunks")]),
        Opt::long("base", "name inputs by URL, in place of the folder that holds all of them")
            .value(Value::Text("URL"))
            .section("nccopy.md#references")
            .kinds(REFERENCES)
            .modes(OF_REFERENCES)
            .alternatives(&[(Alternative::OtherPlace, "; --base names the place for readers")]),
        Opt::long("relative", "name inputs by their paths from the output's folder")
            .section("nccopy.md#references")
            .kinds(RELATIVE)
            .modes(OF_REFERENCES),
    ]
}
