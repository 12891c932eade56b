//! Global heaps (specification section III.E): hold the elements of variable-length data.
//!
//! An object is identified by the address of its collection and its index there. Neighbouring elements of a dataset are
//! usually in the same collection. So recently used collections are cached, and a reader of many objects keeps the last
//! collection, which it uses without a lock:
//!
//! ```text
//! GlobalHeapReader (last collection) ─► GlobalHeap (cache of collections) ─► MetadataReader
//!        └─► GlobalHeapObject: a part of the collection, not copied
//! ```

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::metadata::MetadataReader;

const WHAT: &str = "global heap collection";

/// Maximum size, in bytes, of a collection that is cached with its bytes. For a larger one, only the positions of its
/// objects are cached. Libraries make collections of 4 KiB, and larger ones only for larger objects.
const WHOLE: u64 = 128 << 10;

/// Maximum number of objects: an index has 16 bits, and index 0 is the free space.
const MAX_OBJECTS: usize = 1 << 16;

/// The global heap of one file, with a cache.
#[derive(Debug)]
pub(crate) struct GlobalHeap {
    reader: MetadataReader,
    cache: Arc<Mutex<Cache>>,
}

impl GlobalHeap {
    /// The global heap of the file of `reader`. Reads nothing yet.
    pub(crate) fn new(reader: &MetadataReader) -> Self {
        Self {
            reader: reader.clone(),
            cache: Arc::new(Mutex::new(Cache::new(reader.limits().global_heap_cache_bytes))),
        }
    }

    /// The same heap, with another reader of the file.
    pub(crate) fn read_by(&self, reader: MetadataReader) -> Self {
        Self {
            reader,
            cache: self.cache.clone(),
        }
    }

    /// The bytes of object `index` of the collection at `address`.
    pub(crate) fn object(&self, address: u64, index: u32) -> Result<GlobalHeapObject> {
        self.object_of(&self.collection(address)?, address, index)
    }

    fn object_of(&self, collection: &Arc<Collection>, address: u64, index: u32) -> Result<GlobalHeapObject> {
        let damaged = |why: String| self.reader.damaged(WHAT, address, why);
        let out_of_range = || damaged(format!("object {index} is out of range"));
        let Some((start, len)) = collection.find(index) else {
            return Err(damaged(format!("there is no object {index} in it")));
        };
        let len = usize::try_from(len).map_err(|_| out_of_range())?;
        if let Some(bytes) = &collection.bytes {
            let range = usize::try_from(start)
                .ok()
                .and_then(|start| Some(start..start.checked_add(len)?))
                .filter(|range| range.end <= bytes.len())
                .ok_or_else(out_of_range)?;
            return Ok(GlobalHeapObject(Bytes::Within(collection.clone(), range)));
        }
        let start = address.checked_add(start).ok_or_else(out_of_range)?;
        let bytes = self.reader.read("global heap object", start, len)?;
        Ok(GlobalHeapObject(Bytes::Alone(bytes)))
    }

    /// Size of the collection at `address`, in bytes.
    pub(crate) fn collection_size(&self, address: u64) -> Result<u64> {
        Collection::size(&self.reader, address)
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

/// The bytes of an object of a global heap.
#[derive(Debug)]
pub struct GlobalHeapObject(Bytes);

#[derive(Debug)]
enum Bytes {
    /// A part of a collection, within its bytes.
    Within(Arc<Collection>, Range<usize>),
    /// An object of a collection whose bytes are not cached.
    Alone(Vec<u8>),
}

impl Deref for GlobalHeapObject {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Within(collection, range) => collection
                .bytes
                .as_ref()
                .and_then(|bytes| bytes.get(range.clone()))
                .unwrap_or_default(),
            Bytes::Alone(bytes) => bytes,
        }
    }
}

/// Reads many objects, faster if consecutive ones are in the same collection. Used by one thread.
#[derive(Debug)]
pub struct GlobalHeapReader<'a> {
    heap: &'a GlobalHeap,
    last: RefCell<Option<(u64, Arc<Collection>)>>,
}

impl<'a> GlobalHeapReader<'a> {
    pub(crate) fn new(heap: &'a GlobalHeap) -> Self {
        Self {
            heap,
            last: RefCell::default(),
        }
    }

    /// The bytes of object `index` of the collection at `address`.
    ///
    /// # Errors
    /// The collection is damaged, or has no such object.
    pub fn object(&self, address: u64, index: u32) -> Result<GlobalHeapObject> {
        let mut last = self.last.borrow_mut();
        match &*last {
            Some((at, collection)) if *at == address => self.heap.object_of(collection, address, index),
            _ => {
                let collection = self.heap.collection(address)?;
                let object = self.heap.object_of(&collection, address, index);
                *last = Some((address, collection));
                object
            }
        }
    }
}

