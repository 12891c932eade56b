//! Reading the test format.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, mpsc};

use ncutils_core::error::{Error, Result};
use ncutils_core::filter::{ChunkType, Pipeline, Registry, SharedPipelines};
use ncutils_core::format::{
    ChunkPlace, ChunkReader, EncodedChunk, Extensions, Fetcher, Reader, Region, Written, read_region,
};
use ncutils_core::model::{Schema, Values, VarId, VariableLayout};
use ncutils_core::store::{ByteRange, Done, Get, GetRange, KeyStore, Requests};

use super::metadata::{INDEX_ENTRY, METADATA, chunk_key, from_json, grids, in_shard, shard_key};

/// A dataset in a store of keys.
pub struct KeyReader {
    store: Arc<dyn KeyStore>,
    schema: Schema,
    layouts: Vec<VariableLayout>,
    pipelines: SharedPipelines,
    /// Where the stored chunks of each variable are, once that was asked for.
    places: Vec<OnceLock<BTreeMap<u64, Get>>>,
}

fn io(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}

impl KeyReader {
    pub fn open(store: Arc<dyn KeyStore>, registry: &Registry) -> Result<Self> {
        let text = store.get(METADATA, GetRange::Whole).map_err(io)?;
        let (schema, layouts) = from_json(&text.ok_or(Error::UnknownFormat)?)?;
        Ok(Self {
            store,
            places: layouts.iter().map(|_| OnceLock::new()).collect(),
            schema,
            layouts,
            pipelines: SharedPipelines::new(registry.clone()),
        })
    }

    fn places(&self, var: VarId) -> Result<&BTreeMap<u64, Get>> {
        if let Some(places) = self.places[var.0].get() {
            return Ok(places);
        }
        let found = self.find(var)?;
        Ok(self.places[var.0].get_or_init(|| found))
    }

    fn find(&self, var: VarId) -> Result<BTreeMap<u64, Get>> {
        let layout = &self.layouts[var.0];
        let (shards, chunks) = grids(layout)?;
        let listed = |folder: &str| -> Result<Vec<u64>> {
            let prefix = format!("{}/{folder}/", self.schema.var(var).name);
            let keys = self.store.list(&prefix).map_err(io)?;
            Ok(keys
                .iter()
                .filter_map(|key| key[prefix.len()..].parse().ok())
                .collect())
        };
        let Some(shards) = shards else {
            let named = |chunk| (chunk, Get::whole(chunk_key(&self.schema, var, chunk)));
            return Ok(listed("c")?.into_iter().map(named).collect());
        };
        // The index of a shard is its end: where each chunk of it begins, and how long it is.
        if chunks.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (.., index) = in_shard(layout, &shards, &chunks, 0)?;
        let there = listed("s")?;
        let gets = there.iter().map(|shard| Get {
            key: shard_key(&self.schema, var, *shard),
            part: GetRange::Suffix(index),
        });
        let (tell, told) = mpsc::channel();
        Arc::clone(&self.store).fetch(gets.collect(), Box::new(move |found| tell.send(found).unwrap()));
        let indexes = told.recv().unwrap().map_err(io)?;
        let by_shard: BTreeMap<u64, Vec<u8>> = there
            .into_iter()
            .zip(indexes)
            .filter_map(|(n, i)| Some((n, i?)))
            .collect();
        let mut places = BTreeMap::new();
        for chunk in 0..chunks.len() {
            let (shard, within, _) = in_shard(layout, &shards, &chunks, chunk)?;
            let Some(index) = by_shard.get(&shard) else {
                continue;
            };
            let number = |at: usize| {
                let at = within * INDEX_ENTRY + at;
                index
                    .get(at..at + 8)
                    .map(|b| u64::from_le_bytes(b.try_into().unwrap()))
            };
            let (Some(offset), Some(length)) = (number(0), number(8)) else {
                return Err(Error::Damaged(format!("the index of shard {shard} is too short")));
            };
            if offset != u64::MAX {
                let part = GetRange::Range(ByteRange {
                    offset,
                    length: length as usize,
                });
                places.insert(
                    chunk,
                    Get {
                        key: shard_key(&self.schema, var, shard),
                        part,
                    },
                );
            }
        }
        Ok(places)
    }
}

fn chunk(bytes: Vec<u8>) -> EncodedChunk {
    EncodedChunk {
        bytes,
        filter_mask: 0,
    }
}

impl Reader for KeyReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let (_, chunks) = grids(&self.layouts[var.0])?;
        Ok(Written::of_chunks(
            self.places(var)?.keys().copied().collect(),
            &chunks,
        ))
    }

    fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
        Err(Error::Internal("every variable has chunks".into()))
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        read_region::read_region(self, var, region).map_err(|e| e.in_variable(&self.schema.var_path(var)))
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            fetch: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChunkReader for KeyReader {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        let layout = &self.layouts[var.0];
        let ty = self.schema.var(var).ty;
        let chunk = ChunkType::new(&self.schema, ty, layout, layout.chunk_shape());
        self.pipelines.bind(&layout.filters, &chunk)
    }

    fn stored_size(&self, _: VarId, _: u64) -> Option<u64> {
        None
    }

    fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
        None
    }

    fn read_encoded_chunk_into(&self, var: VarId, number: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        let Some(get) = self.places(var)?.get(&number) else {
            return Ok(None);
        };
        Ok(self.store.get(&get.key, get.part).map_err(io)?.map(|found| {
            *bytes = found;
            0
        }))
    }
}

impl Fetcher for KeyReader {
    fn requests(&self) -> Requests {
        self.store.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let places = match self.places(var) {
            Ok(places) => places,
            Err(e) => return done(Err(e)),
        };
        let is_there: Vec<bool> = chunks.iter().map(|n| places.contains_key(n)).collect();
        let gets = chunks.iter().filter_map(|n| places.get(n).cloned()).collect();
        let all = move |found: std::io::Result<Vec<Option<Vec<u8>>>>| {
            done(found.map_err(io).map(|found| {
                let mut found = found.into_iter();
                let one = |there: bool| if there { found.next()?.map(chunk) } else { None };
                is_there.into_iter().map(one).collect()
            }));
        };
        Arc::clone(&self.store).fetch(gets, Box::new(all));
    }

    fn fetch_ranges(&self, _: VarId, _: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        done(Err(Error::Internal("every variable has chunks".into())));
    }
}
