//! [`Registry`]: the codecs that a program knows.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::checksum::checksum32;
use crate::checksum::fletcher32::Fletcher32;
use crate::codec::chunk_type::ChunkType;
use crate::codec::codec::{Codec, stored_parameters};
use crate::codec::decode_memory::DecodeMemory;
use crate::codec::finder::CodecFinder;
use crate::codec::program::Program;
use crate::compressors::bzip2::Bzip2;
use crate::compressors::lz4::Lz4;
use crate::compressors::lz4::frame::Lz4Frame;
use crate::compressors::lzf::Lzf;
use crate::compressors::lzma::Lzma;
use crate::compressors::zstd::Zstd;
use crate::deflate::deflate::Deflate;
use crate::deflate::gzip::Gzip;
use crate::numbers::nbit::Nbit;
use crate::numbers::quantized::Quantized;
use crate::numbers::scale_offset::ScaleOffset;
use crate::registry::registered::registered_names;
use crate::shuffle::bitshuffle::Bitshuffle;
use crate::shuffle::shuffle::Shuffle;
use crate::szip::Szip;
use crate::zarr_only::astype::AsType;
use crate::zarr_only::bit_round::BitRound;
use crate::zarr_only::cast_value::CastValue;
use crate::zarr_only::delta::Delta;
use crate::zarr_only::fixed_scale_offset::FixedScaleOffset;
use crate::zarr_only::pack_bits::PackBits;
use crate::zarr_only::quantize::Quantize;
use crate::zarr_only::transpose::Transpose;
use crate::zarr_only::zarr_scale_offset::ZarrScaleOffset;
use crate::zfp::Zfp;
use crate::zfp::zfpy::Zfpy;
use ncutils_model::similar::similar;
use ncutils_model::{CodecSpec, ZarrVersion};

/// The codecs that a program knows. A clone shares them.
#[derive(Clone)]
pub struct Registry {
    codecs: Arc<Vec<Arc<dyn Codec>>>,
    /// Where codecs are looked for that are not in `codecs`.
    finder: Option<Arc<dyn CodecFinder>>,
    memory: Arc<DecodeMemory>,
}

impl Registry {
    /// The built-in codecs, by ascending HDF5 id. Codecs that only Zarr has follow, by name. A decoded chunk may take 1 GiB.
    pub fn builtin() -> Self {
        static BUILTIN: OnceLock<Registry> = OnceLock::new();
        let make = || Self {
            codecs: Arc::new(vec![
                Arc::new(Deflate),
                Arc::new(Shuffle),
                Arc::new(Fletcher32),
                Arc::new(Szip),
                Arc::new(Nbit),
                Arc::new(ScaleOffset),
                Arc::new(Bzip2),
                Arc::new(Lzf),
                #[cfg(feature = "blosc")]
                Arc::new(crate::blosc::Blosc),
                Arc::new(Lz4),
                Arc::new(Bitshuffle),
                Arc::new(Zfp),
                Arc::new(Zstd),
                Arc::new(Quantized::BitGroom),
                Arc::new(Quantized::GranularBitRound),
                #[cfg(feature = "blosc2")]
                Arc::new(crate::blosc2::Blosc2),
                Arc::new(checksum32::ADLER32),
                Arc::new(AsType),
                Arc::new(BitRound),
                Arc::new(CastValue),
                Arc::new(checksum32::CRC32),
                Arc::new(checksum32::Crc32c),
                Arc::new(Delta),
                Arc::new(FixedScaleOffset),
                Arc::new(Gzip),
                Arc::new(Lz4Frame),
                Arc::new(Lzma),
                Arc::new(PackBits),
                Arc::new(Quantize),
                Arc::new(ZarrScaleOffset),
                Arc::new(Transpose),
                Arc::new(Zfpy),
            ]),
            finder: None,
            memory: Arc::default(),
        };
        BUILTIN.get_or_init(make).clone()
    }

    /// Adds a codec. It takes precedence over earlier codecs of the same name.
    pub fn add(&mut self, codec: Arc<dyn Codec>) {
        Arc::make_mut(&mut self.codecs).push(codec);
    }

    /// Sets where codecs are looked for that were not added.
    pub fn set_finder(&mut self, finder: Arc<dyn CodecFinder>) {
        self.finder = Some(finder);
    }

