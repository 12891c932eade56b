//! The names of codecs by format: an HDF5 id, or a name of a version of Zarr with its configuration.
//!
//! ```text
//! CodecSpec ─► in_output ─► named_or_equivalent ─► named ─┬─► in_hdf5
//!                                                         └─► in_zarr ─► spelled as numcodecs needs it
//! ```

use crate::codec::chunk_type::ChunkType;
use crate::codec::codec::{Codec, stored_parameters};
use crate::codec::netcdf_c_spelling::has_numbers_as_strings;
use crate::deflate::gzip::Gzip;
use crate::registry::registered::registered_name;
use crate::registry::registry::Registry;
use crate::zarr_only::numpy_type::NumpyType;
use ncutils_model::error::{Alternative, Error, Result};
use ncutils_model::{CodecNames, CodecSpec, Configuration, ZarrVersion};

impl Registry {
    /// The HDF5 id of the codec that `spec` names by id or by a Zarr name; `None` for a codec without an id, and for an
    /// unknown Zarr name.
    pub fn hdf5_id(&self, spec: &CodecSpec) -> Option<u32> {
        spec.hdf5_id().or_else(|| self.find(spec)?.hdf5_id())
    }

    /// The same codec, with a name of the kind `names`, as [`Registry::in_hdf5`] or [`Registry::in_zarr`] gives it.
    ///
    /// # Errors
    /// [`Error::Usage`] if it has no such name. The message tells what to do.
    pub fn named(&self, spec: &CodecSpec, names: CodecNames, chunk: &ChunkType) -> Result<CodecSpec> {
        match names {
            CodecNames::Hdf5 => self.in_hdf5(spec, chunk),
            CodecNames::Zarr(version) => self.in_zarr(spec, version, chunk),
        }
    }

    /// The same codec, as [`Registry::named`] gives it, or else one that compresses as it does into another stream.
    ///
    /// # Errors
    /// Those of [`Registry::named`].
    pub fn named_or_equivalent(
        &self,
        spec: &CodecSpec,
        names: CodecNames,
        chunk: &ChunkType,
    ) -> Result<CodecSpec> {
        self.named(spec, names, chunk).or_else(|error| {
            let other = self
                .find(spec)
                .and_then(|codec| codec.facts().equivalent?(spec, names));
            other.ok_or(error)
        })
    }

    /// A codec that a user asks for, as the output names it. Zarr takes an equivalent: its lz4 is no other codec to a user
    /// than HDF5's. HDF5 takes one only for gzip, as its programs call deflate so.
    ///
    /// # Errors
    /// Those of [`Registry::named`].
    pub fn in_output(&self, spec: &CodecSpec, names: CodecNames, chunk: &ChunkType) -> Result<CodecSpec> {
        let is_gzip = || {
            self.find(spec)
                .is_some_and(|codec| codec.name() == Gzip.facts().name)
        };
        match names {
            CodecNames::Hdf5 if !is_gzip() => self.in_hdf5(spec, chunk),
            _ => self.named_or_equivalent(spec, names, chunk),
        }
    }

    /// The same codec under its name in a version of Zarr. A spec with such a name is returned unchanged, unless a
    /// program does not understand it.
    ///
    /// # Errors
    /// [`Error::Usage`] if it has no form in that version. The message tells what to do.
    pub fn in_zarr(&self, spec: &CodecSpec, version: ZarrVersion, chunk: &ChunkType) -> Result<CodecSpec> {
        if spec.zarr_name().is_some_and(|(own, _)| own == version) {
            return Ok(self.with_type(self.spelled_for_all(spec, chunk), chunk));
        }
        let spec = &self.with_type(spec.clone(), chunk);
        let form = self.find(spec).and_then(|codec| {
            let name = codec.zarr_name(version)?;
            if let Ok(parameters) = stored_parameters(codec.as_ref(), spec, chunk) {
                let mut configuration = codec.configuration(version, &parameters, chunk)?;
                keep_unsaid(codec.as_ref(), spec, &mut configuration);
                return Some(CodecSpec::zarr(version, name, configuration));
            }
            let own = spec.configuration()?;
            let renamed = codec.facts().renamed_configuration;
            let configuration = renamed.map_or_else(|| own.clone(), |renamed| renamed(own, version));
            let renamed = CodecSpec::zarr(version, name, configuration);
            let same = codec.same_configuration(spec, &renamed)
                && codec.encoded_type(spec, chunk) == codec.encoded_type(&renamed, chunk);
            same.then_some(renamed)
        });
        form.ok_or_else(|| {
            let number = match version {
                ZarrVersion::V2 => 2,
                ZarrVersion::V3 => 3,
            };
            other_filters(format!("{} has no form in version {number} of Zarr", told(spec)))
        })
    }

