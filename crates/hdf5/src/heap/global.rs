//! Global heaps (specification section III.E): elements of variable-length data.
//!
//! An object is named by the address of its collection and its index there. Elements that lie next to each other in a
//! dataset are mostly in the same collection, so the collections used last are kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::reader::bytes::MetadataReader;

const WHAT: &str = "global heap collection";

/// Collections up to this size are kept with their bytes, of larger ones only where their objects are. Libraries
/// make collections of 4 KiB, and larger ones only for objects that do not fit.
const WHOLE: u64 = 128 << 10;

/// How many bytes of collections are kept.
const CACHE: usize = 32 << 20;

/// Indexes have 16 bits; index 0 is the free space.
const MAX_OBJECTS: usize = 1 << 16;

/// The global heap of one file, with a cache.
#[derive(Debug)]
pub(crate) struct GlobalHeap {
    reader: MetadataReader,
    cache: Mutex<Cache>,
}

impl GlobalHeap {
    /// The global heap of the file that `reader` reads. Reads nothing.
    pub(crate) fn new(reader: &MetadataReader) -> Self {
        Self {
            reader: reader.clone(),
            cache: Mutex::new(Cache::default()),
        }
    }

    /// The bytes of the object `index` of the collection at `address`.
    pub(crate) fn object(&self, address: u64, index: u32) -> Result<Arc<[u8]>> {
        let collection = self.collection(address)?;
        let Some((start, len)) = collection.objects.get(&index).copied() else {
            return Err(self
                .reader
                .damaged(WHAT, address, format!("there is no object {index} in it")));
        };
        if let Some(bytes) = &collection.bytes {
            // Both were checked against the collection's size when it was read.
            let bytes = usize::try_from(start)
                .ok()
                .zip(usize::try_from(len).ok())
                .and_then(|(start, len)| bytes.get(start..start.checked_add(len)?));
            return match bytes {
                Some(bytes) => Ok(bytes.into()),
                None => Err(self
                    .reader
                    .damaged(WHAT, address, format!("object {index} is out of range"))),
            };
        }
        let (Some(start), Ok(len)) = (address.checked_add(start), usize::try_from(len)) else {
            return Err(self
                .reader
                .damaged(WHAT, address, format!("object {index} is out of range")));
        };
        Ok(self.reader.read("global heap object", start, len)?.into())
    }

    fn collection(&self, address: u64) -> Result<Arc<Collection>> {
        if let Some(found) = self.cache().get(address) {
            return Ok(found);
        }
        // Read without the lock: two threads may read the same collection, but none waits for a slow source.
        let collection = Arc::new(Collection::read(&self.reader, address)?);
        self.cache().put(address, collection.clone());
        Ok(collection)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One collection.
#[derive(Debug)]
struct Collection {
    /// The whole collection, from its signature on, unless it is large.
    bytes: Option<Vec<u8>>,
    /// Where each object's data begins, from the collection's signature, and how many bytes it has.
    objects: HashMap<u32, (u64, u64)>,
}

impl Collection {
    fn read(reader: &MetadataReader, address: u64) -> Result<Self> {
        let l = usize::from(reader.length_size());
        let head = reader.read(WHAT, address, 8 + l)?;
        let mut head = reader.cursor(WHAT, address, &head);
        head.signature(b"GCOL")?;
        head.version(1)?;
        head.bytes(3)?;
        let size = head.length()?;
        if address
            .checked_add(size)
            .is_none_or(|end| end > reader.file_size())
        {
            return Err(Error::Truncated {
                what: WHAT,
                offset: reader.absolute(address),
                need: size,
            });
        }

        let bytes = match usize::try_from(size) {
            Ok(len) if size <= WHOLE => Some(reader.read(WHAT, address, len)?),
            _ => None,
        };
        let mut objects = HashMap::new();
        let object_head = (8 + l as u64).next_multiple_of(8);
        let mut at = object_head; // the collection's own head has the same size
        for _ in 0..=MAX_OBJECTS {
            let data = at.saturating_add(object_head);
            if data > size {
                return Ok(Self { bytes, objects });
            }
            let read;
            let head = match &bytes {
                Some(bytes) => usize::try_from(at)
                    .ok()
                    .and_then(|at| bytes.get(at..))
                    .unwrap_or_default(),
                None => {
                    read = reader.read("global heap object", address.saturating_add(at), 8 + l)?;
                    &read
                }
            };
            let mut head = reader.cursor("global heap object", address.saturating_add(at), head);
            let index = u32::from(head.u16()?);
            head.bytes(6)?; // reference count: libraries do not keep it
            let len = head.length()?;
            if index == 0 {
                // The free space is the last thing in a collection.
                return Ok(Self { bytes, objects });
            }
            if len > size - data {
                return Err(reader.damaged(WHAT, address, format!("object {index} is larger than it")));
            }
            objects.insert(index, (data, len));
            at = (data + len).checked_next_multiple_of(8).unwrap_or(u64::MAX);
        }
        Err(reader.damaged(WHAT, address, "it has more objects than there are indexes"))
    }

    /// About how much memory the collection takes, in bytes.
    fn weight(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len) + 40 * self.objects.len() + 128
    }
}

/// The collections used last: a young and an old generation, each of half the size. A collection that is used moves to
/// the young one; when that is full, it becomes the old one, and what was in the old one is dropped.
#[derive(Debug, Default)]
struct Cache {
    young: HashMap<u64, Arc<Collection>>,
    old: HashMap<u64, Arc<Collection>>,
    young_weight: usize,
}

impl Cache {
    fn get(&mut self, address: u64) -> Option<Arc<Collection>> {
        if let Some(found) = self.young.get(&address) {
            return Some(found.clone());
        }
        let found = self.old.remove(&address)?;
        self.put(address, found.clone());
        Some(found)
    }

