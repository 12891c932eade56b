//! Publishing a tree of keys on a store where nothing can be renamed.
//!
//! ```text
//! Claim: a mark that no other run has ─► values ─► metadata, in order ─┬─► the mark goes: the tree opens
//!                                                                      └─► switch: takes the place of an older dataset
//! ```
//!
//! The protocol, and what a kill leaves at each point, is in `output.rs`.

mod claim;
mod growing_tree;
mod mark;
mod metadata_order;
mod output;
mod switch;

pub use claim::{NotClaimed, Replaced};
pub use growing_tree::GrowingTree;
pub use output::{KeysCheck, TreeOutput};
