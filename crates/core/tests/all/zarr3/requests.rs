//! The requests that reading from shards takes.

use std::io;
use std::sync::Mutex;

use ncutils_core::format::Region;
use ncutils_core::store::{Done, FetchPool, Get, Requests};

use super::*;

/// A store that notes all requests.
struct Noted {
    inner: Arc<dyn KeyStore>,
    requests: Requests,
    noted: Mutex<Vec<String>>,
    pool: FetchPool,
}

impl Noted {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.noted.lock().unwrap())
    }

    fn note(&self, what: String) {
        self.noted.lock().unwrap().push(what);
    }
}

impl KeyStore for Noted {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        let what = match part {
            GetRange::Whole => "whole",
            GetRange::Range(_) => "range",
            GetRange::Suffix(_) => "suffix",
        };
        self.note(format!("{what} of {key}"));
        self.inner.get(key, part)
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        self.note(format!("size of {key}"));
        self.inner.size(key)
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.note(format!("list of {prefix}"));
        self.inner.list(prefix)
    }

    fn requests(&self) -> Requests {
        self.requests
    }

    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        if gets.len() > 1 {
            self.note(format!("{} at once", gets.len()));
        }
        let this = Arc::clone(&self) as Arc<dyn KeyStore>;
        self.pool.fetch_keys(&this, gets, done);
    }
}

/// A dataset in shards of 2 by 2 by 2 chunks, opened from a store that is slow or not.
fn opened(index: IndexLocation, requests: Requests) -> (Arc<Noted>, Box<dyn Reader>) {
    let registry = Registry::builtin();
    let options = to_shards("z/8,y/14,x/10", index, &registry);
    let stored = copied(
        &*source(|z, _| z == 4),
        &CopyOptions {
            skip_fill: true,
            ..options
        },
    )
    .stored;
    let noted = Arc::new(Noted {
        inner: stored.keys(),
        requests,
        noted: Mutex::default(),
        pool: FetchPool::new(1),
    });
    let reader = format::open(
        Input::keys("", Arc::clone(&noted) as Arc<dyn KeyStore>),
        &registry,
    )
    .unwrap();
    noted.take();
    (noted, reader)
}

fn read(reader: &dyn Reader, start: [u64; 3], count: [u64; 3]) -> Vec<i32> {
    let region = Region {
        start: start.to_vec(),
        count: count.to_vec(),
    };
    let values = reader.read_region(VarId(0), &region).unwrap();
    let numbers = values.bytes.as_chunks::<4>().0;
    numbers.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()
}

#[test]
fn an_element_takes_two_reads_and_the_next_one_of_its_shard_one() {
    for requests in [Requests::LOCAL, Requests::slow(100, 1 << 20)] {
        for (index, part) in [(IndexLocation::End, "suffix"), (IndexLocation::Start, "range")] {
            let (noted, reader) = opened(index, requests);
            assert_eq!(read(&*reader, [9, 15, 3], [1, 1, 1]), [9153]);
            let mut asked = noted.take();
            // The size of a local file costs nothing.
            asked.retain(|what| requests.ahead || !what.starts_with("size"));
            assert_eq!(
                asked,
                [format!("{part} of v/c/1/1/0"), "range of v/c/1/1/0".to_owned()]
            );
            assert_eq!(read(&*reader, [9, 15, 8], [1, 1, 1]), [9158]);
            assert_eq!(noted.take(), ["range of v/c/1/1/0"]);
            // A chunk that the shard lacks, and one of a shard that does not exist.
            assert_eq!(read(&*reader, [1, 1, 1], [1, 1, 1]), [1011]);
            noted.take();
            assert_eq!(read(&*reader, [4, 1, 1], [1, 1, 1]), [FILL]);
            assert!(noted.take().is_empty());
        }
    }
}

#[test]
fn neighbours_are_one_read_and_indexes_are_asked_for_at_once() {
    let (noted, reader) = opened(IndexLocation::End, Requests::slow(100, 1 << 20));
    // All chunks of one shard.
    let numbers = read(&*reader, [8, 14, 0], [8, 14, 10]);
    assert_eq!((numbers.len(), numbers[0]), (8 * 14 * 10, 8140));
    assert_eq!(
        noted.take(),
        ["suffix of v/c/1/1/0", "8 at once", "range of v/c/1/1/0"]
    );
    // Chunks of that shard and of two others.
    assert_eq!(read(&*reader, [12, 0, 0], [1, 34, 10]).len(), 340);
    assert_eq!(
        noted.take(),
        [
            "2 at once",
            "suffix of v/c/1/0/0",
            "suffix of v/c/1/2/0",
            "10 at once",
            "range of v/c/1/0/0",
            "range of v/c/1/1/0",
            "range of v/c/1/2/0"
        ]
    );
}
