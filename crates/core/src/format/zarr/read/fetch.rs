//! Many chunks of an array at once, for stores whose answers take long.
//!
//! ```text
//! chunks ─► places: keys, or ranges of shards ─► one fetch of the store ─► encoded chunks, in the order asked for
//! ```

use std::io;
use std::sync::Arc;

use super::metadata::metadata_store::cannot_read;
use super::reader::{ZarrReader, check_length, held};
use super::shards::shard_bytes::Bytes;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::format::{EncodedChunk, Fetcher, Reader, read_ranges};
use crate::model::VarId;
use crate::store::{ByteRange, Done, FailedRequest, Get, Requests};

impl Fetcher for ZarrReader {
    fn requests(&self) -> Requests {
        self.store.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let places = || -> Result<(ChunkGrid, Vec<Option<Bytes>>, Vec<Get>)> {
            let (grid, longest) = (self.grid(var)?, self.longest(var)?);
            if let Some(shards) = &self.shards[var.0] {
                shards.open_all(&self.store, &chunks).map_err(self.named(var))?;
            }
            let mut gets = Vec::new();
            let mut place = |chunk: &u64| -> Result<Option<Bytes>> {
                let place = self.find(var, *chunk)?;
                if let Some(place) = &place {
                    gets.extend(self.get(place, longest)?);
                }
                Ok(place)
            };
            let places = chunks.iter().map(|chunk| {
                let named = |e: Error| self.named(var)(e.in_chunk(&grid.coordinates(*chunk)));
                place(chunk).map_err(named)
            });
            let places = places.collect::<Result<_>>()?;
            Ok((grid, places, gets))
        };
        let (grid, places, gets) = match places() {
            Ok(found) => found,
            Err(e) => return done(Err(e)),
        };
        let path = self.schema.var_path(var);
        let asked = gets.clone();
        let all = move |found: io::Result<Vec<Option<Vec<u8>>>>| {
            let requested = || {
                let both = chunks.iter().zip(&places);
                both.filter(|(_, place)| matches!(place, Some(Bytes::Stored { .. })))
            };
            let named = |e: io::Error| {
                let (position, cause) = FailedRequest::split(e);
                let error = cannot_read(cause);
                match position.and_then(|at| requested().nth(at)) {
                    Some((chunk, _)) => error.in_chunk(&grid.coordinates(*chunk)).in_variable(&path),
                    None => error.in_variable(&path),
                }
            };
            done(found.map_err(named).and_then(|found| {
                let mut answers = found.into_iter().zip(&asked);
                let one = |(chunk, place): (&u64, &Option<Bytes>)| {
                    let Some(place) = place else { return Ok(None) };
                    if place.held().is_some() {
                        return Ok(Some(held(place)));
                    }
                    let Some((Some(bytes), get)) = answers.next() else {
                        return Ok(None);
                    };
                    let read = check_length(&bytes, place, get).map(|()| EncodedChunk {
                        bytes,
                        filter_mask: 0,
                    });
                    read.map(Some)
                        .map_err(|e| e.in_chunk(&grid.coordinates(*chunk)).in_variable(&path))
                };
                chunks.iter().zip(&places).map(one).collect::<Result<_>>()
            }));
        };
        Arc::clone(&self.store).fetch(gets, Box::new(all));
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
    }
}
