//! The codecs of one variable, bound to its chunks: encodes and decodes chunks.
//!
//! ```text
//! encode:  chunk ─► codec 0 ─► codec 1 ─► … ─► stored bytes, mask of the codecs that were skipped
//! decode:  stored bytes ─► … ─► codec 1 ─► codec 0 ─► chunk
//! ```
//!
//! The stages pass bytes through two buffers in turn. The caller owns the buffers, whose memory is reused for the next
//! chunk.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::Outcome;
use crate::codec::chunk_type::{ChunkShape, ChunkType};
use crate::codec::codec::BoundCodec;
use crate::codec::decode_memory::{DecodeMemory, HeldMemory};
use crate::codec::room::LARGE;
use crate::registry::registered::registered_name;
use crate::registry::registry::Registry;
use ncutils_model::CodecSpec;
use ncutils_model::error::{Error, Result};

/// A stored chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedChunk {
    /// The bytes after the codecs.
    pub bytes: Vec<u8>,
    /// HDF5's filter mask: bit i set means that codec i of the pipeline was skipped.
    pub filter_mask: u32,
}

/// Buffers for the stages of a pipeline. Each thread needs its own; they are empty at first.
#[derive(Debug, Default)]
pub struct Scratch {
    buffers: [Vec<u8>; 2],
}

impl Scratch {
    /// Buffers without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory held, in bytes.
    pub fn capacity(&self) -> usize {
        self.buffers.iter().map(Vec::capacity).sum()
    }
}

/// Maximum number of codecs in a pipeline: the filter mask has one bit for each.
pub const MAX_FILTERS: usize = 32;

/// The filter mask of a chunk to which no codec was applied.
pub const ALL_SKIPPED: u32 = u32::MAX;

/// The codecs of one variable, bound to its chunks. Made by [`Registry::bind`]; may be used from many threads at once.
pub struct Pipeline {
    specs: Box<[CodecSpec]>,
    /// One stage for each of `specs`.
    pub(super) stages: Box<[Stage]>,
    chunk: ChunkType,
    decoded_size: usize,
    /// Position of the first codec that changes the type of chunks.
    retypes: Option<usize>,
    /// True if a chunk may skip codecs, because its filter mask is stored.
    masks: bool,
    memory: Arc<DecodeMemory>,
}

/// One codec of a pipeline.
pub(super) struct Stage {
    pub(super) codec: Bound,
    /// The codec's name for messages.
    label: Label,
    optional: bool,
}

/// The result of binding a spec.
pub(super) enum Bound {
    Ready(Box<dyn BoundCodec>),
    /// The registry has no codec of this name. It was looked for as this text tells.
    Unknown {
        searched: Option<Box<str>>,
    },
    /// The codec rejected its parameters, for this reason.
    Refused(String),
}

/// The codec's own name, for an HDF5 filter; `None` if messages use the spec's name.
type Label = Option<Box<str>>;

impl Registry {
    /// Binds the codecs of a variable to its chunks. A codec that is unknown or rejects its parameters fails only when
    /// a chunk must go through it.
    ///
    /// # Errors
    /// More codecs than a filter mask has bits, or chunks whose size exceeds the address space.
    pub fn bind(&self, specs: &[CodecSpec], chunk: &ChunkType) -> Result<Pipeline> {
        Pipeline::bind(self, specs, chunk)
    }
}

