//! Chunks that are asked of a slow store before they are needed.

use std::sync::mpsc::{self, Receiver};
use std::vec::IntoIter;

use super::side::Side;
use crate::error::Result;
use crate::format::EncodedChunk;

/// Most chunks of one request.
pub(super) const MOST_CHUNKS: usize = 256;

/// Chunks of a variable that are on their way.
pub(super) struct Fetching(Option<Receiver<Result<Vec<Option<EncodedChunk>>>>>);

impl Fetching {
    /// Asks a slow store for chunks. A fast one is asked for nothing.
    pub(super) fn begin((reader, var): Side<'_>, chunks: &[u64]) -> Self {
        if !reader.requests().ahead {
            return Self(None);
        }
        let (tell, told) = mpsc::channel();
        let done = move |found| {
            // Fails only if nobody waits any more.
            let _ = tell.send(found);
        };
        reader.fetch_chunks(var, chunks.to_vec(), Box::new(done));
        Self(Some(told))
    }

    /// Waits for the chunks. There are none if the store is fast, or the request failed.
    pub(super) fn wait(self) -> Fetched {
        let found = self.0.and_then(|told| told.recv().ok()?.ok());
        Fetched(found.unwrap_or_default().into_iter())
    }
}

/// Chunks that have come, in the order of the request.
pub(super) struct Fetched(IntoIter<Option<EncodedChunk>>);

impl Fetched {
    /// Puts the next chunk into `bytes`, and returns its filter mask. After a failed request, each chunk is read by itself.
    ///
    /// # Errors
    /// If the chunk cannot be read.
    pub(super) fn next_into(
        &mut self,
        (reader, var): Side<'_>,
        chunk: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<u32>> {
        match self.0.next() {
            None => reader.read_encoded_chunk_into(var, chunk, bytes),
            Some(found) => Ok(found.map(|data| {
                *bytes = data.bytes;
                data.filter_mask
            })),
        }
    }

    /// Passes over the next chunk.
    pub(super) fn skip(&mut self) {
        self.0.next();
    }
}
