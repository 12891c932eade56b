//! [`RemoteObject`]: one remote object that is read range by range.
//!
//! ```text
//! open ─► GET of the first bytes ─┬─► 206: head, size, version ─► read_exact_at: pieces at once ─► GETs with If-Match
//!                                 ├─► 416 at 0: an empty object
//!                                 └─► 200: no ranges ─► all of it into a file without a name
//! ```

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use futures_util::future::try_join_all;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore};
use tracing::debug;

use super::body::Body;
use super::download::Received;
use super::get::{fetch, get, head, note, path};
use crate::requests::{RemoteStore, Session, Task, Version};
use crate::wire::{Failure, Meaning};
use ncutils_store::requests::fetch_pool::allocate;
use ncutils_store::{
    ByteRange, Done, FailedRequest, FileSource, Get, GetRange, Object, ObjectState, Requests,
    room_for_temporary_files, temporary_file, temporary_folder,
};

/// Bytes of the first request, which stay in memory: all metadata of a small file, and the first of a large one.
pub(crate) const HEAD: u64 = 1 << 20;

/// Longest request, in bytes. Longer ranges come in several at once, as one connection rarely fills a line.
const PIECE: u64 = 8 << 20;

/// Two ranges this many bytes apart are cheaper to read as one: 20 ms at 25 MB/s.
const GAP: u64 = 512 << 10;

/// One remote object.
pub struct RemoteObject {
    session: Arc<Session>,
    path: Path,
    head: Vec<u8>,
    size: u64,
    version: Option<Version>,
}

/// An object that was opened.
pub struct OpenedObject {
    /// The object.
    pub object: Arc<dyn Object>,
    /// What the user should know about it.
    pub warning: Option<String>,
}

impl RemoteObject {
    /// Opens the object with this key by the request for its first bytes. On a plain server the key is empty: the URL itself.
    ///
    /// # Errors
    /// No such object or bucket, no permission, or no answer; text that is no key.
    pub fn open_key(session: &Arc<Session>, key: &str) -> io::Result<OpenedObject> {
        Self::open(session, &path(key)?)
    }

    /// Opens an object by the request for its first bytes.
    ///
    /// # Errors
    /// That of the session: no such object or bucket, no permission, or no answer.
    pub(crate) fn open(session: &Arc<Session>, path: &Path) -> io::Result<OpenedObject> {
        let task = Task::new("open", "");
        let range = Some(object_store::GetRange::Bounded(0..HEAD));
        // A file that others refer to is closed and opened again.
        let received = match session.wait(get(session, &task, path, range, None, true))? {
            Ok(received) => received,
            Err(e) => match Failure::meaning(&e) {
                // The first byte may be behind the end. A refusal alone does not prove that.
                Some(Meaning::PastEnd) => match session.wait(head(session, &task, path))?? {
                    Some(ObjectMeta { size: 0, .. }) => Received::default(),
                    _ => return Err(e),
                },
                Some(Meaning::Whole(_)) => return spooled(session, path),
                _ => return Err(e),
            },
        };
        let size = received.size().unwrap_or(received.bytes.len() as u64);
        debug!(size, head = received.bytes.len(), "opened a remote object");
        let object = Arc::new(Self {
            session: Arc::clone(session),
            path: path.clone(),
            head: received.bytes,
            size,
            version: received.version,
        });
        Ok(OpenedObject {
            object,
            warning: None,
        })
    }

    /// The bytes of one request.
    async fn piece(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let task = Task::new("read", "");
        let changed = |why: &str| {
            let text = format!("{why}{}", Failure::changed());
            Err(Failure::new(Meaning::Condition, text).of_task(&task))
        };
        let range = Some(object_store::GetRange::Bounded(start..start + length as u64));
        let known = self.version.as_ref();
        match get(&self.session, &task, &self.path, range, known, true).await {
            Ok(received) if received.bytes.len() == length => Ok(received.bytes),
            Ok(_) => changed(""),
            // An opened object that ends earlier is another one.
            Err(e) if Failure::meaning(&e) == Some(&Meaning::PastEnd) => {
                changed("the server has no such range (416), so ")
            }
            Err(e) => Err(e),
        }
    }

    /// True if a range lies within the object.
    fn has(&self, offset: u64, length: usize) -> bool {
        let end = offset.checked_add(length as u64);
        end.is_some_and(|end| end <= self.size)
    }

