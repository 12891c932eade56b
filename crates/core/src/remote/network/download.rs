//! [`Download`]: the bytes of one request, which goes on from where it broke.
//!
//! ```text
//! try 1: bytes 0-9 asked for ─► 0, 1, 2, 3, the connection breaks
//! try 2: bytes 4-9, If-Match  ─► another ETag? the object changed : 4, 5, 6, 7, 8, 9
//! ```

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use object_store::path::Path;
use object_store::{
    Attribute, Error, GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, ObjectStore,
};

use super::failure::{Failure, Meaning};
use super::fault::Fault;
use super::session::{RemoteStore, Task};

/// Bytes that count as progress: tries are counted anew after so many.
const PROGRESS: usize = 16 << 10;

/// Longest time for so many bytes.
const SLOWEST: Duration = Duration::from_secs(60);

/// Longest wait for the end of an answer that has brought all its bytes.
const END: Duration = Duration::from_secs(1);

/// Answers of another size than the listed one, after which the object counts as changed.
const OF_OTHER_SIZE: u32 = 3;

/// Most bytes of a value that is read whole into memory.
pub(super) const LARGEST_WHOLE: u64 = 1 << 30;

/// What tells one version of an object from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    e_tag: Option<String>,
    /// The date of the last change; `None` if the server tells none.
    date: Option<SystemTime>,
    size: u64,
}

impl Version {
    pub(super) fn of(meta: &ObjectMeta) -> Self {
        let date = SystemTime::from(meta.last_modified);
        Self {
            e_tag: meta.e_tag.clone(),
            date: (date > SystemTime::UNIX_EPOCH).then_some(date),
            size: meta.size,
        }
    }

    /// The ETag.
    pub(super) fn e_tag(&self) -> Option<&str> {
        self.e_tag.as_deref()
    }

    /// Date and size; `None` if the server does not tell the size.
    pub(super) fn date_and_size(&self) -> Option<(Option<SystemTime>, u64)> {
        (self.size != u64::MAX).then_some((self.date, self.size))
    }

    /// True if both may be of the same bytes: by ETag, else by date, and by size.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let same = match (&self.e_tag, &other.e_tag) {
            (Some(a), Some(b)) if is_weak(a) => a == b && self.date == other.date,
            (Some(a), Some(b)) => a == b,
            _ => self.date == other.date,
        };
        same && self.size == other.size
    }

    /// The condition for requests. A weak ETag never meets one.
    fn condition(&self) -> Option<String> {
        self.e_tag.clone().filter(|tag| !is_weak(tag))
    }
}

/// True for an ETag that objects of other bytes may have too (RFC 9110, section 8.8.1).
pub(super) fn is_weak(tag: &str) -> bool {
    tag.starts_with("W/")
}

/// How fast the bytes of an answer come.
pub(super) struct Pace {
    since: Instant,
    came: usize,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            came: 0,
        }
    }

    /// Counts bytes that came. Returns true each time another [`PROGRESS`] bytes have come.
    ///
    /// # Errors
    /// [`Fault::Broken`] if they come too slowly.
    pub(super) fn came(&mut self, bytes: usize) -> object_store::Result<bool> {
        self.came += bytes;
        if self.came >= PROGRESS {
            *self = Self::new();
            return Ok(true);
        }
        match self.since.elapsed() > SLOWEST {
            true => Err(fault(Fault::Broken(format!(
                "the server sends less than {} KiB in {} s",
                PROGRESS >> 10,
                SLOWEST.as_secs()
            )))),
            false => Ok(false),
        }
    }
}

/// What came of a request so far.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// The bytes, from the first one that was asked for.
    pub(super) bytes: Vec<u8>,
    /// Position of the first byte in the object.
    pub(super) start: u64,
    /// Position behind the last byte; `u64::MAX` if the server did not tell.
    end: u64,
    /// The object's version; `None` before the first answer.
    pub(super) version: Option<Version>,
}

impl Received {
    /// Size of the object in bytes; `None` if the server did not tell.
    pub(super) fn size(&self) -> Option<u64> {
        self.version
            .as_ref()
            .map(|version| version.size)
            .filter(|size| *size != u64::MAX)
    }
}

/// One request for all or a part of an object, with what came of it.
pub(super) struct Download {
    path: Path,
    range: Option<GetRange>,
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
    /// A download of a range of an object, or of all of it. `resumes` is false for a server that may have no ranges.
    pub(super) fn new(path: Path, range: Option<GetRange>, expected: Option<Version>, resumes: bool) -> Self {
        Self {
            path,
            resumes: resumes || range.is_some(),
            range,
            expected,
            listed: None,
            of_other_size: AtomicU32::new(0),
            received: Mutex::default(),
            furthest: AtomicU64::new(0),
        }
    }

