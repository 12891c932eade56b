//! [`Manifest`]: the chunks of arrays. Only what is looked up is decoded.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::time::{Duration, SystemTime};

use zstd::bulk::Decompressor;

use super::flatbuffer_reader::{CopyLimit, Table, Vector, Wrong};
use super::id::ObjectId;
use super::keys;
use crate::references::{ObjectVersion, Reference, StoredRange};

/// Most bytes of the name of an object.
const LONGEST: usize = 64 << 10;

/// The reference of a chunk, as a manifest has it.
#[derive(Debug)]
pub enum ChunkReference<'m> {
    /// The chunk stands in the manifest.
    Inline(&'m [u8]),
    /// The chunk is a range of an object.
    Stored {
        /// The key of a chunk of the repository, or the location of an object elsewhere.
        object: Cow<'m, str>,
        /// Position and number of bytes.
        range: (u64, u64),
        /// What tells whether the object was changed since.
        version: Option<ObjectVersion>,
    },
}

impl From<ChunkReference<'_>> for Reference {
    fn from(found: ChunkReference<'_>) -> Self {
        match found {
            ChunkReference::Inline(value) => Self::Inline(value.to_vec()),
            ChunkReference::Stored {
                object,
                range,
                version,
            } => Self::Stored(StoredRange {
                object: object.into(),
                range: Some(range),
                version,
            }),
        }
    }
}

/// What is wanted of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Their positions.
    Positions,
    /// Their references, of which the caller keeps no copy.
    References,
    /// Their references, all of which the caller keeps.
    Copies,
}

/// The chunks of arrays.
#[derive(Debug)]
pub struct Manifest {
    buffer: Vec<u8>,
}

impl Manifest {
    /// The chunks that a flatbuffer has.
    pub fn new(buffer: Vec<u8>) -> Self {
        Self { buffer }
    }

    /// Bytes in memory.
    pub fn cost(&self) -> usize {
        self.buffer.len()
    }

    /// The nodes that have chunks here.
    ///
    /// # Errors
    /// What is damaged.
    pub fn nodes(&self) -> Result<Vec<[u8; 8]>, Wrong> {
        let arrays = Table::root(&self.buffer)?
            .vector(1, 4)?
            .ok_or("it has no arrays")?;
        let id = |array: Result<Table<'_>, Wrong>| {
            array?
                .plain(0)?
                .ok_or_else(|| "an array without an id".to_owned())
        };
        arrays.tables().map(id).collect()
    }

    /// What is told of a node.
    fn array(&self, node: &[u8; 8]) -> Result<Option<Table<'_>>, Wrong> {
        let arrays = Table::root(&self.buffer)?
            .vector(1, 4)?
            .ok_or("it has no arrays")?;
        search(arrays, |array| {
            let id: [u8; 8] = array.plain(0)?.ok_or("an array without an id")?;
            Ok(id.cmp(node))
        })
    }

    /// The chunks of a node, ascending.
    fn refs(&self, node: &[u8; 8]) -> Result<Option<Vector<'_>>, Wrong> {
        match self.array(node)? {
            Some(array) => array.vector(1, 4),
            None => Ok(None),
        }
    }

    /// The reference of a chunk; `None` if it is not here.
    ///
    /// # Errors
    /// What is damaged.
    pub fn find(&self, node: &[u8; 8], chunk: &[u32]) -> Result<Option<ChunkReference<'_>>, Wrong> {
        let Some(refs) = self.refs(node)? else {
            return Ok(None);
        };
        let found = search(refs, |found| Ok(position(found)?.cmp(chunk.iter().copied())))?;
        found.map(|found| self.reference(found, &mut None)).transpose()
    }

    /// Gives the position of each chunk of a node to `each`, and its reference unless positions are wanted, as long as `each` returns true.
    ///
    /// # Errors
    /// What is damaged.
    pub fn chunks<'m>(
        &'m self,
        node: &[u8; 8],
        wanted: Wanted,
        mut each: impl FnMut(&[u32], Option<ChunkReference<'m>>) -> bool,
    ) -> Result<(), Wrong> {
        let Some(refs) = self.refs(node)? else {
            return Ok(());
        };
        let mut limit = match wanted {
            Wanted::Positions | Wanted::Copies => CopyLimit::of(&self.buffer),
            // Only the time is bounded: chunks share the long names of a few objects.
            Wanted::References => CopyLimit::times(64, &self.buffer),
        };
        let (mut last, mut index) = (None, Vec::new());
        let mut unpacker = None;
        for found in refs.tables() {
            let found = found?;
            index.clear();
            index.extend(position(found)?);
            let reference = (wanted != Wanted::Positions)
                .then(|| self.reference(found, &mut unpacker))
                .transpose()?;
            let copied = match &reference {
                None => 0,
                Some(ChunkReference::Inline(value)) => value.len(),
                Some(ChunkReference::Stored { object, version, .. }) => {
                    // Neighbours mostly share an object.
                    let shared = Some((object.clone(), version.clone()));
                    match last == shared {
                        true => 0,
                        false => {
                            last = shared;
                            let tag = match version {
                                Some(ObjectVersion::ETag(tag)) => tag.len(),
                                _ => 0,
                            };
                            object.len() + tag
                        }
                    }
                }
            };
            limit.take(4 * index.len() + copied)?;
            if !each(&index, reference) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// True if what is told of the chunks of a node has fields that are not known here.
    ///
    /// # Errors
    /// What is damaged.
    pub fn has_unknown_fields(&self, node: &[u8; 8]) -> Result<bool, Wrong> {
        let Some(array) = self.array(node)? else {
            return Ok(false);
        };
        if Table::root(&self.buffer)?.has_fields_from(4)? || array.has_fields_from(2)? {
            return Ok(true);
        }
        for found in array.vector(1, 4)?.into_iter().flat_map(Vector::tables) {
            if found?.has_fields_from(9)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Number of chunks of a node.
    ///
    /// # Errors
    /// What is damaged.
    pub fn len(&self, node: &[u8; 8]) -> Result<usize, Wrong> {
        Ok(self.refs(node)?.map_or(0, |refs| refs.len()))
    }

    /// The reference of a chunk. `unpacker` is kept for the next ones.
    fn reference<'m>(
        &'m self,
        found: Table<'m>,
        unpacker: &mut Option<Decompressor<'static>>,
    ) -> Result<ChunkReference<'m>, Wrong> {
        if let Some(value) = found.bytes(1)? {
            return Ok(ChunkReference::Inline(value));
        }
        let range = (found.number(2)?, found.number(3)?);
        if let Some(id) = found.plain(4)? {
            return Ok(ChunkReference::Stored {
                object: keys::chunk(ObjectId(id)).into(),
                range,
                version: None,
            });
        }
        let object = match (found.text(5)?, found.bytes(8)?) {
            (Some(object), _) => object.into(),
            (None, Some(packed)) => self.unpacked(packed, unpacker)?.into(),
            (None, None) => return Err("a chunk without a place".to_owned()),
        };
        let version = match (found.text(6)?, found.short_number(7)?) {
            (Some(tag), _) => Some(ObjectVersion::ETag(tag.into())),
            (None, 0) => None,
            (None, seconds) => Some(ObjectVersion::LastModified(
                SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into()),
            )),
        };
        Ok(ChunkReference::Stored {
            object,
            range,
            version,
        })
    }

    /// The name of an object that was compressed with the dictionary of the manifest.
    fn unpacked(&self, packed: &[u8], unpacker: &mut Option<Decompressor<'static>>) -> Result<String, Wrong> {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            None => {
                let dictionary = Table::root(&self.buffer)?.bytes(2)?.unwrap_or_default();
                let new = Decompressor::with_dictionary(dictionary);
                unpacker.insert(new.map_err(|e| e.to_string())?)
            }
        };
        let name = unpacker.decompress(packed, LONGEST);
        let name = name.map_err(|e| format!("the name of an object cannot be unpacked: {e}"))?;
        String::from_utf8(name).map_err(|_| "the name of an object is not UTF-8".to_owned())
    }
}

