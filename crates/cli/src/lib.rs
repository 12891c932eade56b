//! What the programs of ncutils share: options that more than one has, their log and progress bar, and how they end.

pub mod kind_option;
mod log;
pub mod memory;
mod option_names;
pub mod options;
mod program;
pub mod progress;
pub mod signals;

pub use option_names::name_options;
pub use program::run;
