//! The division of a shard into chunks.

use super::element_count;
use crate::error::{Error, Result};

/// Number of chunks in each dimension of a shard. `shard` and `chunk` are the shapes of a shard and of a chunk, in
/// elements.
///
/// # Errors
/// If the ranks differ, a length is 0, a shard does not hold whole chunks, or their number overflows.
pub fn chunks_of_shard(shard: &[u64], chunk: &[u64]) -> Result<Vec<u64>> {
    if shard.len() != chunk.len() {
        return Err(Error::Damaged(format!(
            "shards of {} dimensions, with chunks of {}",
            shard.len(),
            chunk.len()
        )));
    }
    let count = |(shard, chunk): (&u64, &u64)| match shard.checked_rem(*chunk) {
        Some(0) if *shard > 0 => Ok(shard / chunk),
        _ => Err(Error::Damaged(format!(
            "a shard of length {shard} does not hold whole chunks of length {chunk}"
        ))),
    };
    let counts = shard.iter().zip(chunk).map(count).collect::<Result<Vec<_>>>()?;
    match element_count(&counts) {
        Some(_) => Ok(counts),
        None => Err(Error::Damaged(
            "more chunks in a shard than can be counted".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_hold_whole_chunks() {
        assert_eq!(chunks_of_shard(&[6, 4], &[2, 4]).unwrap(), [3, 1]);
        assert!(chunks_of_shard(&[], &[]).unwrap().is_empty());
        let huge = [1u64 << 40; 2];
        for (shard, chunk) in [
            (&[2, 4][..], &[4, 4][..]),
            (&[5, 4], &[2, 4]),
            (&[0, 4], &[2, 4]),
            (&[2, 4], &[0, 4]),
            (&[2], &[2, 4]),
            (&huge, &[1, 1]),
        ] {
            assert!(chunks_of_shard(shard, chunk).is_err(), "{shard:?} {chunk:?}");
        }
    }
}
