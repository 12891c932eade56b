//! [`ReferenceNames`]: how references name inputs.

use std::path::PathBuf;

/// How references name inputs, and what they are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceNames {
    /// How inputs are named.
    pub form: NameForm,
    /// The dimension along which inputs are joined.
    pub joined: Option<String>,
}

/// How references name an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameForm {
    /// By its absolute path or its URL.
    Absolute,
    /// By its path from this folder on.
    From(PathBuf),
    /// By a URL that stands for the folder of all inputs.
    Base {
        /// The URL.
        url: String,
        /// The folder: an absolute path, or a URL.
        folder: String,
    },
}
