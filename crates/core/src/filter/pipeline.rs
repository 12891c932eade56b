//! The codecs of one variable, bound to its chunks.
//!
//! ```text
//! encode:  chunk ─► codec 0 ─► codec 1 ─► … ─► stored bytes, mask of the codecs that were skipped
//! decode:  stored bytes ─► … ─► codec 1 ─► codec 0 ─► chunk
//! ```
//!
//! The stages pass their bytes through two buffers in turn. These belong to the caller and keep their memory from one
//! chunk to the next.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

use super::chunk_type::{ChunkShape, ChunkType};
use super::codec::{BoundCodec, Outcome};
use super::registry::Registry;
use crate::chunk::{resize, too_large};
use crate::error::{Error, Result};
use crate::model::CodecSpec;

/// One chunk as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedChunk {
    /// The bytes after the codecs.
    pub bytes: Vec<u8>,
    /// HDF5's filter mask: bit i set means that codec i of the pipeline was skipped.
    pub filter_mask: u32,
}

/// Buffers for the stages of a pipeline. One for each thread; empty at first.
#[derive(Debug, Default)]
pub struct Scratch {
    buffers: [Vec<u8>; 2],
}

impl Scratch {
    /// Buffers that hold no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of memory held.
    pub fn capacity(&self) -> usize {
        self.buffers.iter().map(Vec::capacity).sum()
    }
}

/// A buffer this large, in bytes, is taken from the system for one stage and given back after it: what is not touched of
/// it takes no memory. Smaller ones are kept, as new memory costs time.
const LARGE: usize = 32 << 20;

/// Makes `out` hold `size` bytes of any content, which a stage overwrites from the first on, mostly not to the last.
///
/// # Errors
/// Where memory does not hold that.
pub(super) fn room(out: &mut Vec<u8>, size: usize) -> Result<()> {
    if size < LARGE || out.len() >= size {
        // Not cleared first: what is there already need not be zeroed again.
        return resize(out, size);
    }
    *out = Vec::new();
    let mut tried = Vec::<u8>::new();
    tried.try_reserve_exact(size).map_err(|_| too_large(size))?;
    drop(tried);
    // The system's zeros, where resizing would write its own.
    *out = vec![0; size];
    Ok(())
}

/// The most codecs that a pipeline has: the mask has one bit for each.
pub const MAX_FILTERS: usize = 32;

/// The filter mask of a chunk that no codec was applied to.
pub const ALL_SKIPPED: u32 = u32::MAX;

/// The codecs of one variable, bound to its chunks. Made by [`Registry::bind`]; used from many threads at once.
pub struct Pipeline {
    specs: Box<[CodecSpec]>,
    /// One for each of `specs`.
    stages: Box<[Stage]>,
    chunk: ChunkType,
    decoded_size: usize,
}

/// One codec of a pipeline.
struct Stage {
    codec: Bound,
    /// Its name for messages.
    label: Label,
    optional: bool,
}

/// What became of a spec.
enum Bound {
    Ready(Box<dyn BoundCodec>),
    /// No codec of the registry has this name.
    Unknown,
    /// The codec does not take these parameters, and why.
    Refused(String),
}

/// The codec's own name for a filter of HDF5; `None` where the spec's name is to be told.
type Label = Option<Box<str>>;