impl Pipeline {
    /// The shared pipeline without codecs, for variables without chunks. The decoded size of its chunks is 0.
    pub fn empty() -> Arc<Self> {
        static EMPTY: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
            Arc::new(Pipeline {
                specs: Box::default(),
                stages: Box::default(),
                chunk: ChunkType::of_bytes(0),
                decoded_size: 0,
                retypes: None,
                masks: true,
                memory: Arc::default(),
            })
        });
        Arc::clone(&EMPTY)
    }

    /// Binds the codecs: see [`Registry::bind`].
    fn bind(registry: &Registry, specs: &[CodecSpec], chunk: &ChunkType) -> Result<Self> {
        if specs.len() > MAX_FILTERS {
            return Err(Error::Damaged(format!("a pipeline of {} filters", specs.len())));
        }
        // Each codec is bound to what the one before it gives.
        let stage = |(spec, given): (&CodecSpec, Cow<ChunkType>)| {
            let (codec, label) = match registry.find(spec) {
                None => {
                    let searched = registry.searched(spec).map(Into::into);
                    (Bound::Unknown { searched }, None)
                }
                Some(codec) => {
                    let bound = codec.bind(spec, &given).map_or_else(Bound::Refused, Bound::Ready);
                    let differs = spec.hdf5_id().is_some() && spec.name() != codec.name();
                    (bound, differs.then(|| codec.name().into()))
                }
            };
            Stage {
                codec,
                label,
                optional: spec.is_optional(),
            }
        };
        Ok(Self {
            retypes: registry.first_retyping(specs, chunk),
            stages: registry.types(specs, chunk).map(stage).collect(),
            specs: specs.into(),
            decoded_size: chunk.decoded_size(ChunkShape::Full)?,
            chunk: chunk.clone(),
            masks: true,
            memory: Arc::clone(registry.decode_memory()),
        })
    }

    /// The same pipeline for chunks without a filter mask. Every chunk passes all codecs.
    #[must_use]
    pub fn without_masks(mut self) -> Self {
        self.masks = false;
        self
    }

    /// True if chunks that were stored with `filter_mask` can be stored with this pipeline.
    pub fn allows(&self, filter_mask: u32) -> bool {
        self.masks || self.active(filter_mask).count() == self.stages.len()
    }

    /// True if there are no codecs.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// The codecs as named in the file.
    pub fn specs(&self) -> &[CodecSpec] {
        &self.specs
    }

    /// The type of the chunks.
    pub fn chunk_type(&self) -> &ChunkType {
        &self.chunk
    }

    /// Size of a decoded chunk of full shape, in bytes.
    pub fn decoded_size(&self) -> usize {
        self.decoded_size
    }

    /// Size of a decoded chunk of `shape`, in bytes.
    ///
    /// # Errors
    /// The size of a clipped chunk exceeds the address space.
    pub fn size_of(&self, shape: ChunkShape) -> Result<usize> {
        match shape {
            ChunkShape::Full => Ok(self.decoded_size),
            clipped @ ChunkShape::Clipped(_) => self.chunk.decoded_size(clipped),
        }
    }

    /// Checks that a chunk without codecs has the size of its shape.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it has another.
    pub fn check_size(&self, length: usize, shape: ChunkShape) -> Result<()> {
        check_size(length, self.size_of(shape)?)
    }

    /// Takes memory for `size` bytes made of one chunk, and waits while other large chunks take it. Without codecs, a chunk
    /// takes what is stored, which needs no limit.
    ///
    /// # Errors
    /// [`Error::Alternative`] if one chunk may not take as much.
    pub fn hold(&self, size: usize) -> Result<HeldMemory> {
        match self.is_empty() {
            true => Ok(HeldMemory::default()),
            false => self.memory.hold(size),
        }
    }

    /// Most bytes that any encoder can make of a full chunk; `usize::MAX` if a codec is not known.
    pub fn max_encoded_size(&self) -> usize {
        let stages = self.stages.iter();
        stages.fold(self.decoded_size, |size, stage| match &stage.codec {
            Bound::Ready(codec) => codec.max_encoded_size(size).max(size),
            Bound::Unknown { .. } | Bound::Refused(_) => usize::MAX,
        })
    }

    /// Checks that all codecs are known. Chunks may still fail in one of them.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] for the first unknown codec.
    pub fn check_known(&self) -> Result<()> {
        for (stage, spec) in self.stages.iter().zip(&self.specs) {
            if let Bound::Unknown { searched } = &stage.codec {
                return Err(unknown(spec, searched.as_deref()));
            }
        }
        Ok(())
    }

    /// Encodes one chunk. The result has no spare capacity.
    ///
    /// As in libhdf5, an optional codec that fails on the chunk is skipped, and its bit is set in the mask. In a
    /// pipeline without masks, a codec that declines a chunk because it would grow makes it longer instead. Without
    /// codecs, the data is copied; a caller that owns the data should make an [`EncodedChunk`] of it instead.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] for an unknown codec; [`Error::Filter`] if a mandatory codec fails, or if the chunk is
    /// clipped and a codec changes the type of chunks.
    pub fn encode(&self, data: &[u8], shape: ChunkShape, scratch: &mut Scratch) -> Result<EncodedChunk> {
        self.check_known()?;
        self.check_shape(shape)?;
        let [mut input, mut output] = scratch.buffers.each_mut();
        let mut in_scratch = false;
        let mut filter_mask = 0;
        for (position, stage) in self.stages.iter().enumerate() {
            let from = if in_scratch { input.as_slice() } else { data };
            let encoded = match self.masks {
                true => stage.encode(from, shape, output),
                false => stage.encode_always(from, shape, output),
            };
            match encoded {
                Ok(()) => {
                    std::mem::swap(&mut input, &mut output);
                    in_scratch = true;
                }
                Err(_) if stage.optional && self.masks => filter_mask |= 1 << position,
                Err(why) if self.masks => return Err(self.failure(position, why)),
                Err(why) => {
                    let why = format!(
                        "{why}, and a chunk cannot skip it here: choose other filters for this variable"
                    );
                    return Err(self.failure(position, why));
                }
            }
        }
        let bytes = match in_scratch {
            true if input.capacity() >= LARGE => {
                let mut bytes = std::mem::take(input);
                bytes.shrink_to_fit();
                bytes
            }
            true => input.to_vec(),
            false => data.to_vec(),
        };
        Ok(EncodedChunk { bytes, filter_mask })
    }

    /// Decodes one chunk into `out`, replacing its content and reusing its memory. The result has exactly
    /// [`Pipeline::size_of`] `shape` bytes.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] for an unknown codec that was not skipped; [`Error::Filter`] for damaged input, or for a
    /// clipped chunk that a codec would change the type of; [`Error::Damaged`] if the chunk has the wrong size;
    /// [`Error::Alternative`] if it is larger than the registry's limit.
    pub fn decode_into(
        &self,
        bytes: &[u8],
        filter_mask: u32,
        shape: ChunkShape,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.decode_by(Stage::decode, bytes, filter_mask, shape, scratch, out)
    }

    /// Decodes like [`Pipeline::decode_into`], but does not compare checksums that codecs keep.
    ///
    /// # Errors
    /// Those of [`Pipeline::decode_into`], but for checksums.
    pub fn decode_unverified(
        &self,
        bytes: &[u8],
        filter_mask: u32,
        shape: ChunkShape,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.decode_by(Stage::decode_unverified, bytes, filter_mask, shape, scratch, out)
    }

    fn decode_by(
        &self,
        decode: DecodeStage,
        bytes: &[u8],
        filter_mask: u32,
        shape: ChunkShape,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let size = self.size_of(shape)?;
        let Some(first) = self.first_active(filter_mask) else {
            check_size(bytes.len(), size)?;
            out.clear();
            out.extend_from_slice(bytes);
            return Ok(());
        };
        self.memory.check(size)?;
        self.check_shape(shape)?;
        // The maximum output of each stage: the longest that the stages before it can have made of the chunk.
        let mut limits = [0; MAX_FILTERS];
        let mut limit = size;
        for position in self.active(filter_mask) {
            limits[position] = limit;
            limit = match &self.stages[position].codec {
                Bound::Ready(codec) => codec.max_encoded_size(limit),
                Bound::Unknown { searched } => {
                    return Err(unknown(&self.specs[position], searched.as_deref()));
                }
                Bound::Refused(why) => return Err(self.failure(position, why.clone())),
            };
        }
        let [mut input, mut output] = scratch.buffers.each_mut();
        let mut in_scratch = false;
        for position in self.active(filter_mask).rev() {
            let from = if in_scratch { input.as_slice() } else { bytes };
            let to = if position == first {
                &mut *out
            } else {
                &mut *output
            };
            decode(&self.stages[position], from, shape, limits[position], to)
                .map_err(|why| self.failure(position, why))?;
            std::mem::swap(&mut input, &mut output);
            in_scratch = true;
        }
        check_size(out.len(), size)
    }

    /// Decodes one chunk. If all codecs were skipped, its bytes are moved, not copied.
    ///
    /// # Errors
    /// The same as for [`Pipeline::decode_into`].
    pub fn decode(&self, chunk: EncodedChunk, shape: ChunkShape, scratch: &mut Scratch) -> Result<Vec<u8>> {
        if self.first_active(chunk.filter_mask).is_none() {
            check_size(chunk.bytes.len(), self.size_of(shape)?)?;
            return Ok(chunk.bytes);
        }
        let mut out = Vec::new();
        self.decode_into(&chunk.bytes, chunk.filter_mask, shape, scratch, &mut out)?;
        Ok(out)
    }

    /// Refuses clipped chunks if a codec changes their type: the codecs after it are bound to what full chunks become.
    fn check_shape(&self, shape: ChunkShape) -> Result<()> {
        match (shape, self.retypes) {
            (ChunkShape::Clipped(_), Some(position)) => {
                let why = "it changes the type of chunks, so it cannot be applied to a clipped one";
                Err(self.failure(position, why.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Positions of the codecs that the mask does not skip.
    pub(super) fn active(&self, mask: u32) -> impl DoubleEndedIterator<Item = usize> + use<> {
        (0..self.stages.len()).filter(move |position| mask >> position & 1 == 0)
    }

    fn first_active(&self, mask: u32) -> Option<usize> {
        self.active(mask).next()
    }

    /// The error of the codec at `position`.
    pub(super) fn failure(&self, position: usize, why: String) -> Error {
        let (spec, stage) = (&self.specs[position], &self.stages[position]);
        let codec = match (&stage.label, spec.hdf5_id()) {
            (Some(name), Some(id)) => format!("filter {id} ({name})"),
            _ => spec.to_string(),
        };
        Error::Filter { codec, why }
    }
}

impl Stage {
    fn encode(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.encode(input, shape, out),
            Bound::Unknown { .. } => Err("not known".to_owned()),
            Bound::Refused(why) => Err(why.clone()),
        }
    }

    fn encode_always(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.encode_always(input, shape, out),
            _ => self.encode(input, shape, out),
        }
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.decode(input, shape, limit, out),
            Bound::Unknown { .. } => Err("not known".to_owned()),
            Bound::Refused(why) => Err(why.clone()),
        }
    }

    fn decode_unverified(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.decode_unverified(input, shape, limit, out),
            _ => self.decode(input, shape, limit, out),
        }
    }
}

