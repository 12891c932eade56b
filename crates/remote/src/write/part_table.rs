//! [`PartTable`]: the parts of an object whose bytes come in any order.
//!
//! ```text
//! write ─┬─ part in memory ──── all its bytes are there ─► to be sent, and forgotten
//!        │      └─ no room: the part goes to a nameless temporary file
//!        ├─ part in the file ── all its bytes are there ─► read again, to be sent, and forgotten
//!        └─ the whole object in the file: what is read back, and what has more parts than an upload may have
//! take ──► what is left at the end; bytes that were never written are zero
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::sending::Sending;
use ncutils_store::{WrittenBytes, temporary_file};

/// The sizes that parts may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartSizes {
    /// Bytes of a part where memory is short: the least that S3 takes.
    pub(crate) least: u64,
    /// Bytes of a part.
    pub(crate) usual: u64,
    /// Sizes above `usual` are a multiple of this many bytes.
    pub(crate) unit: u64,
    /// Most parts of an object.
    pub(crate) most: u64,
}

impl PartSizes {
    /// For the stores that are known. S3 has the narrowest limits: 5 MiB, and 10,000 parts.
    pub(crate) const REMOTE: Self = Self {
        least: 5 << 20,
        usual: 8 << 20,
        unit: 1 << 20,
        most: 10_000,
    };

    /// Bytes of each part of an object of `total` bytes, with `limit` bytes of memory for all parts.
    fn of(self, total: u64, limit: u64) -> u64 {
        let enough = limit / 6 >= self.usual;
        let size = if enough { self.usual } else { self.least };
        let needed = total.div_ceil(self.most);
        size.max(needed.checked_next_multiple_of(self.unit).unwrap_or(u64::MAX))
    }
}

/// A part that was not sent yet.
struct Part {
    /// Its bytes; `None` once they are in the temporary file, at their offset in the object.
    bytes: Option<Vec<u8>>,
    written: WrittenBytes,
}

/// A part that has all its bytes: its number, and the bytes.
pub(crate) type FullPart = (u64, Vec<u8>);

/// The parts of an object that is being written.
pub(crate) struct PartTable {
    sizes: PartSizes,
    /// Counts the bytes that are kept in memory.
    sending: Arc<Sending>,
    /// Bytes that the object will have, roughly, if anybody knows.
    expected: Option<u64>,
    /// Bytes of each part but the last; `None` before the first write.
    part: Option<u64>,
    parts: BTreeMap<u64, Part>,
    /// Numbers of parts whose bytes are gone.
    sent: BTreeSet<u64>,
    /// The whole object is in the file, and no part goes up before the end.
    is_whole: bool,
    spool: Option<File>,
    /// Offset behind the last byte that was written.
    end: u64,
    /// The size that was set.
    size: Option<u64>,
}

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

impl PartTable {
    /// An object without bytes, of which `expected` bytes may come.
    pub(crate) fn new(sizes: PartSizes, sending: Arc<Sending>, expected: Option<u64>) -> Self {
        Self {
            sizes,
            sending,
            expected,
            part: None,
            parts: BTreeMap::new(),
            sent: BTreeSet::new(),
            is_whole: false,
            spool: None,
            end: 0,
            size: None,
        }
    }

    /// Sets the size in bytes.
    pub(crate) fn set_size(&mut self, size: u64) {
        self.size = Some(size);
    }

    /// Bytes of the object, as far as is known.
    pub(crate) fn size(&self) -> u64 {
        self.size.unwrap_or(self.end)
    }

    /// Bytes of each part. This call decides it.
    fn part(&mut self) -> io::Result<u64> {
        if let Some(part) = self.part {
            return Ok(part);
        }
        let total = self.size.or(self.expected).unwrap_or(0);
        let part = self.sizes.of(total, self.sending.limit());
        self.part = Some(part);
        // A part must leave room for others.
        if part > (self.sending.limit() / 4).max(self.sizes.least) {
            self.become_whole()?;
        }
        Ok(part)
    }

