//! [`Chosen`]: a setting and where it is from.

use std::fmt;

/// A setting, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen<T> {
    /// The setting.
    pub value: T,
    /// Where it is from, in words: `AWS_REGION`, `AWS.REGION in /home/u/.ncrc`.
    pub from: String,
}

impl<T> Chosen<T> {
    pub(super) fn new(value: T, from: impl Into<String>) -> Self {
        let from = from.into();
        Self { value, from }
    }

    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Chosen<U> {
        Chosen::new(change(self.value), self.from)
    }
}

impl<T: fmt::Display> fmt::Display for Chosen<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (from {})", self.value, self.from)
    }
}