/// How a stage is decoded: with its checksum compared, or without.
type DecodeStage = fn(&Stage, &[u8], ChunkShape, usize, &mut Vec<u8>) -> Outcome;

/// Compares specs and chunk types, not the bound codecs.
impl PartialEq for Pipeline {
    fn eq(&self, other: &Self) -> bool {
        self.specs == other.specs && self.chunk == other.chunk && self.masks == other.masks
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("specs", &self.specs)
            .field("chunk", &self.chunk)
            .finish()
    }
}

/// The error for a codec that is not known. A registered name comes before the file's, which may be a sentence.
fn unknown(spec: &CodecSpec, searched: Option<&str>) -> Error {
    let codec = match spec.hdf5_id().and_then(registered_name) {
        Some(name) => spec.clone().with_name(name).to_string(),
        None => spec.to_string(),
    };
    Error::UnknownFilter {
        codec,
        searched: searched.map(|text| format!(", {text}")).unwrap_or_default(),
    }
}

/// Checks the size of a decoded chunk, in bytes.
///
/// # Errors
/// [`Error::Damaged`].
pub fn check_size(size: usize, expected: usize) -> Result<()> {
    if size == expected {
        return Ok(());
    }
    Err(Error::Damaged(format!(
        "the chunk has {size} bytes after decoding instead of {expected}"
    )))
}

#[cfg(test)]
mod tests;