/// One collection.
#[derive(Debug)]
struct Collection {
    /// All bytes of the collection, from its signature on; `None` if it is large.
    bytes: Option<Vec<u8>>,
    /// Index, offset of the data from the collection's signature, and size in bytes of each object, sorted by index.
    objects: Vec<(u32, u64, u64)>,
}

impl Collection {
    /// A collection of objects in the order of the file. If two have the same index, which no library writes, the later
    /// one counts.
    fn new(bytes: Option<Vec<u8>>, mut objects: Vec<(u32, u64, u64)>) -> Self {
        if !objects.is_sorted_by(|a, b| a.0 < b.0) {
            objects.reverse();
            objects.sort_by_key(|object| object.0);
            objects.dedup_by_key(|object| object.0);
        }
        objects.shrink_to_fit();
        Self { bytes, objects }
    }

    /// Offset and size of the data of object `index`.
    fn find(&self, index: u32) -> Option<(u64, u64)> {
        // Indexes count from 1, usually without gaps.
        let guess = (index as usize)
            .checked_sub(1)
            .and_then(|at| self.objects.get(at));
        let found = match guess.filter(|object| object.0 == index) {
            Some(object) => object,
            None => {
                let at = self
                    .objects
                    .binary_search_by_key(&index, |object| object.0)
                    .ok()?;
                &self.objects[at]
            }
        };
        Some((found.1, found.2))
    }

    /// Size of a collection in bytes, which are all in the file.
    fn size(reader: &MetadataReader, address: u64) -> Result<u64> {
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
        Ok(size)
    }

    fn read(reader: &MetadataReader, address: u64) -> Result<Self> {
        let l = usize::from(reader.length_size());
        let size = Self::size(reader, address)?;
        let bytes = match usize::try_from(size) {
            Ok(len) if size <= WHOLE => Some(reader.read(WHAT, address, len)?),
            _ => None,
        };
        let mut objects = Vec::new();
        let object_head = (8 + l as u64).next_multiple_of(8);
        let mut at = object_head; // the collection's own head has the same size
        for _ in 0..=MAX_OBJECTS {
            let data = at.saturating_add(object_head);
            if data > size {
                return Ok(Self::new(bytes, objects));
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
                // The free space is the last object of a collection.
                return Ok(Self::new(bytes, objects));
            }
            if len > size - data {
                return Err(reader.damaged(WHAT, address, format!("object {index} is larger than it")));
            }
            objects.push((index, data, len));
            at = (data + len).checked_next_multiple_of(8).unwrap_or(u64::MAX);
        }
        Err(reader.damaged(WHAT, address, "it has more objects than there are indexes"))
    }

    /// Approximate memory use of the collection, in bytes.
    fn weight(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len) + 24 * self.objects.len() + 128
    }
}

/// Recently used collections, in a young and an old generation of half the capacity each. A collection that is used
/// moves to the young generation. When that is full, it becomes the old one, and the previous old one is dropped.
#[derive(Debug)]
struct Cache {
    /// Maximum size of all collections, in bytes.
    capacity: usize,
    young: HashMap<u64, Arc<Collection>>,
    old: HashMap<u64, Arc<Collection>>,
    young_weight: usize,
}

impl Cache {
    fn new(capacity: usize) -> Self {
        Self {
            capacity,
            young: HashMap::new(),
            old: HashMap::new(),
            young_weight: 0,
        }
    }

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
        if self.young_weight.saturating_add(weight) > self.capacity / 2 {
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
                objects: Vec::new(),
            })
        };
        let mut cache = Cache::new(32 << 20);
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
        assert!(kept <= cache.capacity, "{kept}");
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
            let reader = GlobalHeapReader::new(&heap);
            for (index, data) in objects {
                assert_eq!(*heap.object(8, index.into()).unwrap(), *data, "{index} of {size}");
                assert_eq!(
                    *reader.object(8, index.into()).unwrap(),
                    *data,
                    "{index} of {size}"
                );
            }
            assert!(reader.object(0, 1).is_err());
            assert_eq!(*reader.object(8, 1).unwrap(), *b"one");
            assert!(heap.object(8, 0).is_err());
            assert!(heap.object(8, 4).is_err());
            assert!(heap.object(8, 1 << 16 | 1).is_err());
            assert!(heap.object(0, 1).is_err());
        }
    }

    #[test]
    fn of_objects_with_one_index_the_later_counts() {
        let objects: Vec<(u16, &[u8])> = vec![(2, b"a"), (1, b"b"), (2, b"c"), (7, b"d"), (1, b"e")];
        let heap = heap(4096, &objects);
        for (index, data) in [(1, b"e"), (2, b"c"), (7, b"d")] {
            assert_eq!(*heap.object(8, index).unwrap(), *data);
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
