//! Jobs: one dataset that many processes write.
//!
//! ```text
//! plan ─► JobFile: what every process does             stage: what is written, beside the output
//!   │
//!   ├─ part 0 ─► PartKeys: keys of Zarr │ PlacedWriter: a classic file │ PackWriter: a pack ─► 0.done ─┐
//!   ├─ part 1 ─► …                                                                                    ├─► Packs, metadata ─► the output
//!   └─ part N ─► …                                                                                    ┘
//! ```
//!
//! Parts have no chunk and no shard in common, and a part writes the same bytes however often it runs. So a part that was killed
//! is run again, and two processes may run the same one.

mod content_sum;
mod input_identity;
mod job_file;
mod name_value;
mod notes;
mod pack;
mod part_keys;
mod part_list;
mod plan_digest;

pub use content_sum::Content;
pub use input_identity::InputIdentity;
pub use job_file::{JobFile, JobState, MOST_PARTS, PartWork, PlannedPart};
pub use notes::{Begun, Notes, PartNotes, PartStates, over};
pub use pack::{PackWriter, Packs, PlacedWriter};
pub use part_keys::PartKeys;
pub use part_list::PartList;
pub use plan_digest::{files_digest, plan_digest};
