//! CDL, the text form of netCDF: text ◄─► model.

pub mod read;
pub mod write;