    /// Sets how many bytes a decoded chunk may take. Large chunks that are read as values at once take no more together.
    pub fn set_decode_limit(&mut self, bytes: u64) {
        self.memory = Arc::new(DecodeMemory::new(usize::try_from(bytes).unwrap_or(usize::MAX)));
    }

    /// The memory of decoded chunks.
    pub fn decode_memory(&self) -> &Arc<DecodeMemory> {
        &self.memory
    }

    /// Tells where the unknown codec `spec` was looked for; `None` without a finder.
    pub fn searched(&self, spec: &CodecSpec) -> Option<String> {
        Some(self.finder.as_ref()?.searched(spec))
    }

    /// All codecs that were added, in the order in which they were added.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<dyn Codec>> {
        self.codecs.iter()
    }

    /// The codec that `spec` names. The finder is asked if no codec was added for it, or if the finder's codecs take
    /// precedence.
    pub fn find(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>> {
        match &self.finder {
            Some(finder) if finder.preferred() => finder.find(spec).or_else(|| self.find_added(spec)),
            Some(finder) => self.find_added(spec).or_else(|| finder.find(spec)),
            None => self.find_added(spec),
        }
    }

    fn find_added(&self, spec: &CodecSpec) -> Option<&Arc<dyn Codec>> {
        match spec {
            CodecSpec::Hdf5 { id, .. } => self.iter().rev().find(|codec| codec.hdf5_id() == Some(*id)),
            CodecSpec::Zarr { version, name, .. } => {
                let name = name.as_str();
                self.iter()
                    .rev()
                    .find(|codec| codec.facts().zarr_names(*version).any(|own| own == name))
            }
        }
    }

    /// The codec with this name: HDF5's, or one of Zarr's, of any version.
    pub fn by_name(&self, name: &str) -> Option<&Arc<dyn Codec>> {
        let versions = [ZarrVersion::V2, ZarrVersion::V3];
        self.iter().rev().find(|codec| {
            let facts = codec.facts();
            let is_zarr_name = |version| facts.zarr_names(version).any(|own| own == name);
            facts.name == name || versions.into_iter().any(is_zarr_name)
        })
    }

    /// The codec with this HDF5 id. A codec that was added comes before a plugin.
    pub(crate) fn found_by_id(&self, id: u32) -> Option<&Arc<dyn Codec>> {
        let spec = CodecSpec::hdf5(id, []);
        self.find_added(&spec).or_else(|| self.find(&spec))
    }

    /// The built-in codec of filter `id`. Its rules of parameters hold for plugins of the filter too.
    pub fn parameters_of(id: u32) -> Option<&'static Arc<dyn Codec>> {
        static BUILTIN: OnceLock<Registry> = OnceLock::new();
        BUILTIN
            .get_or_init(Self::builtin)
            .find_added(&CodecSpec::hdf5(id, []))
    }

    /// The codec that the finder's plugins name so.
    pub(crate) fn plugin_by_name(&self, name: &str) -> Option<&Arc<dyn Codec>> {
        self.finder.as_ref()?.find_by_name(name)
    }

    /// The message for a name that no codec has: the closest name, or all.
    pub(crate) fn no_such_name(&self, name: &str) -> String {
        let mut known: Vec<&str> = self.iter().map(|codec| codec.name()).collect();
        let plugins = self
            .finder
            .as_ref()
            .map(|finder| finder.names())
            .unwrap_or_default();
        let mut names = known.clone();
        for version in [ZarrVersion::V2, ZarrVersion::V3] {
            names.extend(self.iter().filter_map(|codec| codec.zarr_name(version)));
        }
        for name in registered_names() {
            names.push(name);
        }
        names.extend(plugins.iter().map(String::as_str));
        if let Some(close) = similar(name, names) {
            return format!("no filter is named '{name}': is '{close}' meant?");
        }
        for name in &plugins {
            if !known.contains(&name.as_str()) {
                known.push(name);
            }
        }
        format!("no filter is named '{name}'; known are {}", known.join(", "))
    }

    /// True if both specs make the same stream of chunks of type `chunk`: they are the same codec with the same
    /// parameters, whatever their names. Unknown codecs must be equal. HDF5's flag `optional` and a file's names for
    /// ids are ignored.
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
            _ => codec.same_configuration(a, b),
        }
    }

    /// True if two pipelines have the same length, and each pair of codecs makes the same stream.
    pub fn same_streams(&self, a: &[CodecSpec], b: &[CodecSpec], chunk: &ChunkType) -> bool {
        let mut pairs = self.types(a, chunk).zip(b);
        a.len() == b.len() && pairs.all(|((a, given), b)| self.same_stream(a, b, &given))
    }

    /// True if a reader with the pipeline `b` reads what the pipeline `a` made: the codecs differ at most in parameters that matter to
    /// an encoder alone.
    pub fn read_alike(&self, a: &[CodecSpec], b: &[CodecSpec], chunk: &ChunkType) -> bool {
        let alike = |a: &CodecSpec, b: &CodecSpec, given: &ChunkType| {
            let (Some(codec), Some(other)) = (self.find(a), self.find(b)) else {
                return false;
            };
            let facts = codec.facts();
            let wrapper = |spec| {
                facts
                    .deflate_wrapper
                    .and_then(|of| of(spec, given))
                    .map(|(wrapper, _)| wrapper)
            };
            Arc::ptr_eq(codec, other) && facts.self_describing && wrapper(a) == wrapper(b)
        };
        let mut pairs = self.types(a, chunk).zip(b);
        a.len() == b.len()
            && pairs.all(|((a, given), b)| self.same_stream(a, b, &given) || alike(a, b, &given))
    }

    /// True if `specs` make the same streams in chunks of both types. A Zarr configuration may mean other parameters in
    /// an array of other lengths.
    pub fn same_for(&self, specs: &[CodecSpec], a: &ChunkType, b: &ChunkType) -> bool {
        let mut pairs = self.types(specs, a).zip(self.types(specs, b));
        a == b
            || pairs.all(|((spec, a), (_, b))| match self.find(spec) {
                Some(codec) => {
                    let parameters = |chunk| stored_parameters(codec.as_ref(), spec, chunk).ok();
                    parameters(&a) == parameters(&b)
                }
                None => true,
            })
    }

    /// The codecs of a pipeline for chunks of type `chunk`, each with the type of its input.
    pub(crate) fn types<'a>(
        &'a self,
        specs: &'a [CodecSpec],
        chunk: &'a ChunkType,
    ) -> impl Iterator<Item = (&'a CodecSpec, Cow<'a, ChunkType>)> {
        let mut types = self.begin(chunk);
        specs.iter().map(move |spec| (spec, types.pass(spec)))
    }

    /// Position of the first codec of a pipeline whose output has another type than its input.
    pub(crate) fn first_retyping(&self, specs: &[CodecSpec], chunk: &ChunkType) -> Option<usize> {
        let mut types = self.begin(chunk);
        specs.iter().position(|spec| *types.pass(spec) != *types.given())
    }

    /// Starts to follow the type of chunks through a pipeline.
    pub fn begin<'a>(&'a self, chunk: &'a ChunkType) -> Types<'a> {
        Types {
            registry: self,
            given: Cow::Borrowed(chunk),
        }
    }

    /// True if `program` has the codec that `spec` names, under that name.
    pub fn known_to(&self, spec: &CodecSpec, program: Program) -> bool {
        let (version, own) = (program.version(), spec.zarr_name());
        let is_known = |codec: &Arc<dyn Codec>| {
            let facts = codec.facts();
            // zarr-python takes all of numcodecs under such names.
            let of_numcodecs = program == Program::ZarrPython
                && facts.in_numcodecs
                && own.is_some_and(|(own, name)| own == version && name.starts_with("numcodecs."));
            of_numcodecs
                || facts.known_to.contains(&program) && codec.zarr_name(version).map(|n| (version, n)) == own
        };
        own.is_some() && self.find(spec).is_some_and(is_known)
    }
}

/// The type of chunks before the next codec of a pipeline.
pub struct Types<'a> {
    registry: &'a Registry,
    given: Cow<'a, ChunkType>,
}

impl<'a> Types<'a> {
    /// The type of the next codec's input.
    pub fn given(&self) -> &ChunkType {
        &self.given
    }

    /// Goes on to the output of the codec `spec`. Returns the type of its input. An unknown codec changes nothing.
    pub fn pass(&mut self, spec: &CodecSpec) -> Cow<'a, ChunkType> {
        let before = self.given.clone();
        if let Some(codec) = self.registry.find(spec) {
            let next = codec.encoded_type(spec, &before);
            if next != *before {
                self.given = Cow::Owned(next);
            }
        }
        before
    }
}

/// The built-in codecs.
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

#[cfg(test)]
mod tests;
