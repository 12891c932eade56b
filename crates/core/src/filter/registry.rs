//! Which codecs there are.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::chunk_type::ChunkType;
use super::codec::{Codec, stored_parameters};
use super::pipeline::Pipeline;
use super::{
    bzip2::Bzip2, deflate::Deflate, fletcher32::Fletcher32, nbit::Nbit, shuffle::Shuffle, szip::Szip, zstd::Zstd,
};
use crate::error::{Error, Result};
use crate::model::CodecSpec;

/// The codecs that a program knows. Clones share them.
#[derive(Clone)]
pub struct Registry {
    codecs: Arc<Vec<Arc<dyn Codec>>>,
}

impl Registry {
    /// The codecs of this crate, by ascending HDF5 id.
    pub fn builtin() -> Self {
        static BUILTIN: OnceLock<Registry> = OnceLock::new();
        let make = || Self {
            codecs: Arc::new(vec![
                Arc::new(Deflate),
                Arc::new(Shuffle),
                Arc::new(Fletcher32),
                Arc::new(Szip),
                Arc::new(Nbit),
                Arc::new(Bzip2),
                Arc::new(Zstd),
            ]),
        };
        BUILTIN.get_or_init(make).clone()
    }

    /// Adds a codec. Of several with the same name, the last that was added is found.
    pub fn add(&mut self, codec: Arc<dyn Codec>) {
        Arc::make_mut(&mut self.codecs).push(codec);
    }

    /// All codecs, in the order in which they were added.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<dyn Codec>> {
        self.codecs.iter()
    }

    /// The codec that `spec` names.
    pub fn find(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>> {
        match spec {
            CodecSpec::Hdf5 { id, .. } => self.iter().rev().find(|codec| codec.hdf5_id() == Some(*id)),
            CodecSpec::Zarr { version, name, .. } => self
                .iter()
                .rev()
                .find(|codec| codec.zarr_name(*version) == Some(name)),
        }
    }

    /// Prepares the codecs of a variable for its chunks. One that is not known, or does not take its parameters, fails when
    /// a chunk must go through it.
    ///
    /// # Errors
    /// More codecs than a filter mask has bits, or chunks that do not fit into memory.
    pub fn bind(&self, specs: &[CodecSpec], chunk: &ChunkType) -> Result<Pipeline> {
        Pipeline::bind(self, specs, chunk)
    }

    /// Whether both make the same stream of chunks of `chunk`, whatever their names: the same codec with the same parameters.
    /// What is not known is the same only if it is equal. HDF5's flag `optional` and the names that files give
    /// to ids do not matter.
    pub fn same_stream(&self, a: &CodecSpec, b: &CodecSpec, chunk: &ChunkType) -> bool {
        let equal = match (a, b) {
            (
                CodecSpec::Hdf5 { id, parameters, .. },
                CodecSpec::Hdf5 {
                    id: other,
                    parameters: others,
                    ..
                },
            ) => id == other && parameters == others,
            _ => a == b,
        };
        if equal {
            return true;
        }
        let (Some(codec), Some(other)) = (self.find(a), self.find(b)) else {
            return false;
        };
        if !Arc::ptr_eq(codec, other) {
            return false;
        }
        let parameters = |spec| stored_parameters(codec.as_ref(), spec, chunk);
        match (parameters(a), parameters(b)) {
            (Ok(a), Ok(b)) => codec.canonical_parameters(&a) == codec.canonical_parameters(&b),
            _ => false,
        }
    }

    /// Whether two pipelines make the same stream: as many codecs, and each pair the same.
    pub fn same_streams(&self, a: &[CodecSpec], b: &[CodecSpec], chunk: &ChunkType) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_stream(a, b, chunk))
    }

    /// The same codec under its HDF5 id; as it is where it has that already.
    ///
    /// # Errors
    /// [`Error::Usage`] where it has no HDF5 form: names it, and says what to do.
    pub fn in_hdf5(&self, spec: &CodecSpec, chunk: &ChunkType) -> Result<CodecSpec> {
        if spec.hdf5_id().is_some() {
            return Ok(spec.clone());
        }
        let codec = self.find(spec);
        let form = codec.and_then(|codec| {
            let parameters = stored_parameters(codec.as_ref(), spec, chunk).ok()?;
            Some(
                CodecSpec::hdf5(codec.hdf5_id()?, parameters.into_owned())
                    .with_optional(false)
                    .with_name(codec.name()),
            )
        });
        form.ok_or_else(|| no_hdf5_form(spec))
    }
}

/// The error of a codec that an HDF5 file cannot name.
pub(crate) fn no_hdf5_form(spec: &CodecSpec) -> Error {
    Error::Usage(format!(
        "{spec} has no form in HDF5, so a netCDF-4 file cannot have it: choose other filters for this variable"
    ))
}

/// The codecs of this crate.
impl Default for Registry {
    fn default() -> Self {
        Self::builtin()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|codec| codec.name()))
            .finish()
    }
}
