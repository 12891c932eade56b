//! [`Download`]: the bytes of one request, which goes on from where it broke.
//!
//! ```text
//! try 1: bytes 0-9 asked for ─► 0, 1, 2, 3, the connection breaks
//! try 2: bytes 4-9, If-Match  ─► another ETag? the object changed : 4, 5, 6, 7, 8, 9
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetResult, ObjectStore, UpdateVersion};
use parking_lot::Mutex;

use super::body::Body;
use crate::requests::{RemoteStore, Task, Version};
use crate::wire::{Failure, Meaning};

/// Answers of another size than the listed one, after which the object counts as changed.
const OF_OTHER_SIZE: u32 = 3;

/// Most bytes of a value that is read whole into memory.
pub(crate) const LARGEST_WHOLE: u64 = 1 << 30;

/// What came of a request so far.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// The bytes, from the first one that was asked for.
    pub(crate) bytes: Vec<u8>,
    /// Position of the first byte in the object.
    pub(crate) start: u64,
    /// Position behind the last byte; `u64::MAX` if the server did not tell.
    end: u64,
    /// The object's version; `None` before the first answer.
    pub(crate) version: Option<Version>,
}

impl Received {
    /// Position behind the last byte that came.
    fn position(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The condition for a put in place of what came.
    pub(crate) fn update(self) -> UpdateVersion {
        let unknown = UpdateVersion {
            e_tag: None,
            version: None,
        };
        self.version.map_or(unknown, Version::update)
    }

    /// Size of the object in bytes; `None` if the server did not tell.
    pub(crate) fn size(&self) -> Option<u64> {
        let size = self.version.as_ref()?.size;
        (size != u64::MAX).then_some(size)
    }
}

/// One request for all or a part of an object, with what came of it.
pub(crate) struct Download {
    path: Path,
    range: Option<object_store::GetRange>,
    /// The version that must come; `None` for any.
    expected: Option<Version>,
    /// Size of the object, in bytes, that a list of keys told.
    listed: Option<u64>,
    /// Answers of another size than that.
    of_other_size: AtomicU32,
    /// True if a whole object can be asked for from its middle on.
    resumes: bool,
    received: Mutex<Received>,
    /// Position behind the last byte that any try brought.
    furthest: AtomicU64,
}

impl Download {
    /// A download of a range of an object, or of all of it. `listed` is the object's size, if a list of keys told it. `resumes` is
    /// false for a server that may have no ranges.
    pub(crate) fn new(
        path: Path,
        range: Option<object_store::GetRange>,
        expected: Option<Version>,
        listed: Option<u64>,
        resumes: bool,
    ) -> Self {
        Self {
            path,
            resumes: resumes || range.is_some(),
            range,
            expected,
            listed,
            of_other_size: AtomicU32::new(0),
            received: Mutex::default(),
            furthest: AtomicU64::new(0),
        }
    }

    /// Everything that came, after a try succeeded.
    pub(crate) fn into_received(self) -> Received {
        self.received.into_inner()
    }

    /// Tries to get what is still missing.
    pub(crate) async fn tried(&self, store: Arc<dyn RemoteStore>, task: &Task) -> object_store::Result<()> {
        let options = self.options();
        let is_conditional = options.if_match.is_some();
        let result = store
            .get_opts(&self.path, options)
            .await
            .map_err(|e| self.understood(e, is_conditional))?;
        self.take_head(&result)?;
        let mut body = Body::of(result);
        while let Some((piece, has_moved)) = body.next().await? {
            let is_new = self.take(&piece).inspect_err(|_| task.has_not_moved())?;
            if has_moved && is_new {
                task.has_moved();
            }
        }
        match body.left() {
            Some(_) => Ok(()),
            // The server did not tell where the answer ends.
            None => self.check_size(self.received.lock().position()),
        }
    }

