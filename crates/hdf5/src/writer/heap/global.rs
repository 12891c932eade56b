//! Global heap collections (specification section III.E): variable-length data.
//!
//! There are two kinds of use. Attributes and fill values are known before the file is laid out, and [`FrontHeap`]
//! packs them into contiguous collections at the front. Data comes later, in pieces: [`OpenHeap`] allocates collections
//! at the end of the file, and keeps the last one open for the next piece.

use crate::writer::bytes::PutBytes;
use crate::writer::pages::Pages;

/// Sizes of a collection, in bytes: the minimum, and the maximum to which the library extends it for further objects.
const MIN_COLLECTION: u64 = 4096;
const MAX_COLLECTION: u64 = 64 * 1024;
/// Size of the fields before the first object, in bytes.
const COLLECTION_HEAD: u64 = 16;
const OBJECT_HEAD: u64 = 16;
/// Maximum number of objects. Index 0 is the free space.
const MAX_OBJECTS: u64 = u16::MAX as u64;

/// Size of a payload in a collection, in bytes.
fn need(payload: usize) -> u64 {
    OBJECT_HEAD + (payload as u64).next_multiple_of(8)
}

/// Identifier of an object in the heap, which an element stores after its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeapId {
    /// Address of the collection.
    pub(crate) collection: u64,
    /// Index of the object in the collection.
    pub(crate) index: u32,
}

impl HeapId {
    /// The stored form.
    pub(crate) fn to_bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        for (to, from) in bytes.iter_mut().zip(
            self.collection
                .to_le_bytes()
                .into_iter()
                .chain(self.index.to_le_bytes()),
        ) {
            *to = from;
        }
        bytes
    }
}

/// A collection that is being filled.
struct Collection {
    address: u64,
    /// Its size in the file, in bytes.
    capacity: u64,
    objects: u64,
    bytes: Vec<u8>,
}

impl Collection {
    fn new(address: u64, capacity: u64) -> Self {
        let mut bytes = Vec::new();
        bytes.put(b"GCOL");
        bytes.put(&[1, 0, 0, 0]); // version
        bytes.put_u64(capacity);
        Self {
            address,
            capacity,
            objects: 0,
            bytes,
        }
    }

    fn fits(&self, payload: usize) -> bool {
        self.bytes.len() as u64 + need(payload) <= self.capacity && self.objects < MAX_OBJECTS
    }

    fn push(&mut self, payload: &[u8]) -> HeapId {
        self.objects += 1;
        self.bytes.put_u16(self.objects as u16);
        self.bytes.put_u16(0); // reference count, which the library leaves at 0
        self.bytes.put_u32(0);
        self.bytes.put_u64(payload.len() as u64);
        self.bytes.put(payload);
        self.bytes.pad8();
        HeapId {
            collection: self.address,
            index: self.objects as u32,
        }
    }

    /// Completes the collection. Returns its address and all its bytes.
    fn close(mut self) -> (u64, Vec<u8>) {
        let free = self.capacity - self.bytes.len() as u64;
        if free >= OBJECT_HEAD {
            self.bytes.put_u64(0); // object 0
            self.bytes.put_u64(free); // with this header
        }
        self.bytes.resize(self.capacity as usize, 0);
        if let Some(size) = self.bytes.get_mut(8..16) {
            size.copy_from_slice(&self.capacity.to_le_bytes());
        }
        (self.address, self.bytes)
    }

    /// Reduces the capacity to the size of the objects.
    fn shrink(&mut self) {
        self.capacity = (self.bytes.len() as u64).max(MIN_COLLECTION);
    }
}

/// Complete collections with their addresses.
pub(crate) type Finished = Vec<(u64, Vec<u8>)>;

/// Packs payloads into contiguous collections.
pub(crate) struct FrontHeap {
    pages: Pages,
    end: u64,
    current: Option<Collection>,
    finished: Finished,
}

impl FrontHeap {
    /// Starts at address `start`, which begins a page if there are any.
    pub(crate) fn new(start: u64, pages: Pages) -> Self {
        Self {
            pages,
            end: start,
            current: None,
            finished: Vec::new(),
        }
    }

    /// Adds a payload.
    pub(crate) fn insert(&mut self, payload: &[u8]) -> HeapId {
        if self.current.as_ref().is_some_and(|c| !c.fits(payload.len())) {
            self.close();
        }
        let capacity = MAX_COLLECTION.max(COLLECTION_HEAD + need(payload.len()));
        if self.current.is_none() {
            let at = self.pages.within(self.end, capacity).start;
            if at > self.end {
                self.finished.push((self.end, vec![0; (at - self.end) as usize]));
            }
            self.end = at;
        }
        let end = self.end;
        self.current
            .get_or_insert_with(|| Collection::new(end, capacity))
            .push(payload)
    }

