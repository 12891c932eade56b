//! [`KeyObject`]: the value of a key as an object, which is opened without a request.

use std::io;
use std::sync::Arc;

use crate::{ByteRange, Done, FailedRequest, Get, GetRange, KeyStore, Object, ObjectState, Requests};

/// The value of a key of a store.
pub struct KeyObject {
    store: Arc<dyn KeyStore>,
    key: String,
}

impl KeyObject {
    /// The value of `key`, which may not exist: reads tell.
    pub fn new(store: Arc<dyn KeyStore>, key: impl Into<String>) -> Self {
        Self {
            store,
            key: key.into(),
        }
    }
}

/// The whole of a range, of a value that exists.
fn whole(found: Option<Vec<u8>>, range: ByteRange) -> io::Result<Vec<u8>> {
    let bytes = found.ok_or(io::ErrorKind::NotFound)?;
    match bytes.len() == range.length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl Object for KeyObject {
    fn size(&self) -> io::Result<Option<u64>> {
        let size = self.store.size(&self.key)?;
        Ok(Some(size.ok_or(io::ErrorKind::NotFound)?))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let range = ByteRange {
            offset,
            length: buf.len(),
        };
        let found = self.store.get(&self.key, GetRange::Range(range))?;
        buf.copy_from_slice(&whole(found, range)?);
        Ok(())
    }

    fn state(&self) -> io::Result<ObjectState> {
        self.store.state(&self.key)
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.store.check_unchanged()
    }

    fn requests(&self) -> Requests {
        self.store.requests()
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let get = |range: &ByteRange| Get {
            key: self.key.clone(),
            part: GetRange::Range(*range),
        };
        let gets = ranges.iter().map(get).collect();
        let checked = move |found: Vec<Option<Vec<u8>>>| -> io::Result<Vec<Vec<u8>>> {
            let each = found.into_iter().zip(ranges).enumerate();
            let each =
                each.map(|(n, (value, range))| whole(value, range).map_err(|e| FailedRequest::error(n, e)));
            each.collect()
        };
        let answer: Done<io::Result<Vec<Option<Vec<u8>>>>> =
            Box::new(move |found| done(found.and_then(checked)));
        Arc::clone(&self.store).fetch(gets, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyOutput, MemoryKeys, awaited};

    #[test]
    fn a_value_is_read_as_an_object() {
        let keys = MemoryKeys::new();
        let output = keys.output();
        output.put("a", b"0123456789").unwrap();
        output.publish().unwrap();
        let object = Arc::new(KeyObject::new(Arc::new(keys.clone()), "a"));
        assert_eq!(object.size().unwrap(), Some(10));
        let mut bytes = [0; 3];
        object.read_exact_at(7, &mut bytes).unwrap();
        assert_eq!(&bytes, b"789");
        let ended = object.read_exact_at(8, &mut bytes).unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::UnexpectedEof);
        let fetch = |offset| {
            let ranges = vec![ByteRange { offset, length: 2 }];
            let object = Arc::clone(&object);
            awaited(|done| object.fetch(ranges, done)).unwrap()
        };
        assert_eq!(fetch(3).unwrap(), [b"34"]);
        assert_eq!(fetch(9).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let missing = KeyObject::new(Arc::new(keys), "b");
        assert_eq!(missing.size().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