    /// The error of a request. A version that is no longer there is another one. If the object was read by ranges before, an
    /// answer of the whole object passes, as that of a server among others, or of a cache.
    fn understood(&self, error: Error, is_conditional: bool) -> Error {
        match Failure::of(&error).meaning {
            Meaning::Condition if is_conditional => Failure::changed().into(),
            Meaning::Whole(_) if self.expected.is_some() => {
                Failure::passing("the server sent the whole object for a range").into()
            }
            _ => error,
        }
    }

    fn options(&self) -> GetOptions {
        let mut received = self.received.lock();
        let known = received
            .version
            .clone()
            .filter(|_| received.end != u64::MAX && self.resumes);
        let position = received.position();
        let goes_on = known.is_some() && received.start < position && position < received.end;
        let range = match goes_on {
            true => Some(object_store::GetRange::Bounded(position..received.end)),
            false => {
                received.bytes.clear();
                self.range.clone()
            }
        };
        let version = known.or_else(|| self.expected.clone());
        GetOptions {
            range,
            if_match: version.and_then(|version| version.condition()),
            ..GetOptions::default()
        }
    }

    /// Compares the head of an answer with what is known, and makes room for its body.
    fn take_head(&self, result: &GetResult) -> object_store::Result<()> {
        let version = Version::of(&result.meta);
        let mut received = self.received.lock();
        let before = received.version.as_ref().or(self.expected.as_ref());
        if before.is_some_and(|before| !before.fits(&version)) {
            return Err(Failure::changed().into());
        }
        if version.size != u64::MAX {
            self.check_size(version.size)?;
        }
        if received.bytes.is_empty() {
            (received.start, received.end) = (result.range.start, result.range.end);
            if received.end != u64::MAX {
                let length = usize::try_from(received.end.saturating_sub(received.start)).ok();
                let has_room = length.is_some_and(|length| received.bytes.try_reserve_exact(length).is_ok());
                if !has_room {
                    return Err(Failure::last("there is no memory for the answer").into());
                }
            }
        }
        received.version = Some(version);
        Ok(())
    }

    /// Compares the size of the object with that of the list of keys. Some answers may be cut on their way; what comes again is
    /// another object.
    fn check_size(&self, size: u64) -> object_store::Result<()> {
        match self.listed {
            Some(listed) if listed != size => {
                let before = self.of_other_size.fetch_add(1, Ordering::Relaxed);
                let said = format!("the server sent an object of {size} bytes, and listed {listed}");
                Err((match before + 1 < OF_OTHER_SIZE {
                    true => Failure::passing(said),
                    false => Failure::new(
                        Meaning::Condition,
                        format!("{said}: it was replaced or changed while it was read, or the answer is cut"),
                    ),
                })
                .into())
            }
            _ => Ok(()),
        }
    }

    /// Takes a piece of the body. Returns true if it is progress: the next try resumes behind it, and no earlier try came as far.
    fn take(&self, piece: &Bytes) -> object_store::Result<bool> {
        let mut received = self.received.lock();
        let is_bounded = received.end != u64::MAX;
        if !is_bounded && received.bytes.len() as u64 + piece.len() as u64 > LARGEST_WHOLE {
            return Err(Failure::too_long().into());
        }
        let room = received.end.saturating_sub(received.position());
        if piece.len() as u64 > room || received.bytes.try_reserve(piece.len()).is_err() {
            // Nobody knows which of these bytes are those of the range.
            received.bytes.clear();
            return Err(Failure::wrong_range("more bytes than it said").into());
        }
        received.bytes.extend_from_slice(piece);
        let position = received.position();
        let is_new = self.furthest.fetch_max(position, Ordering::Relaxed) < position;
        Ok(is_new && is_bounded && self.resumes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_came_before_are_no_progress() {
        let download = Download::new(Path::from("x"), None, None, None, true);
        download.received.lock().end = 100;
        let take = |count: usize| download.take(&Bytes::from(vec![0; count]));
        assert!(take(60).unwrap());
        assert!(take(60).is_err(), "more than was told");
        assert!(!take(50).unwrap());
        assert!(take(20).unwrap());
        download.received.lock().bytes.clear();
        assert!(!take(70).unwrap());
    }
}
