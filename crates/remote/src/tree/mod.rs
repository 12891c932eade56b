//! Publishing a tree of keys on a store where nothing can be renamed.
//!
//! ```text
//! claim: a mark that no other run has ─► values ─► metadata, by metadata_order ─┬─► the mark goes: the tree opens
//!                                                                               └─► switch: takes the place of an older dataset
//! growing_tree: adds to a tree where it is, under a mark of its own
//! ```
//!
//! `mark` has the keys and what they mean. The core library refuses to open a tree that has `.ncutils-partial`. `shared_keys` has what
//! several processes that write together leave for each other. The protocol, and what a kill leaves at each point, is in `output.rs`.

mod claim;
mod growing_tree;
mod mark;
mod metadata_order;
mod output;
mod shared_keys;
mod switch;

pub use claim::{Claim, NotClaimed, Replaced};
pub use growing_tree::GrowingTree;
pub use output::{KeysCheck, TreeOutput};
pub use shared_keys::SharedKeys;
