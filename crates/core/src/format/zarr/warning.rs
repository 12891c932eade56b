//! [`Warning`]: what an output has otherwise than its input, or what a program makes of it.

use std::fmt;

/// A program that reads Zarr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZarrProgram {
    /// netCDF-C, which reads NCZarr and some of Zarr version 2.
    NetcdfC,
    /// zarr-python 3 with numcodecs.
    ZarrPython,
    /// xarray, which reads by zarr-python.
    Xarray,
    /// The crate zarrs.
    Zarrs,
    /// TensorStore.
    Tensorstore,
}

/// What follows from an output for those who read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    text: String,
    /// The programs that it is about; empty if it is about the output itself.
    programs: &'static [ZarrProgram],
    /// True if the programs read items not at all, or other values.
    is_unread: bool,
}

impl Warning {
    /// What an output has otherwise than its input, whoever reads it.
    pub fn of_output(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            programs: &[],
            is_unread: false,
        }
    }

    /// What these programs show otherwise than it is.
    pub fn shown_otherwise(programs: &'static [ZarrProgram], text: String) -> Self {
        Self {
            text,
            programs,
            is_unread: false,
        }
    }

    /// What these programs cannot read, or read as other values.
    pub fn unread(programs: &'static [ZarrProgram], text: String) -> Self {
        Self {
            text,
            programs,
            is_unread: true,
        }
    }

    /// True if it is about the output itself, or about this program.
    pub fn is_for(&self, program: Option<ZarrProgram>) -> bool {
        self.programs.is_empty() || program.is_some_and(|program| self.programs.contains(&program))
    }

    /// True if the program reads items not at all, or other values.
    pub fn is_unread_by(&self, program: Option<ZarrProgram>) -> bool {
        self.is_unread && program.is_some_and(|program| self.programs.contains(&program))
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
