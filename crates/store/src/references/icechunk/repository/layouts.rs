//! The tables of the file `repo`, and the numbers of their fields (Icechunk specification 2).

use super::super::record::FieldType;

/// Metadata of a snapshot or of the repository: a name and its value.
pub const METADATA: &[FieldType] = &[FieldType::Text, FieldType::Elements(1)];

/// A branch or tag: its name, and the number of its snapshot.
pub const REF: &[FieldType] = &[FieldType::Text, FieldType::Plain(4)];

/// A snapshot: its id, the number of its parent, its time, message, metadata and the logs of snapshots that are gone.
pub const SNAPSHOT: &[FieldType] = &[
    FieldType::Plain(12),
    FieldType::Plain(4),
    FieldType::Plain(8),
    FieldType::Text,
    FieldType::Tables(METADATA),
    FieldType::Elements(12),
];

/// Whether the repository takes snapshots, since when, and why not.
pub const STATUS: &[FieldType] = &[FieldType::Plain(1), FieldType::Plain(8), FieldType::Text];

/// What happens to a branch or tag: its name, and a snapshot.
pub const OF_BRANCH: &[FieldType] = &[FieldType::Text, FieldType::Plain(12)];

/// What can happen to a repository, in the order of its numbers.
pub const EVENTS: &[&[FieldType]] = &[
    // It is begun.
    &[],
    // It gets another specification.
    &[FieldType::Plain(1), FieldType::Plain(1)],
    // Its settings change.
    &[],
    // Its metadata changes.
    &[],
    // Tags and branches: created, deleted, set.
    &[FieldType::Text],
    OF_BRANCH,
    &[FieldType::Text],
    OF_BRANCH,
    OF_BRANCH,
    // A snapshot is added.
    OF_BRANCH,
    // A snapshot is replaced.
    &[FieldType::Text, FieldType::Plain(12), FieldType::Plain(12)],
    // A snapshot without a branch is added.
    &[FieldType::Plain(12)],
    // Files are removed that nothing leads to.
    &[],
    // Old snapshots are removed.
    &[],
    // A feature is allowed or forbidden.
    &[FieldType::Plain(2), FieldType::Plain(1), FieldType::Plain(1)],
    // The status changes.
    &[FieldType::Table(STATUS)],
];

/// Numbers of events.
pub const BEGUN: u8 = 1;
pub const RESET: u8 = 9;
pub const ADDED: u8 = 10;

/// An event, its time, and the file that it replaced.
pub const UPDATE: &[FieldType] = &[
    FieldType::Plain(1),
    FieldType::Union(EVENTS),
    FieldType::Plain(8),
    FieldType::Text,
];

/// The root table.
pub const ROOT: &[FieldType] = &[
    FieldType::Plain(1),
    FieldType::Tables(REF),
    FieldType::Tables(REF),
    // Tags that were deleted.
    FieldType::Texts,
    FieldType::Tables(SNAPSHOT),
    FieldType::Table(STATUS),
    FieldType::Tables(METADATA),
    FieldType::Tables(UPDATE),
    // The file that has older updates.
    FieldType::Text,
    FieldType::Elements(1),
    // Features.
    FieldType::Elements(2),
    FieldType::Elements(2),
    FieldType::Elements(1),
];

/// Numbers of fields.
pub mod field {
    pub const SPECIFICATION: usize = 0;
    pub const TAGS: usize = 1;
    pub const BRANCHES: usize = 2;
    pub const DELETED_TAGS: usize = 3;
    pub const SNAPSHOTS: usize = 4;
    pub const STATUS: usize = 5;
    pub const METADATA: usize = 6;
    pub const UPDATES: usize = 7;
    pub const OLDER_UPDATES: usize = 8;
    pub const SETTINGS: usize = 9;
}