    /// True if members of a Zarr configuration have values that no words of HDF5 say.
    pub fn says_more_than_hdf5(&self, spec: &CodecSpec) -> bool {
        let says = |member: &&str| {
            let value = spec.configuration().and_then(|own| own.get(*member));
            value.is_some_and(|value| value.as_u64() != Some(0))
        };
        self.find(spec)
            .is_some_and(|codec| codec.facts().unsaid_members.iter().any(says))
    }

    /// A codec of Zarr with the type of its numbers, which our readers take from the array, and others do not.
    fn with_type(&self, spec: CodecSpec, chunk: &ChunkType) -> CodecSpec {
        let typed = || {
            let ((version, name), configuration) = (spec.zarr_name()?, spec.configuration()?);
            let member = self.find(&spec)?.facts().type_member?;
            if configuration.contains_key(member) {
                return None;
            }
            let ty = NumpyType::of(chunk).ok()?.to_string();
            let mut configuration = configuration.clone();
            configuration.insert(member.to_owned(), ty.into());
            Some(CodecSpec::zarr(version, name, configuration))
        };
        typed().unwrap_or(spec)
    }

    /// The Zarr codec `spec` as all programs understand it. A spec in netCDF-C's own spelling, or in another that a program
    /// refuses, gets the configuration that we write for the same stream. Any other spec is returned unchanged.
    fn spelled_for_all(&self, spec: &CodecSpec, chunk: &ChunkType) -> CodecSpec {
        let respelled = || {
            let ((version, name), configuration) = (spec.zarr_name()?, spec.configuration()?);
            let codec = self.find(spec)?;
            let is_odd = codec.facts().is_odd_spelling;
            if !has_numbers_as_strings(configuration) && !is_odd.is_some_and(|is| is(version, configuration))
            {
                return None;
            }
            let parameters = codec.parameters(version, configuration, chunk)?;
            let configuration = codec.configuration(version, &parameters, chunk)?;
            Some(CodecSpec::zarr(version, name, configuration))
        };
        respelled().unwrap_or_else(|| spec.clone())
    }

    /// The same codec under its HDF5 id. A spec with an id is returned unchanged.
    ///
    /// # Errors
    /// [`Error::Usage`] if the codec has no HDF5 form. The message tells what to do.
    pub fn in_hdf5(&self, spec: &CodecSpec, chunk: &ChunkType) -> Result<CodecSpec> {
        if spec.hdf5_id().is_some() {
            return Ok(spec.clone());
        }
        let codec = self.find(spec);
        let form = codec.and_then(|codec| {
            let parameters = stored_parameters(codec.as_ref(), spec, chunk).ok()?;
            Some(
                CodecSpec::hdf5(codec.hdf5_id()?, parameters.into_owned())
                    .with_optional(codec.hdf5_id() != Some(crate::checksum::fletcher32::ID))
                    .with_name(codec.name()),
            )
        });
        form.ok_or_else(|| {
            let own = codec.filter(|codec| codec.hdf5_id().is_some());
            let instead = match own {
                Some(codec) => format!(
                    "; filter {} ({}) makes other bytes, and its parameters are: {}",
                    codec.hdf5_id().unwrap_or_default(),
                    codec.name(),
                    codec.facts().parameters_help
                ),
                None => String::new(),
            };
            match no_hdf5_form(spec) {
                Error::Alternative { why, alternative } => Error::Alternative {
                    why: why + &instead,
                    alternative,
                },
                other => other,
            }
        })
    }
}

/// Puts the members of `spec` that no stored words say into a configuration that was made of words.
pub(crate) fn keep_unsaid(codec: &dyn Codec, spec: &CodecSpec, made: &mut Configuration) {
    for member in codec.facts().unsaid_members {
        if let Some(value) = spec.configuration().and_then(|own| own.get(*member)) {
            made.insert((*member).to_owned(), value.clone());
        }
    }
}

/// The error for a codec that has no HDF5 id.
pub fn no_hdf5_form(spec: &CodecSpec) -> Error {
    other_filters(format!(
        "{spec} has no form in HDF5, so a netCDF-4 file cannot have it"
    ))
}

/// An error whose remedy is other filters.
fn other_filters(why: String) -> Error {
    Error::Alternative {
        why,
        alternative: Alternative::OtherFilters,
    }
}

/// A codec for a message. A registered filter whose file gives it no name has the registered one.
fn told(spec: &CodecSpec) -> String {
    match spec {
        CodecSpec::Hdf5 { id, name, .. } if name.is_empty() => match registered_name(*id) {
            Some(name) => format!("filter {id} ({name})"),
            None => spec.to_string(),
        },
        _ => spec.to_string(),
    }
}
