//! [`Reader`] over a hierarchy.

use std::io;
use std::sync::{Arc, OnceLock};

use super::super::chunk_key::Separator;
use super::super::keys::{CONSOLIDATED, below};
use super::array_metadata::ORDER_CODEC;
use super::elements::{Elements, fill_of};
use super::hierarchy;
use super::metadata_store::{MetadataStore, cannot_read};
use super::schema::{self, StoredArray};
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, fill_pattern};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, ChunkType, Pipeline, Registry, Scratch, SharedPipelines};
use crate::format::{EncodedChunk, Reader, Written, read_region};
use crate::model::{CodecSpec, Encoding, Schema, Values, VarId, VariableLayout, ZarrVersion};
use crate::store::{ByteRange, Done, FailedRequest, Get, KeyStore, Part, Requests};

/// Most bytes of a chunk of strings that are of different lengths, encoded or decoded.
const LARGEST_VLEN_CHUNK: usize = 256 << 20;

/// An open hierarchy.
pub struct ZarrReader {
    store: Arc<dyn KeyStore>,
    schema: Schema,
    layouts: Vec<VariableLayout>,
    arrays: Vec<StoredArray>,
    /// The chunks of each array that exist, once they were listed.
    stored: Vec<OnceLock<StoredChunks>>,
    pipelines: SharedPipelines,
}

/// The chunks of an array that exist.
struct StoredChunks {
    separator: Separator,
    /// Their numbers, ascending; `None` if the store cannot tell.
    numbers: Option<Vec<u64>>,
}

impl ZarrReader {
    /// Opens a hierarchy. With `prefer_consolidated`, its metadata comes from `.zmetadata` if there is one.
    ///
    /// # Errors
    /// Names the key that is damaged or missing.
    pub fn open(store: Arc<dyn KeyStore>, prefer_consolidated: bool, registry: &Registry) -> Result<Self> {
        let mut metadata = MetadataStore::open(Arc::clone(&store), prefer_consolidated)?;
        let hierarchy = hierarchy::read(&mut metadata)?;
        let mut built = schema::build(hierarchy)?;
        if let Some(key) = &metadata.differs {
            built.schema.warnings.push(format!(
                "{key} and its copy in {CONSOLIDATED} differ; {key} is used. Consolidate the dataset again"
            ));
        }
        if let Some(error) = &metadata.damaged {
            built
                .schema
                .warnings
                .push(format!("{CONSOLIDATED} is not used: {error}"));
        }
        Ok(Self {
            store,
            stored: built.arrays.iter().map(|_| OnceLock::new()).collect(),
            schema: built.schema,
            layouts: built.layouts,
            arrays: built.arrays,
            pipelines: SharedPipelines::new(registry.clone()),
        })
    }

