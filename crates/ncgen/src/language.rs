//! The outputs of `ncgen`: a netCDF file, or a program that creates one.

use ncutils_core::error::{Error, Result};

/// The argument of `-l`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// The netCDF file itself.
    Binary,
    /// A C program that calls netCDF-C.
    C,
    /// A Fortran 77 program that calls netCDF-Fortran.
    Fortran77,
}

impl Language {
    /// The language that a value of `-l` names.
    ///
    /// # Errors
    /// An unknown language, or Java.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "b" => Ok(Self::Binary),
            "c" | "C" => Ok(Self::C),
            "f77" | "fortran77" | "Fortran77" => Ok(Self::Fortran77),
            "j" | "java" => Err(Error::Usage(format!(
                "-l {name}: Java programs are not offered; make a C program with -l c, or the file itself with -b"
            ))),
            _ => Err(Error::Usage(format!(
                "-l '{name}': unknown language; the languages are c, f77, and b for the netCDF file itself"
            ))),
        }
    }
}
