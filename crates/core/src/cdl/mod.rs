//! CDL, the text form of netCDF: model ─► text (parsing is to come).

pub mod write;
