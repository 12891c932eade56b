//! Data whose elements hold addresses: variable-length data, and references.
//!
//! ```text
//! dataset ──────────┬─► chunks ─► elements: references lead to the copies, sequences go to the copy's heap ─► FileWriter
//! part_of_dataset ──┘                 └─► lost_elements: null, where the file is damaged
//! ```

pub(super) mod dataset;
pub(super) mod elements;
pub(super) mod lost_elements;
pub(super) mod part_of_dataset;
