//! The modes of nccopy to which options apply, for rows that have several.

use crate::options::mode::Mode::{self, Append, Bytes, Hdf5, Values, Zst};

/// Options that change values or their storage, and that `-k h5` applies too.
pub(super) const OF_DATASETS: &[Mode] = &[Values, Hdf5];

/// The same for options that archives have, too.
pub(super) const OF_CHUNKS: &[Mode] = &[Values, Hdf5, Bytes];

/// Options of what only the copy engine makes.
pub(super) const OF_VALUES: &[Mode] = &[Values];

/// Options of references, which a repository that grows has, too.
pub(super) const OF_REFERENCES: &[Mode] = &[Values, Append];

/// Options that select a mode by their value.
pub(super) const OF_KIND: &[Mode] = &[Values, Hdf5, Bytes, Zst, Append];