    /// Puts all bytes into the file until the end.
    fn become_whole(&mut self) -> io::Result<()> {
        if self.is_whole {
            return Ok(());
        }
        if !self.sent.is_empty() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.spool()?;
        for number in self.parts.keys().copied().collect::<Vec<_>>() {
            self.spill(number)?;
        }
        self.parts.clear();
        self.is_whole = true;
        Ok(())
    }

    fn spool(&mut self) -> io::Result<&File> {
        if self.spool.is_none() {
            let size = self.size.or(self.expected).unwrap_or(0);
            self.spool = temporary_file(None, size)
                .or_else(|_| temporary_file(None, 0))
                .ok();
        }
        self.spool.as_ref().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::StorageFull,
                "a temporary file is needed, and the folder for them has no room; set TMPDIR to another",
            )
        })
    }

    /// Writes bytes at `offset`. Returns the parts that are complete now, to be sent at once.
    ///
    /// # Errors
    /// Bytes of a part that was sent already; an object of too many parts; a full disk.
    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<Vec<FullPart>> {
        let mut full = Vec::new();
        if data.is_empty() {
            return Ok(full);
        }
        let end = offset.checked_add(data.len() as u64);
        let end = end.ok_or(io::ErrorKind::FileTooLarge)?;
        let part = self.part()?;
        if !self.is_whole && end.div_ceil(part) > self.sizes.most {
            let most = self.sizes.most;
            self.become_whole().map_err(|e| match e.kind() {
                io::ErrorKind::Unsupported => io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!(
                        "the object is longer than {most} parts of {part} bytes; more memory makes larger parts"
                    ),
                ),
                _ => e,
            })?;
        }
        self.end = self.end.max(end);
        self.size = self.size.map(|size| size.max(end));
        if self.is_whole {
            self.spool()?.write_all_at(data, offset)?;
            return Ok(full);
        }
        let (mut at, mut rest) = (offset, data);
        while !rest.is_empty() {
            let (number, from) = (at / part, at % part);
            let length = usize::try_from(part - from).map_or(rest.len(), |room| room.min(rest.len()));
            let (now, later) = rest.split_at(length);
            self.write_part(number, from, now)?;
            if self.is_full(number, part) {
                full.push((number, self.take(number)?));
            }
            (at, rest) = (at + length as u64, later);
        }
        Ok(full)
    }

    fn write_part(&mut self, number: u64, from: u64, data: &[u8]) -> io::Result<()> {
        let at = number * self.part()? + from;
        if self.sent.contains(&number) {
            return Err(invalid(format!("byte {at} was sent already")));
        }
        let to = from + data.len() as u64;
        self.make_room(number, to)?;
        let Some(part) = self.parts.get_mut(&number) else {
            return Err(io::ErrorKind::OutOfMemory.into());
        };
        part.written.add(from..to);
        match &mut part.bytes {
            Some(bytes) => {
                // Both ends are within the part, which is in memory.
                let range = from as usize..to as usize;
                if bytes.len() < range.end {
                    bytes.resize(range.end, 0);
                }
                bytes[range].copy_from_slice(data);
                Ok(())
            }
            None => self.spool()?.write_all_at(data, at),
        }
    }

    /// Makes room in memory for the first `to` bytes of a part, or moves it to the file.
    fn make_room(&mut self, number: u64, to: u64) -> io::Result<()> {
        let most = self.part()?;
        let part = self.parts.entry(number).or_insert_with(|| Part {
            bytes: Some(Vec::new()),
            written: WrittenBytes::default(),
        });
        let held = part.bytes.as_ref().map(|bytes| bytes.capacity() as u64);
        let Some(held) = held.filter(|held| *held < to) else {
            return Ok(());
        };
        let wanted = (2 * held).max(to).max(64 << 10).min(most);
        let more = wanted - held;
        if !self.sending.keep(more)? {
            // Without a file for parts, memory takes them.
            if self.spool().is_ok() {
                return self.spill(number);
            }
            self.sending.keep_anyway(more);
        }
        let Some(Part {
            bytes: Some(bytes), ..
        }) = self.parts.get_mut(&number)
        else {
            return Ok(());
        };
        if bytes.try_reserve_exact(wanted as usize - bytes.len()).is_err() {
            self.sending.release(more);
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        // The account follows what the allocator really gave.
        self.sending
            .keep_anyway((bytes.capacity() as u64 - held).saturating_sub(more));
        Ok(())
    }

    /// Bytes of a part. The last one is shorter.
    fn length(&self, number: u64, part: u64) -> u64 {
        let left = self.size.map(|size| size.saturating_sub(number * part));
        left.map_or(part, |left| left.min(part))
    }

    fn is_full(&self, number: u64, part: u64) -> bool {
        // An object of one part goes up by one request, when it is complete.
        let is_one = self.size.is_some_and(|size| size <= part);
        let found = self.parts.get(&number).filter(|_| !is_one);
        found.is_some_and(|found| found.written.gaps(part).is_empty())
    }

    /// Moves a part from memory to the file.
    ///
    /// # Errors
    /// If there is no file, or it does not take the bytes. The part stays in memory then.
    fn spill(&mut self, number: u64) -> io::Result<()> {
        let at = number * self.part()?;
        self.spool()?;
        if let (Some(spool), Some(part)) = (&self.spool, self.parts.get_mut(&number))
            && let Some(bytes) = &part.bytes
        {
            spool.write_all_at(bytes, at)?;
            self.sending.release(bytes.capacity() as u64);
            part.bytes = None;
        }
        Ok(())
    }

    /// Fills `buf` with bytes that were written. From now on no part goes up before the end.
    ///
    /// # Errors
    /// `Unsupported` if parts were sent already.
    pub(crate) fn read_back(&mut self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.part()?;
        self.become_whole()?;
        self.read_spooled(offset, buf)
    }

    /// The parts that have not been sent, of an object that gets no more bytes.
    ///
    /// # Errors
    /// If the size that was set cuts off parts that were sent.
    pub(crate) fn close(&mut self) -> io::Result<Vec<u64>> {
        let size = self.size();
        self.size = Some(size);
        if self.is_whole {
            self.part = Some(self.sizes.of(size, self.sending.limit()));
        }
        let count = size.div_ceil(self.part()?).max(1);
        let sent = self.sent();
        // A part that was sent is as long as all others.
        if sent > count || sent == count && self.end > size {
            let end = self.end;
            return Err(invalid(format!(
                "{size} bytes, of an object that had {end} already"
            )));
        }
        Ok((0..count).filter(|number| !self.sent.contains(number)).collect())
    }

    /// Number of the last part that was sent, plus 1.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.last().map_or(0, |number| number + 1)
    }

    /// Takes the bytes of a part out of memory or the file. After that the part counts as sent.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn take(&mut self, number: u64) -> io::Result<Vec<u8>> {
        let part = self.part()?;
        let length = usize::try_from(self.length(number, part)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut is_spooled = self.is_whole;
        let mut bytes = Vec::new();
        if !self.is_whole
            && self.sent.insert(number)
            && let Some(part) = self.parts.remove(&number)
        {
            is_spooled = part.bytes.is_none();
            bytes = part.bytes.unwrap_or_default();
            self.sending.release(bytes.capacity() as u64);
        }
        let more = length.saturating_sub(bytes.len());
        bytes
            .try_reserve_exact(more)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(length, 0);
        if is_spooled {
            self.read_spooled(number * part, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Reads a range of the file. What was never written is zero.
    fn read_spooled(&mut self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let spool = self.spool()?;
        let end = offset.saturating_add(buf.len() as u64);
        if spool.metadata()?.len() < end {
            spool.set_len(end)?;
        }
        spool.read_exact_at(buf, offset)
    }

    /// Forgets all bytes that are kept.
    pub(crate) fn clear(&mut self) {
        let parts = std::mem::take(&mut self.parts).into_values();
        for bytes in parts.filter_map(|part| part.bytes) {
            self.sending.release(bytes.capacity() as u64);
        }
        self.spool = None;
    }
}

#[cfg(test)]
mod tests;
