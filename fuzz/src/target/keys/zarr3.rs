//! Fuzzes version 3 of Zarr: documents, and shards. An input is a [list of keys](super::key_list). What opens is read,
//! printed, and copied to netCDF-4 and to version 3.
//!
//! A damaged index is refused by its checksum. So the target `shard` mends the checksums of all indexes first, from what the
//! documents of the input say of them.

use std::fs;
use std::path::Path;

use ncutils_core::filter::{ChunkShape, ChunkType, Registry, Scratch};
use ncutils_core::format::zarr::json::Json;
use ncutils_core::model::{CodecSpec, Configuration, ZarrVersion};

use super::super::files::copy::{copy_to_netcdf4, copy_to_zarr3, is_small};
use super::super::files::dataset::read_reader;
use super::key_list::{hierarchies, store, values};
use super::zarr::{check_document, open};
use crate::Seed;

/// Most chunks of a shard whose index is mended.
const MOST_CHUNKS: u64 = 4096;

/// Deepest shards whose index is mended.
const DEEPEST: usize = 8;

/// Bytes of an entry of an index, and of its checksum.
const ENTRY: usize = 16;
const CHECKSUM: usize = 4;

/// Reads and copies the hierarchy, as it is.
pub fn documents(input: &[u8]) {
    for (_, value) in values(input) {
        check_document(value);
    }
    use_all(input.last().copied(), values(input));
}

/// Reads and copies the hierarchy with right checksums of all indexes.
pub fn shards(input: &[u8]) {
    use_all(input.last().copied(), mended(input));
}

/// The keys of an input, with right checksums of all indexes.
fn mended(input: &[u8]) -> Vec<(&str, Vec<u8>)> {
    let mut all: Vec<(&str, Vec<u8>)> = values(input).map(|(key, value)| (key, value.to_vec())).collect();
    let documents: Vec<(String, Json)> = values(input)
        .filter_map(|(key, value)| {
            Some((
                key.strip_suffix("zarr.json")?.to_owned(),
                Json::parse(value).ok()?,
            ))
        })
        .collect();
    for (folder, document) in &documents {
        let shape = document.get("chunk_grid").and_then(shape_of);
        let (Some(shape), Some(codecs)) = (shape, document.get("codecs")) else {
            continue;
        };
        let below = |key: &str| {
            key.strip_prefix(&**folder)
                .is_some_and(|rest| rest.starts_with("c/"))
        };
        for (_, value) in all.iter_mut().filter(|(key, _)| below(key)) {
            mend(value, &shape, codecs, 0);
        }
    }
    all
}

/// The member `chunk_shape` of an extension's configuration.
fn shape_of(extension: &Json) -> Option<Vec<u64>> {
    let shape = extension.get("configuration")?.get("chunk_shape")?;
    shape.as_array()?.iter().map(Json::as_u64).collect()
}

/// Mends the index of a shard, and before it those of the shards in it.
fn mend(shard: &mut [u8], shape: &[u64], codecs: &Json, depth: usize) -> Option<()> {
    let mut codecs = codecs.as_array()?.iter();
    let sharding =
        codecs.find(|codec| codec.get("name").and_then(Json::as_str) == Some("sharding_indexed"))?;
    let configuration = sharding.get("configuration")?;
    let inner = shape_of(sharding)?;
    // A transposition before the shards changes the order of dimensions, and not the product of their lengths.
    let product = |shape: &[u64]| shape.iter().try_fold(1u64, |product, n| product.checked_mul(*n));
    let chunks = product(shape)?.checked_div(product(&inner)?)?;
    let size = usize::try_from(chunks).ok().filter(|_| chunks <= MOST_CHUNKS)? * ENTRY;
    let is_first = configuration.get("index_location").and_then(Json::as_str) == Some("start");
    let from = match is_first {
        true => 0,
        false => shard.len().checked_sub(size + CHECKSUM)?,
    };
    let index = shard.get(from..from + size)?.to_vec();
    if depth < DEEPEST
        && let Some(codecs) = configuration.get("codecs")
    {
        for entry in index.chunks_exact(ENTRY) {
            let number = |at: usize| entry[at..at + 8].try_into().map(u64::from_le_bytes).ok();
            let from = usize::try_from(number(0)?).unwrap_or(usize::MAX);
            let end = from.saturating_add(usize::try_from(number(8)?).unwrap_or(usize::MAX));
            if let Some(chunk) = shard.get_mut(from..end) {
                mend(chunk, &inner, codecs, depth + 1);
            }
        }
    }
    let last = configuration.get("index_codecs")?.as_array()?.last()?;
    if last.get("name").and_then(Json::as_str) != Some("crc32c") {
        return None;
    }
    let index = shard.get(from..from + size)?.to_vec();
    let checksum = CodecSpec::zarr(ZarrVersion::V3, "crc32c", Configuration::new());
    let pipeline = Registry::builtin()
        .bind(&[checksum], &ChunkType::of_bytes(size))
        .ok()?;
    let encoded = pipeline
        .encode(&index, ChunkShape::Full, &mut Scratch::new())
        .ok()?;
    let sum = shard.get_mut(from + size..from + size + CHECKSUM)?;
    sum.copy_from_slice(encoded.bytes.get(size..)?);
    Some(())
}

/// Reads and copies a hierarchy. `choice` selects the options.
fn use_all<'a, V: AsRef<[u8]>>(choice: Option<u8>, values: impl IntoIterator<Item = (&'a str, V)>) {
    let Some(reader) = store(values).and_then(open) else {
        return;
    };
    read_reader(&*reader);
    if !is_small(&*reader) {
        return;
    }
    let choice = choice.unwrap_or(0);
    copy_to_netcdf4(&*reader, choice);
    copy_to_zarr3(&*reader, choice);
}

/// The hierarchies in `testdata/zarr3`.
pub fn seeds(root: &Path) -> Vec<Seed> {
    hierarchies(&root.join("testdata/zarr3"), &["zarr.json"], 1)
}

/// The arrays with shards, each as a hierarchy of its own.
pub fn shard_seeds(root: &Path) -> Vec<Seed> {
    let folders = ["shards", "nested", "fields"].map(|name| root.join("testdata/zarr3").join(name));
    let arrays = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut arrays: Vec<_> = arrays
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    arrays.sort_unstable();
    arrays
        .iter()
        .flat_map(|array| hierarchies(array, &["zarr.json"], 0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_mended() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut changed = 0;
        for seed in shard_seeds(&root) {
            let right: Vec<_> = values(&seed.bytes)
                .map(|(key, value)| (key, value.to_vec()))
                .collect();
            assert_eq!(mended(&seed.bytes), right);
            // The last byte of an index at the end is that of its checksum.
            let mut damaged = seed.bytes.clone();
            let at = damaged.windows(6).position(|six| six == b"%% c/0").unwrap_or(0);
            let next = damaged[at + 1..].windows(4).position(|four| four == b"\n%% ");
            let end = next.map_or(damaged.len() - 2, |next| at + next);
            damaged[end] ^= 1;
            changed += usize::from(mended(&damaged) == right);
        }
        assert!(changed >= 4, "{changed}");
    }
}