    fn named(&self, var: VarId) -> impl Fn(Error) -> Error + '_ {
        move |e| e.in_variable(&self.schema.var_path(var))
    }

    fn grid(&self, var: VarId) -> Result<ChunkGrid> {
        let layout = &self.layouts[var.0];
        ChunkGrid::new(&layout.extent, layout.chunk_shape()).map_err(self.named(var))
    }

    /// The chunks of a variable that exist. The first call lists its keys.
    fn stored(&self, var: VarId) -> Result<&StoredChunks> {
        if let Some(stored) = self.stored[var.0].get() {
            return Ok(stored);
        }
        let found = self.list(var)?;
        Ok(self.stored[var.0].get_or_init(|| found))
    }

    fn list(&self, var: VarId) -> Result<StoredChunks> {
        let array = &self.arrays[var.0];
        let grid = self.grid(var)?;
        let prefix = match array.path.as_str() {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let keys = match self.store.list(&prefix) {
            Ok(keys) => keys,
            Err(e) if e.kind() == io::ErrorKind::Unsupported => {
                return Ok(StoredChunks {
                    separator: array.separator.unwrap_or(Separator::Dot),
                    numbers: None,
                });
            }
            Err(e) => return Err(self.named(var)(cannot_read(e))),
        };
        let numbers = |separator: Separator| -> Vec<u64> {
            let names = keys.iter().filter_map(|key| key.get(prefix.len()..));
            let mut numbers: Vec<u64> = names.filter_map(|name| separator.chunk(name, &grid)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let (separator, numbers) = match array.separator {
            Some(separator) => (separator, numbers(separator)),
            // Some writers put chunks into folders and do not say so.
            None => match numbers(Separator::Dot) {
                dotted if dotted.is_empty() => {
                    let nested = numbers(Separator::Slash);
                    let is_nested = !nested.is_empty();
                    (
                        if is_nested {
                            Separator::Slash
                        } else {
                            Separator::Dot
                        },
                        nested,
                    )
                }
                dotted => (Separator::Dot, dotted),
            },
        };
        Ok(StoredChunks {
            separator,
            numbers: Some(numbers),
        })
    }

    /// False if it is known that a chunk does not exist.
    fn may_be_stored(&self, var: VarId, chunk: u64) -> Result<bool> {
        let numbers = self.stored(var)?.numbers.as_ref();
        Ok(numbers.is_none_or(|numbers| numbers.binary_search(&chunk).is_ok()))
    }

    /// The request for a chunk. No more of its value is read than its codecs can have made.
    fn get(&self, var: VarId, chunk: u64, grid: &ChunkGrid, longest: usize) -> Result<Get> {
        let key = self.stored(var)?.separator.key(&grid.coordinates(chunk));
        Ok(Get {
            key: below(&self.arrays[var.0].path, &key),
            part: Part::Range(ByteRange {
                offset: 0,
                length: longest,
            }),
        })
    }

    /// Most bytes of an encoded chunk that are read.
    fn longest(&self, var: VarId) -> Result<usize> {
        if self.arrays[var.0].elements == Elements::Vlen {
            return Ok(LARGEST_VLEN_CHUNK);
        }
        // One byte more, so that a value which is too long is found.
        Ok(self.pipeline(var)?.max_encoded_size().saturating_add(1))
    }

    /// The elements of a region that are not stored as [`Values`] has them.
    fn read_converted(&self, var: VarId, region: &Region) -> Result<Values> {
        let (layout, array) = (&self.layouts[var.0], &self.arrays[var.0]);
        let size = self.schema.type_size(self.schema.var(var).ty);
        let too_large = || Error::Unsupported("a region larger than memory".into());
        let total = byte_count(&region.count, size).ok_or_else(too_large)?;
        let fill = fill_of(layout.fill.value.as_ref(), size);
        let mut out = Values {
            bytes: Vec::new(),
            heap: fill.heap,
        };
        crate::chunk::resize(&mut out.bytes, total)?;
        fill_pattern(&mut out.bytes, &fill.bytes);
        let Some(inside) = region.clip(&layout.extent).filter(|r| !r.is_empty()) else {
            return Ok(out);
        };
        let grid = self.grid(var)?;
        let pipeline = self.pipeline(var)?;
        let count = byte_count(layout.chunk_shape(), 1).ok_or_else(too_large)?;
        let mut scratch = Scratch::new();
        for index in grid.chunks_in(&inside) {
            let wrap = |e: Error| e.in_chunk(&grid.coordinates(index));
            let Some(chunk) = self.read_encoded_chunk(var, index).map_err(wrap)? else {
                continue;
            };
            let decoded = match array.elements {
                Elements::Vlen => self.decode_vlen(var, chunk.bytes).map_err(wrap)?,
                _ => pipeline
                    .decode(chunk, ChunkShape::Full, &mut scratch)
                    .map_err(wrap)?,
            };
            let mut elements = array
                .elements
                .convert(&decoded, count, &mut out.heap)
                .map_err(wrap)?;
            if array.elements == Elements::Vlen && is_order_f(layout) {
                elements = in_order_c(&elements, layout.chunk_shape(), size);
            }
            let own = grid.region(index);
            let Some(part) = own.intersect(&inside) else {
                continue;
            };
            copy_region(
                &elements,
                layout.chunk_shape(),
                &part.relative_to(&grid.origin(index)).start,
                &mut out.bytes,
                &region.count,
                &part.relative_to(&region.start).start,
                &part.count,
                size,
                1,
            )
            .map_err(wrap)?;
        }
        Ok(out)
    }

    /// Decodes a chunk whose decoded size is not known.
    fn decode_vlen(&self, var: VarId, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let registry = self.pipelines.registry();
        let untyped = ChunkType::of_bytes(0);
        let layout = &self.layouts[var.0];
        // The order of elements comes behind their lengths.
        let first = usize::from(is_order_f(layout));
        for spec in layout.filters.iter().skip(first).rev() {
            let failed = |why: String| Error::Filter {
                codec: spec.to_string(),
                why,
            };
            let codec = registry.find(spec).ok_or_else(|| Error::UnknownFilter {
                codec: spec.to_string(),
                searched: registry.searched(spec).unwrap_or_default(),
            })?;
            let bound = codec.bind(spec, &untyped).map_err(failed)?;
            let mut decoded = Vec::new();
            bound
                .decode(&bytes, ChunkShape::Full, LARGEST_VLEN_CHUNK, &mut decoded)
                .map_err(failed)?;
            bytes = decoded;
        }
        Ok(bytes)
    }
}

/// Makes a chunk of the bytes of a key. Only `part` of the value was read.
fn encoded(bytes: Vec<u8>, part: Part) -> Result<EncodedChunk> {
    if matches!(part, Part::Range(range) if bytes.len() >= range.length) {
        return Err(Error::Damaged("a chunk longer than its codecs make one".into()));
    }
    Ok(EncodedChunk {
        bytes,
        filter_mask: 0,
    })
}

/// True if the elements of chunks are in order F.
fn is_order_f(layout: &VariableLayout) -> bool {
    let first = layout.filters.first().and_then(CodecSpec::zarr_name);
    first == Some((ZarrVersion::V3, ORDER_CODEC))
}

/// Converts the elements of a chunk from order F to order C. Each has `size` bytes.
fn in_order_c(elements: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.len());
    let lengths: Vec<usize> = shape
        .iter()
        .map(|n| usize::try_from(*n).unwrap_or(usize::MAX))
        .collect();
    let mut at = vec![0; lengths.len()];
    for _ in 0..elements.len() / size {
        let place = at.iter().zip(&lengths).rev().fold(0usize, |place, (at, length)| {
            place.wrapping_mul(*length).wrapping_add(*at)
        });
        out.extend_from_slice(
            elements
                .get(place * size..)
                .and_then(|rest| rest.get(..size))
                .unwrap_or_default(),
        );
        for (at, length) in at.iter_mut().zip(&lengths).rev() {
            *at += 1;
            if *at < *length {
                break;
            }
            *at = 0;
        }
    }
    out
}

impl Reader for ZarrReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        let layout = &self.layouts[var.0];
        let ty = self.schema.var(var).ty;
        let mut chunk = ChunkType::new(&self.schema, ty, layout, layout.chunk_shape());
        if chunk.encoding == Encoding::Structured {
            // Every element has the same size, whatever it means.
            chunk.encoding = Encoding::Packed;
        }
        self.pipelines
            .bind(&layout.filters, &chunk)
            .map_err(self.named(var))
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let grid = self.grid(var)?;
        Ok(match &self.stored(var)?.numbers {
            Some(numbers) => Written::of_chunks(numbers.clone(), &grid),
            None => Written::All,
        })
    }

    fn requests(&self) -> Requests {
        self.store.requests()
    }

    fn read_encoded_chunk(&self, var: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
        if !self.may_be_stored(var, chunk)? {
            return Ok(None);
        }
        let get = self.get(var, chunk, &self.grid(var)?, self.longest(var)?)?;
        let found = self.store.get(&get.key, get.part);
        let found = found.map_err(|e| self.named(var)(cannot_read(e)))?;
        found
            .map(|bytes| encoded(bytes, get.part))
            .transpose()
            .map_err(self.named(var))
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let gets = || -> Result<(ChunkGrid, usize, Vec<Get>)> {
            let (grid, longest) = (self.grid(var)?, self.longest(var)?);
            let gets = chunks.iter().map(|chunk| self.get(var, *chunk, &grid, longest));
            let gets = gets.collect::<Result<_>>()?;
            Ok((grid, longest, gets))
        };
        let (grid, longest, gets) = match gets() {
            Ok(found) => found,
            Err(e) => return done(Err(e)),
        };
        let path = self.schema.var_path(var);
        let all = move |found: io::Result<Vec<Option<Vec<u8>>>>| {
            let named = |e: io::Error| {
                let (position, cause) = FailedRequest::split(e);
                let error = cannot_read(cause);
                match position.and_then(|at| chunks.get(at)) {
                    Some(chunk) => error.in_chunk(&grid.coordinates(*chunk)).in_variable(&path),
                    None => error.in_variable(&path),
                }
            };
            let part = Part::Range(ByteRange {
                offset: 0,
                length: longest,
            });
            done(found.map_err(named).and_then(|found| {
                let one = |(bytes, chunk): (Option<Vec<u8>>, &u64)| {
                    let read = bytes.map(|bytes| encoded(bytes, part)).transpose();
                    read.map_err(|e| e.in_chunk(&grid.coordinates(*chunk)).in_variable(&path))
                };
                found.into_iter().zip(&chunks).map(one).collect::<Result<_>>()
            }));
        };
        Arc::clone(&self.store).fetch(gets, Box::new(all));
    }

    fn read_range(&self, var: VarId, _: u64, _: &mut [u8]) -> Result<()> {
        Err(self.named(var)(Error::Internal("it has chunks".into())))
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        let read = match self.layouts[var.0].encoding {
            Encoding::Structured => self.read_converted(var, region),
            _ => read_region::read_region(self, var, region),
        };
        read.map_err(self.named(var))
    }
}
