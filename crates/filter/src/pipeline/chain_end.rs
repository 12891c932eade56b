//! [`ChainEnd`]: two chains of codecs that make the same streams but for their outer ends, which is where encoding ends.
//!
//! ```text
//! input    shuffle ─► numcodecs.zlib 5 ─► crc32c
//! output   shuffle ─► gzip 5                        same │ rewrap zlib as gzip │ take crc32c off
//! ```
//!
//! A chunk is changed at the end alone: checksums are verified and taken off, or added, and zlib and gzip of one level are
//! put in each other's place. The rest of the chain is neither decoded nor encoded.

use std::fmt;
use std::sync::Arc;

use crate::codec::codec::BoundCodec;
use crate::pipeline::pipeline::check_size;
use crate::{ChunkShape, ChunkType, DeflateWrapper, Registry};
use ncutils_model::CodecSpec;
use ncutils_model::error::{Error, Result};

/// How chunks of one chain become chunks of another that differs at its outer end. Made once a variable; used from many
/// threads at once.
pub struct ChainEnd {
    /// Checksums to verify and take off, the outermost first.
    removed: Vec<Checksum>,
    rewrap: Option<Rewrap>,
    /// True if HDF5's plugins decode what is left then.
    check: Option<fn(&[u8]) -> bool>,
    /// Checksums to add, the innermost first.
    added: Vec<Checksum>,
    /// True if what is left of a chunk without the removed checksums is not encoded.
    is_bare: bool,
}

struct Checksum {
    /// For messages.
    name: String,
    codec: Box<dyn BoundCodec>,
}

struct Rewrap {
    /// For messages.
    name: String,
    from: DeflateWrapper,
    to: DeflateWrapper,
    /// Most bytes of the content.
    limit: usize,
}

impl ChainEnd {
    /// Compares the chain `from` with the chain `to`, both for chunks of type `chunk`. `None` if they differ in more than
    /// their ends.
    pub fn between(
        registry: &Registry,
        from: &[CodecSpec],
        to: &[CodecSpec],
        chunk: &ChunkType,
    ) -> Option<Self> {
        let mut types = registry.begin(chunk);
        let mut same = 0;
        while let (Some(a), Some(b)) = (from.get(same), to.get(same))
            && (registry.same_stream(a, b, types.given()) || serves(registry, a, b))
        {
            types.pass(a);
            same += 1;
        }
        let checksums = |specs: &[CodecSpec]| -> Option<Vec<Checksum>> {
            specs.iter().map(|spec| checksum(registry, spec, chunk)).collect()
        };
        let given = types.given();
        let wrapper = |specs: &[CodecSpec]| {
            let spec = specs.get(same)?;
            registry.find(spec)?.facts().deflate_wrapper?(spec, given)
        };
        if let (Some((a, level)), Some((b, other))) = (wrapper(from), wrapper(to)) {
            if a == b || level != other {
                return None;
            }
            let mut removed = checksums(&from[same + 1..])?;
            removed.reverse();
            return Some(Self {
                removed,
                rewrap: Some(Rewrap {
                    name: from[same].to_string(),
                    from: a,
                    to: b,
                    limit: registry.bind(&from[..same], chunk).ok()?.max_encoded_size(),
                }),
                check: None,
                added: checksums(&to[same + 1..])?,
                is_bare: false,
            });
        }
        // The codec whose streams HDF5's plugins may not decode is below the checksums.
        let is_checksum = |spec| registry.find(spec).is_some_and(|codec| codec.facts().is_checksum);
        let inner = from[..same]
            .iter()
            .rposition(|spec| !is_checksum(spec))
            .map_or(0, |at| at + 1);
        let mut check = None;
        if let (Some(a), Some(b)) = (from[..inner].last(), to[..inner].last())
            && a.hdf5_id().is_none()
            && b.hdf5_id().is_some()
        {
            check = registry.find(a).and_then(|codec| codec.facts().hdf5_check);
        }
        let kept = if check.is_some() { inner } else { same };
        let mut removed = checksums(&from[kept..])?;
        removed.reverse();
        Some(Self {
            removed,
            rewrap: None,
            check,
            added: checksums(&to[kept..])?,
            is_bare: kept == 0,
        })
    }