    /// Fills `buf`, by several requests at once if it is long. The object has as many bytes from `offset` on.
    async fn fill(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let (mut offset, mut buf) = (offset, buf);
        if offset < self.head.len() as u64 {
            let from = offset as usize;
            let count = (self.head.len() - from).min(buf.len());
            let (now, later) = buf.split_at_mut(count);
            now.copy_from_slice(&self.head[from..from + count]);
            (offset, buf) = (offset + count as u64, later);
        }
        if buf.is_empty() {
            return Ok(());
        }
        // Pieces of equal length, so that all come at the same time.
        let count = (buf.len() as u64).div_ceil(PIECE);
        let length = (buf.len() as u64).div_ceil(count) as usize;
        let pieces = buf.chunks_mut(length).zip((offset..).step_by(length));
        let read = |(piece, start): (_, u64)| async move {
            let piece: &mut [u8] = piece;
            let bytes = self.piece(start, piece.len()).await?;
            piece.copy_from_slice(&bytes);
            io::Result::Ok(())
        };
        try_join_all(pieces.map(read)).await?;
        Ok(())
    }

    /// The bytes of a range.
    async fn range(&self, range: ByteRange) -> io::Result<Vec<u8>> {
        let is_one = range.offset >= self.head.len() as u64 && (1..=PIECE as usize).contains(&range.length);
        if is_one {
            return self.piece(range.offset, range.length).await;
        }
        let mut bytes = allocate(range.length)?;
        self.fill(range.offset, &mut bytes).await?;
        Ok(bytes)
    }
}

impl Object for RemoteObject {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size))
    }

    fn state(&self) -> io::Result<ObjectState> {
        Ok(self.version.as_ref().map(Version::state).unwrap_or_default())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        if !self.has(offset, buf.len()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.session.wait(self.fill(offset, buf))?
    }

    fn bytes_held(&self) -> u64 {
        self.head.len() as u64
    }

    fn requests(&self) -> Requests {
        Requests::slow(self.session.requests(), GAP)
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let is_missing = |range: &ByteRange| !self.has(range.offset, range.length);
        if let Some(n) = ranges.iter().position(is_missing) {
            return done(Err(FailedRequest::error(n, io::ErrorKind::UnexpectedEof.into())));
        }
        let get = |range: &ByteRange| Get {
            key: String::new(),
            part: GetRange::Range(*range),
        };
        let all = |found: Vec<Option<Vec<u8>>>| found.into_iter().map(Option::unwrap_or_default).collect();
        let done = Box::new(move |found: io::Result<_>| done(found.map(all)));
        fetch(ranges.iter().map(get).collect(), GAP, done, |get| {
            let this = Arc::clone(&self);
            async move {
                match get.part {
                    GetRange::Range(range) => this.range(range).await.map(Some),
                    GetRange::Whole | GetRange::Suffix(_) => Err(io::ErrorKind::InvalidInput.into()),
                }
            }
        });
    }
}

/// Downloads an object of a server without ranges.
fn spooled(session: &Session, path: &Path) -> io::Result<OpenedObject> {
    let task = Task::new("download", "");
    let (file, size, version) = session.run(&task, |store| whole(store, path))?;
    note(session, &task, path, &version, false)?;
    let object = Arc::new(FileSource::of(file)?);
    let warning = format!(
        "the server sends no ranges, so all of it, {size} bytes, was downloaded to a temporary file in {}",
        temporary_folder().display()
    );
    Ok(OpenedObject {
        object,
        warning: Some(warning),
    })
}

async fn whole(store: Arc<dyn RemoteStore>, path: &Path) -> object_store::Result<(File, u64, Version)> {
    let own = |why: String| object_store::Error::from(Failure::last(why));
    let folder = temporary_folder();
    let result = store.get_opts(path, GetOptions::default()).await?;
    let version = Version::of(&result.meta);
    let mut body = Body::of(result);
    let told = body.left();
    let file = temporary_file(Some(&folder), told.unwrap_or(0)).map_err(|e| own(e.to_string()))?;
    // An answer whose length nobody told may have no end.
    let room = told.unwrap_or_else(|| room_for_temporary_files(&folder).unwrap_or(0));
    let mut written = 0;
    while let Some((piece, _)) = body.next().await? {
        let end = written + piece.len() as u64;
        if end > room {
            return Err(match told {
                Some(_) => Failure::passing("the answer is longer than it told").into(),
                None => own(format!(
                    "there is no room for more than {room} bytes in {}, which TMPDIR names, and the server does not tell how many come",
                    folder.display()
                )),
            });
        }
        file.write_all_at(&piece, written)
            .map_err(|e| own(format!("cannot write a temporary file: {e}")))?;
        written = end;
    }
    Ok((file, written, version))
}

#[cfg(test)]
mod tests;