/// The position of a chunk in the grid of its array.
fn position(found: Table<'_>) -> Result<impl Iterator<Item = u32>, Wrong> {
    let numbers = found.vector(0, 4)?.ok_or("a chunk without a position")?;
    // All numbers are within the buffer.
    Ok((0..numbers.len()).filter_map(move |n| numbers.plain(n).ok().map(u32::from_le_bytes)))
}

/// The table for which `order` says equal, in a list that ascends by it.
fn search<'b>(
    list: Vector<'b>,
    order: impl Fn(Table<'b>) -> Result<Ordering, Wrong>,
) -> Result<Option<Table<'b>>, Wrong> {
    let (mut from, mut to) = (0, list.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let table = list.table(middle)?;
        match order(table)? {
            Ordering::Less => from = middle + 1,
            Ordering::Greater => to = middle,
            Ordering::Equal => return Ok(Some(table)),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::flatbuffer_writer::{FlatBuffer, FlatTable};
    use super::*;

    #[test]
    fn fields_that_are_not_known_are_told() {
        for of in 0..4 {
            let table = |n: usize, unknown: usize, table: FlatTable| match n == of {
                true => table.inline(unknown, [1]),
                false => table,
            };
            let mut buffer = FlatBuffer::new();
            let root = buffer.table(None, &table(0, 4, FlatTable::default().offset(1)));
            let arrays = buffer.tables(root[0], 1);
            let array = FlatTable::default().inline(0, [5; 8]).offset(1);
            let array = buffer.table(Some(arrays.place(0)), &table(1, 2, array));
            let refs = buffer.tables(array[0], 1);
            buffer.table(Some(refs.place(0)), &table(2, 9, FlatTable::default()));
            let manifest = Manifest::new(buffer.finish());
            assert_eq!(manifest.has_unknown_fields(&[5; 8]), Ok(of < 3), "{of}");
            assert_eq!(manifest.has_unknown_fields(&[6; 8]), Ok(false));
        }
    }
}
