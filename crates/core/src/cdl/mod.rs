//! CDL, the text form of netCDF: `read` parses it into a dataset, `program` prints C and Fortran programs that create
//! the dataset (`ncgen -l`).

pub mod program;
pub mod read;

#[cfg(test)]
mod round_trip;
