//! [`Limits`]: what an output may be for the programs that it is for.

use super::reading_program::ReadingProgram;
use crate::copy::plan::notices::Notices;
use crate::error::{Request, Result};
use crate::filter::Registry;
use crate::format::Warning;
use crate::message::some_of;
use crate::model::similar::question;
use crate::model::{Capabilities, CodecSpec, Kind, Schema};

/// The programs that an output is for, and what follows for it. Without programs, nothing follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits(Vec<&'static ReadingProgram>);

impl Limits {
    /// For the programs of these names.
    ///
    /// # Errors
    /// An unknown name, with those that there are.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let find = |name: &str| {
            ReadingProgram::by_name(name).ok_or_else(|| {
                let known = ReadingProgram::ALL.map(|program| program.name);
                let meant = question(name, known);
                Request::Programs.misspelled(
                    name,
                    format!("unknown; those that are known are {}{meant}", known.join(", ")),
                )
            })
        };
        names.into_iter().map(find).collect::<Result<_>>().map(Self)
    }

    /// True if there are no programs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks a kind that was asked for.
    ///
    /// # Errors
    /// A program that does not read it.
    pub fn check_kind(&self, kind: Kind) -> Result<()> {
        self.check_sides(kind, &[kind])
    }

    /// The same of a kind that is read as one of `sides`.
    ///
    /// # Errors
    /// A program that reads none of them.
    pub fn check_sides(&self, kind: Kind, sides: &[Kind]) -> Result<()> {
        let reads = |program: &&&ReadingProgram| sides.iter().any(|side| program.kinds.contains(side));
        match self.0.iter().find(|program| !reads(program)) {
            None => Ok(()),
            Some(program) => {
                let read_by_all = |kind: &&Kind| self.0.iter().all(|other| other.kinds.contains(kind));
                let fitting = program.kinds.iter().filter(read_by_all);
                let names: Vec<&str> = fitting.map(|kind| kind.can().short_name).collect();
                let instead = match (names.is_empty(), self.0.len()) {
                    (true, _) => {
                        "no kind is read by all of these programs; make an output for each".to_owned()
                    }
                    (false, 1) => format!("ask for one that it reads by -k: {}", names.join(", ")),
                    (false, _) => format!("ask for one that all read by -k: {}", names.join(", ")),
                };
                Err(Request::Programs.error(format!(
                    "{} does not read {}; {instead}",
                    program.told(),
                    kind.name()
                )))
            }
        }
    }

    /// The kind of a file for these programs: `kind` if all read it, else the first that `does` what is asked for and that all read.
    ///
    /// # Errors
    /// No kind of file is read by all programs and does what is asked for.
    pub fn kind_of_file(&self, kind: Kind, does: impl Fn(Kind, &Capabilities) -> bool) -> Result<Kind> {
        let is_read = |kind: &Kind| self.0.iter().all(|program| program.kinds.contains(kind));
        if is_read(&kind) {
            return Ok(kind);
        }
        let preferred = [
            Kind::Netcdf4Classic,
            Kind::Netcdf4,
            Kind::Classic,
            Kind::Offset64,
            Kind::Data64,
        ];
        let mut fitting = preferred.into_iter().filter(is_read);
        match fitting.find(|kind| does(*kind, kind.can())) {
            Some(kind) => Ok(kind),
            None => self.check_kind(kind).map(|()| kind),
        }
    }

    /// The first program that lacks one of these filters, and the names of those that it lacks.
    pub fn lacking(&self, filters: &[CodecSpec], registry: &Registry) -> Option<(&'static str, Vec<String>)> {
        lacking(&self.0, filters, registry)
    }

    /// The warnings about an output that are about the output itself or about these programs. Without programs, all.
    ///
    /// # Errors
    /// What a program cannot read.
    pub fn concerned(&self, mut warnings: Vec<Warning>) -> Result<Vec<Warning>> {
        for program in &self.0 {
            if let Some(unread) = warnings.iter().find(|warning| warning.is_unread_by(program.zarr)) {
                return Err(Request::Programs.error(format!(
                    "{} would not read this: {unread}; choose another kind, or leave out what it names",
                    program.told()
                )));
            }
        }
        if !self.is_empty() {
            warnings.retain(|warning| self.0.iter().any(|program| warning.is_for(program.zarr)));
        }
        Ok(warnings)
    }

    /// Tells what the programs do not show of an output.
    ///
    /// # Errors
    /// What a program does not open.
    pub fn tell(&self, schema: &Schema, notices: &mut Notices) -> Result<()> {
        for program in &self.0 {
            let fatal = program.fatal_attributes(schema);
            if !fatal.is_empty() {
                return Err(Request::Programs.error(format!(
                    "{} opens no dataset with attributes of types that are not made of numbers: {}; choose another kind, or leave out \
                     what has them",
                    program.told(),
                    some_of(&fatal, fatal.len())
                )));
            }
            for (why, item) in program.unseen(schema) {
                notices.add(why, item);
            }
        }
        Ok(())
    }
}

fn lacking(
    programs: &[&'static ReadingProgram],
    filters: &[CodecSpec],
    registry: &Registry,
) -> Option<(&'static str, Vec<String>)> {
    programs.iter().find_map(|program| {
        let lacks = |spec: &&CodecSpec| !program.has(spec, registry);
        let name = |spec: &CodecSpec| {
            let known = registry.find(spec);
            known.map_or_else(|| spec.to_string(), |codec| codec.name().to_owned())
        };
        let names: Vec<String> = filters.iter().filter(lacks).map(name).collect();
        (!names.is_empty()).then_some((program.told(), names))
    })
}

/// The names of the filters that Debian's netcdf-bin lacks.
pub fn lacking_usually(filters: &[CodecSpec], registry: &Registry) -> Option<Vec<String>> {
    lacking(&[ReadingProgram::USUAL], filters, registry).map(|(_, names)| names)
}