    /// No change: chunks pass as they are.
    pub fn unchanged() -> Self {
        Self {
            removed: Vec::new(),
            rewrap: None,
            check: None,
            added: Vec::new(),
            is_bare: false,
        }
    }

    /// True if chunks pass as they are.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.rewrap.is_none() && self.check.is_none() && self.added.is_empty()
    }

    /// True if a damaged chunk is an error of [`ChainEnd::apply`]: a checksum of all its bytes is taken off, or its content is
    /// inflated.
    pub fn verifies(&self) -> bool {
        !self.removed.is_empty() || self.rewrap.is_some()
    }

    /// Changes an encoded chunk of `size` decoded bytes that skipped no codec. `None` if it must be decoded and encoded: it is
    /// more than one gzip member, say.
    ///
    /// # Errors
    /// [`Error::Filter`] for a checksum that does not fit, and for a damaged deflate stream. [`Error::Damaged`] for a chunk of
    /// another size, if nothing else encodes it.
    pub fn apply(&self, chunk: &[u8], size: usize) -> Result<Option<Vec<u8>>> {
        let mut changed: Option<Vec<u8>> = None;
        for checksum in &self.removed {
            let input = changed.as_deref().unwrap_or(chunk);
            let mut out = Vec::new();
            checksum
                .codec
                .decode(input, ChunkShape::Full, usize::MAX, &mut out)
                .map_err(|why| checksum.failure(why))?;
            changed = Some(out);
        }
        if self.is_bare {
            check_size(changed.as_deref().unwrap_or(chunk).len(), size)?;
        }
        if let Some(rewrap) = &self.rewrap {
            let input = changed.as_deref().unwrap_or(chunk);
            let made = rewrap
                .from
                .replace(input, rewrap.to, rewrap.limit)
                .map_err(|why| Error::Filter {
                    codec: rewrap.name.clone(),
                    why,
                })?;
            match made {
                Some(made) => changed = Some(made),
                None => return Ok(None),
            }
        }
        if let Some(check) = self.check
            && !check(changed.as_deref().unwrap_or(chunk))
        {
            return Ok(None);
        }
        for checksum in &self.added {
            let input = changed.as_deref().unwrap_or(chunk);
            let mut out = Vec::new();
            checksum
                .codec
                .encode(input, ChunkShape::Full, &mut out)
                .map_err(|why| checksum.failure(why))?;
            changed = Some(out);
        }
        Ok(Some(changed.unwrap_or_else(|| chunk.to_vec())))
    }
}

impl Checksum {
    fn failure(&self, why: String) -> Error {
        Error::Filter {
            codec: self.name.clone(),
            why,
        }
    }
}

/// True if streams of `from` can stay where `to` is told.
fn serves(registry: &Registry, from: &CodecSpec, to: &CodecSpec) -> bool {
    match (registry.find(from), registry.find(to)) {
        (Some(codec), Some(other)) if Arc::ptr_eq(codec, other) => {
            codec.facts().serves.is_some_and(|serves| serves(from, to))
        }
        _ => false,
    }
}

/// A checksum that any bytes can get; `None` if `spec` is no checksum.
fn checksum(registry: &Registry, spec: &CodecSpec, chunk: &ChunkType) -> Option<Checksum> {
    let codec = registry.find(spec).filter(|codec| codec.facts().is_checksum)?;
    Some(Checksum {
        name: spec.to_string(),
        codec: codec.bind(spec, chunk).ok()?,
    })
}

impl fmt::Debug for ChainEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |checksums: &[Checksum]| checksums.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        f.debug_struct("ChainEnd")
            .field("removed", &names(&self.removed))
            .field("rewrap", &self.rewrap.as_ref().map(|rewrap| rewrap.to))
            .field("checks", &self.check.is_some())
            .field("added", &names(&self.added))
            .finish()
    }
}

#[cfg(test)]
mod tests;