    /// The same, of an object whose size a list of keys told.
    pub(super) fn of_size(self, listed: Option<u64>) -> Self {
        Self { listed, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that came, after a try succeeded.
    pub(super) fn into_received(self) -> Received {
        self.received.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries to get what is still missing.
    pub(super) async fn tried(
        &self,
        store: std::sync::Arc<dyn RemoteStore>,
        task: &Task,
    ) -> object_store::Result<()> {
        let options = self.options();
        let is_conditional = options.if_match.is_some();
        let result = store
            .get_opts(&self.path, options)
            .await
            .map_err(|e| self.understood(e, is_conditional))?;
        let is_page = is_web_page(&result);
        self.take_head(&result)?;
        let mut pieces = match result.payload {
            GetResultPayload::Stream(pieces) => pieces,
            // No store of a session reads files.
            #[allow(unreachable_patterns)]
            _ => return Err(fault(Fault::Broken("the store gave no stream".to_owned()))),
        };
        let mut pace = Pace::new();
        while let Some(piece) = self.next(&mut pieces).await? {
            let is_new = self.take(&piece, is_page).inspect_err(|_| task.has_not_moved())?;
            if pace.came(piece.len())? && is_new {
                task.has_moved();
            }
        }
        let received = self.lock();
        let missing = received.end - received.start - received.bytes.len() as u64;
        match received.end != u64::MAX && missing > 0 {
            true => Err(fault(Fault::Broken(format!(
                "the answer ended {missing} bytes too early"
            )))),
            false => {
                let size = received.start + received.bytes.len() as u64;
                let is_whole = received.end == u64::MAX;
                drop(received);
                match is_whole {
                    true => self.check_size(size),
                    false => Ok(()),
                }
            }
        }
    }

    /// The next piece of a body; `None` at its end. A body whose bytes are all there needs no end.
    async fn next(
        &self,
        pieces: &mut (impl Stream<Item = object_store::Result<Bytes>> + Unpin),
    ) -> object_store::Result<Option<Bytes>> {
        let is_complete = {
            let received = self.lock();
            received.start + received.bytes.len() as u64 == received.end
        };
        if !is_complete {
            return pieces.next().await.transpose();
        }
        match tokio::time::timeout(END, pieces.next()).await {
            Ok(Some(Ok(more))) => Ok(Some(more)),
            _ => Ok(None),
        }
    }

    /// The error of a request. A version that is no longer there is another one. If the object was read by ranges before, an
    /// answer of the whole object passes, as that of a server among others, or of a cache.
    fn understood(&self, error: Error, is_conditional: bool) -> Error {
        match Failure::of(&error).meaning {
            Meaning::Condition if is_conditional => fault(Fault::Changed),
            Meaning::Whole(_) if self.expected.is_some() => fault(Fault::Broken(
                "the server sent the whole object for a range".to_owned(),
            )),
            _ => error,
        }
    }

    fn options(&self) -> GetOptions {
        let mut received = self.lock();
        let known = received
            .version
            .clone()
            .filter(|_| received.end != u64::MAX && self.resumes);
        let came = received.bytes.len() as u64;
        let range = match &known {
            Some(_) if came > 0 && received.start + came < received.end => {
                Some(GetRange::Bounded(received.start + came..received.end))
            }
            _ => {
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
        let mut received = self.lock();
        let before = received.version.as_ref().or(self.expected.as_ref());
        if before.is_some_and(|before| !before.fits(&version)) {
            return Err(fault(Fault::Changed));
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
                    return Err(Error::Generic {
                        store: "memory",
                        source: "there is no memory for the answer".into(),
                    });
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
                Err(fault(match before + 1 < OF_OTHER_SIZE {
                    true => Fault::Broken(format!(
                        "the server sent an object of {size} bytes, and listed {listed}"
                    )),
                    false => Fault::OtherSize { listed, size },
                }))
            }
            _ => Ok(()),
        }
    }

    /// Takes a piece of the body. Returns true if it is progress: the next try resumes behind it, and no earlier try came as far.
    fn take(&self, piece: &Bytes, is_page: bool) -> object_store::Result<bool> {
        let mut received = self.lock();
        if is_page && received.start == 0 && received.bytes.is_empty() && begins_a_page(piece) {
            return Err(fault(Fault::WebPage));
        }
        let is_bounded = received.end != u64::MAX;
        if !is_bounded && received.bytes.len() as u64 + piece.len() as u64 > LARGEST_WHOLE {
            return Err(fault(Fault::TooLong));
        }
        let room = received
            .end
            .saturating_sub(received.start + received.bytes.len() as u64);
        if piece.len() as u64 > room || received.bytes.try_reserve(piece.len()).is_err() {
            // Nobody knows which of these bytes are those of the range.
            received.bytes.clear();
            return Err(fault(Fault::WrongRange("more bytes than it said".to_owned())));
        }
        received.bytes.extend_from_slice(piece);
        let position = received.start + received.bytes.len() as u64;
        let is_new = self.furthest.fetch_max(position, Ordering::Relaxed) < position;
        Ok(is_new && is_bounded && self.resumes)
    }
}

/// True if the first bytes of a body are those of a web page.
pub(super) fn begins_a_page(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// True if an answer says that it is a web page.
pub(super) fn is_web_page(result: &GetResult) -> bool {
    let kind = result.attributes.get(&Attribute::ContentType);
    kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"))
}

/// A fault in the form that attempts fail with.
pub(super) fn fault(fault: Fault) -> Error {
    Error::Generic {
        store: "remote",
        source: Box::new(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_came_before_are_no_progress() {
        let download = Download::new(Path::from("x"), None, None, true);
        download.lock().end = 100;
        let take = |count: usize| download.take(&Bytes::from(vec![0; count]), false);
        assert!(take(60).unwrap());
        assert!(take(60).is_err(), "more than was told");
        assert!(!take(50).unwrap());
        assert!(take(20).unwrap());
        download.lock().bytes.clear();
        assert!(!take(70).unwrap());
    }
}
