//! [`Warning`]: what an output has otherwise than its input, or what a program makes of it.

use std::fmt;

use self::ZarrProgram::{Xarray, ZarrPython};
use crate::filter::{CodecInput, Registry, shuffle::shuffle};
use crate::model::CodecSpec;

/// xarray reads what zarr-python reads.
pub const PYTHON: &[ZarrProgram] = &[ZarrPython, Xarray];

/// What follows from a codec that zarr-python lacks, where there are consolidated metadata.
pub const ONLY_WITHOUT_CONSOLIDATED: &str = "zarr-python 3 and xarray open the dataset only if they are told not to use its consolidated metadata, \
     and xarray then opens no group that has such a variable";

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

/// The codec before a shuffle after which a part of an element may be left: "fletcher32 before shuffle". numcodecs and zarrs
/// shuffle whole elements alone.
pub fn shuffles_a_part(codecs: &[CodecSpec], registry: &Registry) -> Option<String> {
    let is = |spec: &CodecSpec, id: u32| registry.hdf5_id(spec) == Some(id);
    let at = codecs.iter().position(|spec| is(spec, shuffle::ID))?;
    let size = codecs[at].configuration()?.get("elementsize")?.as_u64()?;
    let leaves_part = |spec: &&CodecSpec| {
        let known = registry.find(spec);
        let facts = known.map(|codec| codec.facts());
        let keeps_whole =
            facts.is_some_and(|facts| facts.input >= CodecInput::Array || is(spec, shuffle::ID));
        // The checksums have 4 bytes.
        let is_checksum = facts.is_some_and(|facts| facts.is_checksum);
        size > 1 && !keeps_whole && !(is_checksum && 4 % size == 0)
    };
    let before = codecs[..at].iter().find(leaves_part)?;
    Some(format!("{} before {}", before.name(), codecs[at].name()))
}
