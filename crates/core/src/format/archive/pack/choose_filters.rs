//! Chooses the filters of streams by samples of their data.
//!
//! Samples lie at fixed places, so the choice depends on the file alone.

use crate::chunk::resize;
use crate::error::Result;
use crate::format::archive::structure::filter::{Filter, Filters, Scratch};
use crate::format::archive::structure::read::read_at;
use crate::format::archive::structure::streams::{Stream, Streams};
use crate::store::Object;
use crate::threads::try_map;

/// Bytes of one sample.
const SAMPLE: u64 = 64 << 10;

/// Samples of a stream.
const SAMPLES: u64 = 3;

/// Slabs below this size, in bytes, are sampled with all others of their records.
const SMALL_SLAB: u64 = 16 << 10;

/// Most bytes of records that are read for one sample of all small slabs.
const SPAN: u64 = 4 << 20;

/// The level of Zstandard in what is chosen.
pub(crate) const LEVEL: i16 = 3;

/// The pipelines that are tried on elements of a size, the simplest first.
fn candidates(element: u32) -> Vec<Filters> {
    use Filter::{Bitshuffle, Delta, Shuffle, Zstd};
    let plain = vec![Zstd(LEVEL)];
    let all = match element {
        1 => vec![plain, vec![Delta, Bitshuffle, Zstd(LEVEL)]],
        _ => vec![
            plain,
            vec![Shuffle, Zstd(LEVEL)],
            vec![Delta, Shuffle, Zstd(LEVEL)],
            vec![Delta, Bitshuffle, Zstd(LEVEL)],
        ],
    };
    all.into_iter().map(Filters::new).collect()
}

/// Sets the filters of the streams that `open` names. The streams' places are final.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn choose(
    source: &dyn Object,
    streams: &mut Streams,
    open: &[usize],
    threads: usize,
) -> Result<()> {
    let small = small_slabs(source, streams, open)?;
    let of: &Streams = streams;
    let chosen = try_map(threads, 1, open, |n| {
        let samples = match small.iter().find(|(stream, _)| stream == n) {
            Some((_, samples)) => samples.clone(),
            None => samples(source, of, *n)?,
        };
        best(&of.list[*n], &samples, &mut Scratch::default())
    })?;
    for (n, filters) in open.iter().zip(chosen) {
        streams.list[*n].filters = filters;
    }
    Ok(())
}

/// The filters that make the samples smallest. One more filter must gain one part in a hundred.
fn best(stream: &Stream, samples: &[Vec<u8>], scratch: &mut Scratch) -> Result<Filters> {
    let element = stream.element as usize;
    let mut best: Option<(usize, Filters)> = None;
    for filters in candidates(stream.element) {
        let mut size = 0;
        for sample in samples {
            size += filters.encode(element, sample, scratch)?.0.len();
        }
        if best.as_ref().is_none_or(|(least, _)| size < least - least / 100) {
            best = Some((size, filters));
        }
    }
    Ok(best.map(|(_, filters)| filters).unwrap_or_default())
}

/// Samples of one stream: the beginnings of blocks, or of the slabs of records.
fn samples(source: &dyn Object, streams: &Streams, n: usize) -> Result<Vec<Vec<u8>>> {
    let stream = &streams.list[n];
    let length = stream.length();
    let element = u64::from(stream.element);
    let unit = match stream.is_gathered() {
        true => stream.slab,
        false => u64::from(stream.block).min(SAMPLE) / element * element,
    };
    if length == 0 {
        return Ok(Vec::new());
    }
    let unit = unit.max(element);
    let mut samples = Vec::new();
    let mut last = None;
    for start in starts(length.div_ceil(unit)) {
        if last == Some(start) {
            continue;
        }
        last = Some(start);
        let mut sample = Vec::new();
        let mut linear = start * unit;
        let end = (linear + SAMPLE.min(unit.max(SAMPLE / element * element))).min(length);
        while linear < end {
            let Some((at, there)) = streams.place(n, linear, end - linear) else {
                break;
            };
            let old = sample.len();
            resize(&mut sample, old + there as usize)?;
            read_at(source, at, &mut sample[old..])?;
            linear += there;
            // The rest may have very small pieces.
            if there < 256 && sample.len() as u64 > SAMPLE / 16 {
                break;
            }
        }
        sample.truncate(sample.len() / element as usize * element as usize);
        samples.push(sample);
    }
    Ok(samples)
}

/// The numbers of [`SAMPLES`] of `count` units, in the middle of equal parts.
fn starts(count: u64) -> impl Iterator<Item = u64> {
    (0..SAMPLES).map(move |n| {
        ((2 * n + 1) * (count / (2 * SAMPLES)) + (2 * n + 1) * (count % (2 * SAMPLES)) / (2 * SAMPLES))
            .min(count.saturating_sub(1))
    })
}

/// Samples of all streams whose slabs are small, from the same records.
fn small_slabs(source: &dyn Object, streams: &Streams, open: &[usize]) -> Result<Vec<(usize, Vec<Vec<u8>>)>> {
    let is_small = |n: &&usize| {
        let stream = &streams.list[**n];
        stream.is_gathered() && stream.slab < SMALL_SLAB
    };
    let mut small: Vec<(usize, Vec<Vec<u8>>)> =
        open.iter().filter(is_small).map(|n| (*n, Vec::new())).collect();
    let (Some(records), Some(least)) = (
        streams.records(),
        small.iter().map(|(n, _)| streams.list[*n].slab).min(),
    ) else {
        return Ok(small);
    };
    let all = small.first().map_or(0, |(n, _)| streams.list[*n].count);
    let at_once = (SAMPLE / least.max(1))
        .min(SPAN / streams.stride)
        .clamp(1, all.max(1));
    let mut last = None;
    for start in starts(all.div_ceil(at_once)) {
        if last == Some(start) {
            continue;
        }
        last = Some(start);
        let first = start * at_once;
        let count = at_once.min(all - first);
        let begin = records.begin + first * streams.stride;
        let length = (count * streams.stride).min(records.end - begin);
        let whole = length <= SPAN;
        let mut span = Vec::new();
        if whole {
            resize(&mut span, length as usize)?;
            read_at(source, begin, &mut span)?;
        }
        for (n, samples) in &mut small {
            let stream = &streams.list[*n];
            let offset = stream.begin - records.begin;
            let mut sample = Vec::new();
            for record in 0..count.min((SAMPLE / stream.slab).max(1)) {
                let at = record * streams.stride + offset;
                let old = sample.len();
                resize(&mut sample, old + stream.slab as usize)?;
                match span.get(at as usize..(at + stream.slab) as usize) {
                    Some(slab) => sample[old..].copy_from_slice(slab),
                    None => read_at(source, begin + at, &mut sample[old..])?,
                }
            }
            samples.push(sample);
        }
    }
    Ok(small)
}
