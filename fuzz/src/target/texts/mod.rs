//! Targets whose input is a text: CDL, arguments of options, and settings of remote stores.

pub(super) mod cdl;
pub(super) mod options;
pub(super) mod part;
pub(super) mod remote;