    fn close(&mut self) {
        if let Some(mut collection) = self.current.take() {
            collection.shrink();
            // A collection that is as large as a page takes all of its pages.
            let end = self.pages.within(self.end, collection.capacity).end;
            let mut closed = collection.close();
            closed.1.resize((end - self.end) as usize, 0);
            self.end = end;
            self.finished.push(closed);
        }
    }

    /// Removes and returns the complete collections.
    pub(crate) fn take_finished(&mut self) -> Finished {
        std::mem::take(&mut self.finished)
    }

    /// Closes the last collection. Returns the remaining collections, and the address after the last one.
    pub(crate) fn finish(mut self) -> (Finished, u64) {
        self.close();
        (self.finished, self.end)
    }
}

/// Packs payloads that come in pieces into collections between other data.
#[derive(Default)]
pub(crate) struct OpenHeap {
    open: Option<Collection>,
}

impl OpenHeap {
    /// Adds payloads. `allocate` returns the address of free space of a size in bytes. Returns the identifiers of the
    /// payloads, and the complete collections.
    pub(crate) fn insert(
        &mut self,
        payloads: &[&[u8]],
        mut allocate: impl FnMut(u64) -> u64,
    ) -> (Vec<HeapId>, Finished) {
        let mut finished = Vec::new();
        let mut ids = Vec::with_capacity(payloads.len());
        for (i, payload) in payloads.iter().enumerate() {
            let fits = self.open.as_ref().is_some_and(|c| c.fits(payload.len()));
            if !fits {
                finished.extend(self.close());
                let mut capacity = COLLECTION_HEAD + need(payload.len());
                for next in payloads.iter().skip(i + 1) {
                    if capacity + need(next.len()) > MAX_COLLECTION {
                        break;
                    }
                    capacity += need(next.len());
                }
                let capacity = capacity.max(MIN_COLLECTION);
                self.open = Some(Collection::new(allocate(capacity), capacity));
            }
            ids.extend(self.open.as_mut().map(|c| c.push(payload)));
        }
        (ids, finished)
    }

    /// Closes the open collection.
    pub(crate) fn close(&mut self) -> Option<(u64, Vec<u8>)> {
        self.open.take().map(Collection::close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The objects of a collection, as a reader finds them; the free space last, as `(0, size)`.
    fn objects(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
        assert_eq!(&bytes[..8], b"GCOL\x01\0\0\0");
        assert_eq!(
            u64::from_le_bytes(bytes[8..16].try_into().unwrap()),
            bytes.len() as u64
        );
        let mut at = 16;
        let mut found = Vec::new();
        while at + 16 <= bytes.len() {
            let index = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let size = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap()) as usize;
            if index == 0 {
                assert_eq!(at + size, bytes.len());
                break;
            }
            found.push((index, bytes[at + 16..at + 16 + size].to_vec()));
            at += 16 + size.next_multiple_of(8);
        }
        found
    }

    #[test]
    fn front_collections_follow_each_other() {
        let payloads: Vec<Vec<u8>> = (0..9_000).map(|i| vec![i as u8; i % 50]).collect();
        let mut heap = FrontHeap::new(1000, Pages::default());
        let ids: Vec<HeapId> = payloads.iter().map(|p| heap.insert(p)).collect();
        let big = heap.insert(&vec![7; 200_000]);
        let (finished, end) = heap.finish();
        let mut at = 1000;
        for (address, bytes) in &finished {
            assert_eq!(*address, at);
            at += bytes.len() as u64;
        }
        assert_eq!(at, end);
        assert!(finished.len() > 3);
        for (id, payload) in ids.iter().zip(&payloads) {
            let (_, bytes) = finished.iter().find(|(a, _)| *a == id.collection).unwrap();
            assert_eq!(
                objects(bytes)[id.index as usize - 1],
                (id.index as u16, payload.clone())
            );
        }
        let (_, bytes) = finished.iter().find(|(a, _)| *a == big.collection).unwrap();
        assert_eq!(objects(bytes)[big.index as usize - 1].1.len(), 200_000);
    }

    #[test]
    fn an_open_collection_takes_later_payloads() {
        let mut heap = OpenHeap::default();
        let mut end = 0;
        let mut allocate = |size| {
            end += size;
            end - size
        };
        let (first, full) = heap.insert(&[b"one", b""], &mut allocate);
        assert!(full.is_empty());
        let (second, full) = heap.insert(&[b"two", &[0; 8000], b"three"], &mut allocate);
        assert_eq!((first[1].index, second[0].index), (2, 3));
        assert_eq!(full.len(), 1);
        assert_eq!(objects(&full[0].1).len(), 3);
        assert_eq!(second[1].collection, 4096);
        assert_eq!(second[2].collection, 4096);
        let (address, bytes) = heap.close().unwrap();
        assert_eq!((address, bytes.len()), (4096, 16 + 8016 + 24));
        assert_eq!(second[2].to_bytes(), [0, 16, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
    }
}
