//! Measures the codecs alone, whose speed limits a copy.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use ncutils_core::filter::{AskedCodec, ChunkShape, ChunkType, Registry, Scratch};
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::VarId;

/// Time that `threads` threads need for only the codecs' work of copying the first variable of `input`: decoding its
/// chunks, which are in memory, and encoding them with the filters `encode` (ids and parameters).
pub fn time(input: &Path, encode: &[(u32, &[u32])], threads: usize) -> Result<Duration> {
    let reader = Location::parse(input)?.open()?;
    let var = VarId(0);
    let layout = reader.layout(var);
    let decoder = reader.pipeline(var)?;
    let chunks = encoded_chunks(&*reader, var)?;
    let requested: Vec<_> = encode.iter().map(|(id, p)| AskedCodec::id(*id, *p)).collect();
    let chunk = ChunkType::new(
        reader.schema(),
        reader.schema().var(var).ty,
        layout,
        layout.chunk_shape(),
    );
    let registry = Registry::builtin();
    let encoder = registry.bind(&registry.new_pipeline(&requested, &chunk)?, &chunk)?;
    let next = AtomicU64::new(0);
    let begun = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    let mut scratch = Scratch::new();
                    let mut values = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed) as usize;
                        let Some(chunk) = chunks.get(at) else {
                            return Ok(());
                        };
                        let plain = decoder.is_empty();
                        if !plain {
                            let (bytes, mask) = (&chunk.bytes, chunk.filter_mask);
                            let full = ChunkShape::Full;
                            decoder.decode_into(bytes, mask, full, &mut scratch, &mut values)?;
                        }
                        if !encoder.is_empty() {
                            let values = if plain { &chunk.bytes } else { &values };
                            encoder.encode(values, ChunkShape::Full, &mut scratch)?;
                        }
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a codec does not panic"))
    })?;
    Ok(begun.elapsed())
}

fn encoded_chunks(reader: &dyn Reader, var: VarId) -> Result<Vec<ncutils_core::format::EncodedChunk>> {
    let mut chunks = Vec::new();
    let layout = reader.layout(var);
    let grid = ncutils_core::chunk::ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
    for index in reader.written(var)?.chunks(&grid) {
        chunks.extend(reader.read_encoded_chunk(var, index)?);
    }
    Ok(chunks)
}
