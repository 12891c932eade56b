//! [`Store`]: buckets, objects, uploads.

use std::collections::BTreeMap;

use bytes::Bytes;
use time::OffsetDateTime;

/// All that the server holds.
#[derive(Default)]
pub struct Store {
    /// Objects by key, in buckets by name.
    pub buckets: BTreeMap<String, BTreeMap<String, Object>>,
    /// Uploads that are not completed, by id.
    pub uploads: BTreeMap<String, Upload>,
    /// The last generation that was given.
    generation: u64,
}

/// An object.
#[derive(Clone)]
pub struct Object {
    /// Its bytes.
    pub bytes: Bytes,
    /// A number that no other object has had.
    pub generation: u64,
    /// With quotation marks.
    pub etag: String,
    /// When it was made.
    pub made: OffsetDateTime,
}

/// An upload in parts.
pub struct Upload {
    /// The bucket of the object.
    pub bucket: String,
    /// The key of the object.
    pub key: String,
    /// Bytes and ETag of each part, by number.
    pub parts: BTreeMap<u32, (Bytes, String)>,
}

impl Store {
    /// A number that was not given before.
    pub fn next(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// An object of a bucket.
    pub fn object(&self, bucket: &str, key: &str) -> Option<&Object> {
        self.buckets.get(bucket)?.get(key)
    }

    /// Puts an object in a bucket that is there. Returns it.
    pub fn put(&mut self, bucket: &str, key: &str, bytes: Bytes) -> Object {
        let generation = self.next();
        let object = Object {
            etag: etag(&bytes, generation),
            bytes,
            generation,
            made: OffsetDateTime::now_utc(),
        };
        let objects = self.buckets.entry(bucket.to_owned()).or_default();
        objects.insert(key.to_owned(), object.clone());
        object
    }
}

/// The ETag of bytes that are stored under a number.
pub fn etag(bytes: &[u8], number: u64) -> String {
    format!("\"{:08x}-{number:x}\"", crc32c::crc32c(bytes))
}