    fn put(&mut self, address: u64, collection: Arc<Collection>) {
        let weight = collection.weight();
        if self.young_weight.saturating_add(weight) > CACHE / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_weight = 0;
        }
        if self.young.insert(address, collection).is_none() {
            self.young_weight += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let collection = |len: usize| {
            Arc::new(Collection {
                bytes: Some(vec![0; len]),
                objects: HashMap::new(),
            })
        };
        let mut cache = Cache::default();
        cache.put(0, collection(1 << 20));
        for address in 1..1000 {
            cache.put(address, collection(1 << 20));
            assert!(cache.get(0).is_some(), "dropped at {address}");
        }
        let kept: usize = cache
            .young
            .values()
            .chain(cache.old.values())
            .map(|c| c.weight())
            .sum();
        assert!(kept <= CACHE, "{kept}");
        assert!(cache.get(1).is_none());
        assert!(cache.get(999).is_some());
    }

    /// A collection of `size` bytes behind 8 others, with the given objects.
    fn heap(size: u64, objects: &[(u16, &[u8])]) -> GlobalHeap {
        let mut file = b"nothing.GCOL\x01\0\0\0".to_vec();
        file.extend(size.to_le_bytes());
        for (index, data) in objects {
            file.extend(index.to_le_bytes());
            file.extend([0; 6]);
            file.extend((data.len() as u64).to_le_bytes());
            file.extend(*data);
            file.resize(file.len().next_multiple_of(8), 0);
        }
        file.resize(file.len().max(8 + size as usize), 0);
        GlobalHeap::new(&MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap())
    }

    #[test]
    fn finds_objects_in_small_and_large_collections() {
        let large = vec![7; 100_000];
        for size in [4096, WHOLE + 8] {
            let mut objects: Vec<(u16, &[u8])> = vec![(1, b"one"), (9, b""), (2, b"12345678")];
            if size > WHOLE {
                objects.push((3, &large));
            }
            let heap = heap(size, &objects);
            for (index, data) in objects {
                assert_eq!(*heap.object(8, index.into()).unwrap(), *data, "{index} of {size}");
            }
            assert!(heap.object(8, 0).is_err());
            assert!(heap.object(8, 4).is_err());
            assert!(heap.object(8, 1 << 16 | 1).is_err());
            assert!(heap.object(0, 1).is_err());
        }
    }

    #[test]
    fn refuses_what_reaches_out_of_it() {
        assert!(heap(40, &[(1, b"0123456")]).object(8, 1).is_ok());
        assert!(heap(32, &[(1, b"0123456")]).object(8, 1).is_err());
        let heap = heap(40, &[(1, b"0123456")]);
        let reader = heap.reader;
        let mut file = reader.read("file", 0, reader.file_size() as usize).unwrap();
        file[16..24].copy_from_slice(&41u64.to_le_bytes());
        let heap = GlobalHeap::new(&MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap());
        assert!(matches!(
            heap.object(8, 1),
            Err(Error::Truncated { need: 41, .. })
        ));
    }
}
