//! [`ObjectId`]: names an object of a [`FileTree`](super::FileTree).

/// Index of an object in `FileTree::objects`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub usize);
