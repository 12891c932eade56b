//! CDL, the text form of netCDF: text ◄─► model, and the programs that make what a text describes.

pub mod program;
pub mod read;

#[cfg(test)]
mod round_trip;
