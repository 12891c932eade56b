//! [`Outcome`]: what a codec returns.

/// The result of a codec. An error is the reason in words; the caller adds the codec's name.
pub type Outcome<T = ()> = Result<T, String>;
