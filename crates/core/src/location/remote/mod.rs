//! Remote stores, as locations use them. In a build without remote stores, `no_remote` has the same functions.
//!
//! ```text
//! RemoteUrl ─► connect ─► Session ─┬─► find, text, states: an object, a tree of keys, a server of OPeNDAP
//!                                  ├─► output: objects and trees, whole or not at all, or one that grows
//!                                  └─► jobs: what several processes write
//! URL of a reference ─► places: may it lead there? ─► an object
//! ```

mod find;
mod jobs;
mod output;
mod places;

pub(super) use crate::remote::Session;
pub(super) use find::{connect, find, states, text};
pub(super) use jobs::{begin_job, join_job, remove_job};
pub(super) use output::{growing_tree, object, staged_object, tree, tree_of_references};
pub(super) use places::{RemotePlaces, check_allowed};