impl Pipeline {
    /// The one pipeline without codecs, of all variables that have no chunks. The decoded size of its chunks is 0.
    pub fn empty() -> Arc<Self> {
        static EMPTY: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
            Arc::new(Pipeline {
                specs: Box::default(),
                stages: Box::default(),
                chunk: ChunkType::of_bytes(0),
                decoded_size: 0,
            })
        });
        Arc::clone(&EMPTY)
    }

    /// See [`Registry::bind`].
    pub(super) fn bind(registry: &Registry, specs: &[CodecSpec], chunk: &ChunkType) -> Result<Self> {
        if specs.len() > MAX_FILTERS {
            return Err(Error::Damaged(format!("a pipeline of {} filters", specs.len())));
        }
        // Each codec is bound to what the one before it gives.
        let mut given = Cow::Borrowed(chunk);
        let stage = |spec: &CodecSpec| {
            let (codec, label) = match registry.find(spec) {
                None => (Bound::Unknown, None),
                Some(codec) => {
                    let bound = codec.bind(spec, &given).map_or_else(Bound::Refused, Bound::Ready);
                    let next = codec.encoded_type(spec, &given);
                    if next != *given {
                        given = Cow::Owned(next);
                    }
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
            stages: specs.iter().map(stage).collect(),
            specs: specs.into(),
            decoded_size: chunk.decoded_size(ChunkShape::Full)?,
            chunk: chunk.clone(),
        })
    }

    /// Whether there are no codecs.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// The codecs as the file names them.
    pub fn specs(&self) -> &[CodecSpec] {
        &self.specs
    }

    /// The chunks that the codecs are bound to.
    pub fn chunk_type(&self) -> &ChunkType {
        &self.chunk
    }

    /// Bytes of a decoded chunk of full shape.
    pub fn decoded_size(&self) -> usize {
        self.decoded_size
    }

    /// Bytes of a decoded chunk.
    ///
    /// # Errors
    /// A clipped chunk that does not fit into memory.
    pub fn size_of(&self, shape: ChunkShape) -> Result<usize> {
        match shape {
            ChunkShape::Full => Ok(self.decoded_size),
            clipped @ ChunkShape::Clipped(_) => self.chunk.decoded_size(clipped),
        }
    }

    /// Whether chunks can go through all codecs, as far as is known beforehand.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] for a codec that is not known.
    pub fn check_known(&self) -> Result<()> {
        for (stage, spec) in self.stages.iter().zip(&self.specs) {
            if matches!(stage.codec, Bound::Unknown) {
                return Err(unknown(spec));
            }
        }
        Ok(())
    }

    /// Encodes one chunk. The result's bytes take no more memory than they need.
    ///
    /// As in libhdf5, an optional codec that fails on the chunk is left out, and its bit set in the mask.
    ///
    /// Without codecs the data is copied; where it is owned, make the [`EncodedChunk`] of it instead.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] where a codec is not known; [`Error::Filter`] where one that is mandatory fails.
    pub fn encode(&self, data: &[u8], shape: ChunkShape, scratch: &mut Scratch) -> Result<EncodedChunk> {
        self.check_known()?;
        let [mut input, mut output] = scratch.buffers.each_mut();
        let mut in_scratch = false;
        let mut filter_mask = 0;
        for (position, stage) in self.stages.iter().enumerate() {
            let from = if in_scratch { input.as_slice() } else { data };
            match stage.encode(from, shape, output) {
                Ok(()) => {
                    std::mem::swap(&mut input, &mut output);
                    in_scratch = true;
                }
                Err(_) if stage.optional => filter_mask |= 1 << position,
                Err(why) => return Err(self.failure(position, why)),
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

    /// Decodes one chunk into `out`, whose earlier content is lost and whose memory is used again. The result has exactly
    /// [`Pipeline::size_of`] `shape` bytes.
    ///
    /// # Errors
    /// [`Error::UnknownFilter`] where a codec that was not skipped is not known; [`Error::Filter`] for damaged input;
    /// [`Error::Damaged`] where the chunk has another size.
    pub fn decode_into(
        &self,
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
        // What each stage may decode to: the chunk, as long as the stages before can have made it.
        let mut limits = [0; MAX_FILTERS];
        let mut limit = size;
        for position in self.active(filter_mask) {
            limits[position] = limit;
            limit = match &self.stages[position].codec {
                Bound::Ready(codec) => codec.max_encoded_size(limit),
                Bound::Unknown => return Err(unknown(&self.specs[position])),
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
            self.stages[position]
                .decode(from, shape, limits[position], to)
                .map_err(|why| self.failure(position, why))?;
            std::mem::swap(&mut input, &mut output);
            in_scratch = true;
        }
        check_size(out.len(), size)
    }

    /// Decodes one chunk. Where no codec was applied to it, its bytes are moved, not copied.
    ///
    /// # Errors
    /// Those of [`Pipeline::decode_into`].
    pub fn decode(&self, chunk: EncodedChunk, shape: ChunkShape, scratch: &mut Scratch) -> Result<Vec<u8>> {
        if self.first_active(chunk.filter_mask).is_none() {
            check_size(chunk.bytes.len(), self.size_of(shape)?)?;
            return Ok(chunk.bytes);
        }
        let mut out = Vec::new();
        self.decode_into(&chunk.bytes, chunk.filter_mask, shape, scratch, &mut out)?;
        Ok(out)
    }

    /// The positions of the codecs that are not masked.
    fn active(&self, mask: u32) -> impl DoubleEndedIterator<Item = usize> + use<> {
        (0..self.stages.len()).filter(move |position| mask >> position & 1 == 0)
    }

    fn first_active(&self, mask: u32) -> Option<usize> {
        self.active(mask).next()
    }

    /// The error of the codec at `position`.
    fn failure(&self, position: usize, why: String) -> Error {
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
            Bound::Unknown => Err("not known".to_owned()),
            Bound::Refused(why) => Err(why.clone()),
        }
    }

    fn decode(&self, input: &[u8], shape: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        match &self.codec {
            Bound::Ready(codec) => codec.decode(input, shape, limit, out),
            Bound::Unknown => Err("not known".to_owned()),
            Bound::Refused(why) => Err(why.clone()),
        }
    }
}

/// Equal where the specs and the chunks are: what they are bound to is not looked at.
impl PartialEq for Pipeline {
    fn eq(&self, other: &Self) -> bool {
        self.specs == other.specs && self.chunk == other.chunk
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

fn unknown(spec: &CodecSpec) -> Error {
    Error::UnknownFilter {
        codec: spec.to_string(),
    }
}

/// Checks that a chunk has as many bytes as it must.
///
/// # Errors
/// [`Error::Damaged`].
pub(crate) fn check_size(size: usize, expected: usize) -> Result<()> {
    if size == expected {
        return Ok(());
    }
    Err(Error::Damaged(format!(
        "the chunk has {size} bytes after decoding instead of {expected}"
    )))
}

#[cfg(test)]
mod tests;
