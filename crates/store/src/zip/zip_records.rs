//! The records of a zip file, as bytes and back (APPNOTE 6.3.10, sections 4.3 to 4.5).
//!
//! ```text
//! local header, data │ local header, data │ … │ central headers │ [zip64 end, its locator] │ end, comment
//! ```
//!
//! All numbers are little-endian. A field of all ones stands for a number that does not fit; the zip64 record, or the
//! zip64 extra field of the header, has it then.

/// Length in bytes of a local header without name and extra field.
pub(crate) const LOCAL: usize = 30;

/// Length in bytes of a central header without name, extra field and comment.
pub(crate) const CENTRAL: usize = 46;

/// Length in bytes of the end record without its comment.
pub(crate) const END: usize = 22;

/// Length in bytes of the zip64 end record, in its version 1.
pub(crate) const END64: usize = 56;

/// Length in bytes of the locator of the zip64 end record.
pub(crate) const LOCATOR: usize = 20;

/// Length in bytes of a data descriptor with a signature and with long sizes.
pub(crate) const DESCRIPTOR: usize = 24;

const LOCAL_SIGNATURE: [u8; 4] = *b"PK\x03\x04";
pub(crate) const CENTRAL_SIGNATURE: [u8; 4] = *b"PK\x01\x02";
const END_SIGNATURE: [u8; 4] = *b"PK\x05\x06";
const END64_SIGNATURE: [u8; 4] = *b"PK\x06\x06";
const LOCATOR_SIGNATURE: [u8; 4] = *b"PK\x06\x07";
const DESCRIPTOR_SIGNATURE: [u8; 4] = *b"PK\x07\x08";

/// The method of data that is stored as it is.
pub(crate) const STORED: u16 = 0;

/// The method deflate.
pub(crate) const DEFLATED: u16 = 8;

/// Flags of encrypted data, strong encryption and masked headers.
pub(crate) const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

/// The flag of sizes that follow the data.
const SIZES_FOLLOW: u16 = 1 << 3;

/// The flag of names in UTF-8.
const UTF8: u16 = 1 << 11;

/// Header of the zip64 extra field.
const ZIP64: u16 = 1;

/// The version that a reader of stored files needs, of folders, and of zip64.
const VERSION: u16 = 10;
const VERSION_FOLDER: u16 = 20;
const VERSION_ZIP64: u16 = 45;

/// The system "Unix" in the version that made an entry, which gives the upper attributes their meaning.
const UNIX: u16 = 3 << 8;

/// 1980-01-01, the first date that DOS knows. The time is 0.
const DATE: u16 = 1 << 5 | 1;

/// Attributes of a file: mode 0644.
const FILE: u32 = 0o100_644 << 16;

/// Attributes of a folder: mode 0755, and the folder flag of DOS.
const FOLDER: u32 = 0o040_755 << 16 | 0x10;

/// The little-endian number from `at` on; 0 if it is cut off.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |n| u16::from_le_bytes(*n))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |n| u32::from_le_bytes(*n))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |n| u64::from_le_bytes(*n))
}

/// What a local header says of use. The central header has it too, but for the length of the extra field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalHeader {
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// Size in bytes of the stored data.
    pub compressed: u64,
    /// Size in bytes of the value.
    pub size: u64,
    /// Length in bytes of the name.
    pub name: u16,
    /// Length in bytes of the extra field.
    pub extra: u16,
}

impl LocalHeader {
    /// Parses the first [`LOCAL`] bytes; `None` if they are not a local header.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        (bytes.len() >= LOCAL && bytes.starts_with(&LOCAL_SIGNATURE)).then(|| Self {
            flags: u16_at(bytes, 6),
            method: u16_at(bytes, 8),
            crc: u32_at(bytes, 14),
            compressed: u32_at(bytes, 18).into(),
            size: u32_at(bytes, 22).into(),
            name: u16_at(bytes, 26),
            extra: u16_at(bytes, 28),
        })
    }

    /// True if the sizes follow the data, in a [`Descriptor`].
    pub fn has_descriptor(&self) -> bool {
        self.flags & SIZES_FOLLOW != 0
    }

    /// Takes the sizes that did not fit from the zip64 field of `extra`. False if it is too short for them.
    pub fn complete(&mut self, extra: &[u8]) -> bool {
        let Some(mut field) = zip64_field(extra) else {
            return true;
        };
        take_long(&mut field, [&mut self.size, &mut self.compressed])
    }

    /// Length in bytes of the header with name and extra field.
    pub fn length(&self) -> usize {
        LOCAL + usize::from(self.name) + usize::from(self.extra)
    }
}

/// A central header: all that is known of an entry but its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CentralHeader {
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// Size in bytes of the stored data.
    pub compressed: u64,
    /// Size in bytes of the value.
    pub size: u64,
    /// Length in bytes of the name.
    pub name: u16,
    /// Length in bytes of the extra field.
    pub extra: u16,
    /// Length in bytes of the comment.
    pub comment: u16,
    /// Number of the disk that has the entry.
    pub disk: u32,
    /// Offset of the local header.
    pub offset: u64,
}

impl CentralHeader {
    /// Parses the first [`CENTRAL`] bytes; `None` if they are not a central header. Call
    /// [`complete`](Self::complete) then.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        (bytes.len() >= CENTRAL && bytes.starts_with(&CENTRAL_SIGNATURE)).then(|| Self {
            flags: u16_at(bytes, 8),
            method: u16_at(bytes, 10),
            crc: u32_at(bytes, 16),
            compressed: u32_at(bytes, 20).into(),
            size: u32_at(bytes, 24).into(),
            name: u16_at(bytes, 28),
            extra: u16_at(bytes, 30),
            comment: u16_at(bytes, 32),
            disk: u16_at(bytes, 34).into(),
            offset: u32_at(bytes, 42).into(),
        })
    }

    /// Length in bytes of the header with name, extra field and comment.
    pub fn length(&self) -> usize {
        CENTRAL + usize::from(self.name) + usize::from(self.extra) + usize::from(self.comment)
    }

    /// Takes the numbers that did not fit from the zip64 field of `extra`. It has them in a fixed order, and none
    /// that did fit. False if it is too short for them.
    pub fn complete(&mut self, extra: &[u8]) -> bool {
        let Some(mut field) = zip64_field(extra) else {
            return true;
        };
        if !take_long(
            &mut field,
            [&mut self.size, &mut self.compressed, &mut self.offset],
        ) {
            return false;
        }
        if self.disk == u32::from(u16::MAX) {
            let Some(found) = field.first_chunk() else {
                return false;
            };
            self.disk = u32::from_le_bytes(*found);
        }
        true
    }
}

/// Takes those of some numbers that did not fit from a zip64 field. False if it is too short for them.
fn take_long<const N: usize>(field: &mut &[u8], numbers: [&mut u64; N]) -> bool {
    for number in numbers {
        if *number == u64::from(u32::MAX) {
            let Some((found, rest)) = field.split_first_chunk() else {
                return false;
            };
            *number = u64::from_le_bytes(*found);
            *field = rest;
        }
    }
    true
}

/// True if bytes begin with the signature of a local header.
pub(crate) fn is_local_header(bytes: &[u8]) -> bool {
    bytes.starts_with(&LOCAL_SIGNATURE)
}

/// A data descriptor: what a local header could not tell, behind the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub crc: u32,
    /// Size in bytes of the stored data.
    pub compressed: u64,
    /// Size in bytes of the value.
    pub size: u64,
    /// Length in bytes of the descriptor.
    pub length: u64,
}

impl Descriptor {
    /// What the descriptor at the beginning of some bytes may be, with short and with long sizes: it does not tell which they
    /// are. `None` if it is none, or has no signature, which writers may leave out.
    pub fn parse(bytes: &[u8]) -> Option<[Self; 2]> {
        bytes.starts_with(&DESCRIPTOR_SIGNATURE).then(|| {
            let crc = u32_at(bytes, 4);
            let short = Self {
                crc,
                compressed: u32_at(bytes, 8).into(),
                size: u32_at(bytes, 12).into(),
                length: 16,
            };
            let long = Self {
                crc,
                compressed: u64_at(bytes, 8),
                size: u64_at(bytes, 16),
                length: 24,
            };
            [long, short]
        })
    }
}

/// The zip64 field of an extra field.
fn zip64_field(mut extra: &[u8]) -> Option<&[u8]> {
    while extra.len() >= 4 {
        let (id, length) = (u16_at(extra, 0), u16_at(extra, 2).into());
        let field = extra.get(4..).and_then(|rest| rest.get(..length))?;
        if id == ZIP64 {
            return Some(field);
        }
        extra = &extra[4 + length..];
    }
    None
}

/// The end record: where the central directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// Numbers of this disk and of the one with the directory.
    pub disks: [u32; 2],
    /// Entries on this disk, and on all.
    pub entries: [u64; 2],
    /// Size in bytes of the directory.
    pub size: u64,
    /// Offset of the directory.
    pub offset: u64,
}

impl End {
    /// Finds the end record in the last bytes of a file. It ends with a comment of a stated length, which ends the
    /// file. Returns its position too.
    pub fn find(tail: &[u8]) -> Option<(usize, Self)> {
        let last = tail.len().checked_sub(END)?;
        let at = (0..=last).rev().find(|at| {
            tail[*at..].starts_with(&END_SIGNATURE)
                && at + END + usize::from(u16_at(tail, at + 20)) == tail.len()
        })?;
        let bytes = &tail[at..];
        let end = Self {
            disks: [u16_at(bytes, 4).into(), u16_at(bytes, 6).into()],
            entries: [u16_at(bytes, 8).into(), u16_at(bytes, 10).into()],
            size: u32_at(bytes, 12).into(),
            offset: u32_at(bytes, 16).into(),
        };
        Some((at, end))
    }

    /// True if a number does not fit, so that the zip64 record has it.
    pub fn overflows(&self) -> bool {
        let [ones16, ones32] = [u64::from(u16::MAX), u64::from(u32::MAX)];
        self.disks.contains(&u16::MAX.into())
            || self.entries.contains(&ones16)
            || self.size == ones32
            || self.offset == ones32
    }

    /// Parses a zip64 end record; `None` if it is not one.
    pub fn parse64(bytes: &[u8]) -> Option<Self> {
        (bytes.len() >= END64 && bytes.starts_with(&END64_SIGNATURE)).then(|| Self {
            disks: [u32_at(bytes, 16), u32_at(bytes, 20)],
            entries: [u64_at(bytes, 24), u64_at(bytes, 32)],
            size: u64_at(bytes, 40),
            offset: u64_at(bytes, 48),
        })
    }

    /// The bytes from the end of the directory to the end of the file. They begin with the zip64 records, if a number
    /// does not fit.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let [_, entries] = self.entries;
        let zip64 =
            entries >= u16::MAX.into() || self.size >= u32::MAX.into() || self.offset >= u32::MAX.into();
        if zip64 {
            out.extend(END64_SIGNATURE);
            out.extend((END64 as u64 - 12).to_le_bytes());
            out.extend((UNIX | VERSION_ZIP64).to_le_bytes());
            out.extend(VERSION_ZIP64.to_le_bytes());
            out.extend([0; 8]);
            for number in [entries, entries, self.size, self.offset] {
                out.extend(number.to_le_bytes());
            }
            out.extend(LOCATOR_SIGNATURE);
            out.extend([0; 4]);
            out.extend(self.offset.saturating_add(self.size).to_le_bytes());
            out.extend(1u32.to_le_bytes());
        }
        let entries = u16::try_from(entries).unwrap_or(u16::MAX);
        out.extend(END_SIGNATURE);
        out.extend([0; 4]);
        out.extend(entries.to_le_bytes());
        out.extend(entries.to_le_bytes());
        out.extend(short(self.size).to_le_bytes());
        out.extend(short(self.offset).to_le_bytes());
        out.extend([0; 2]);
        out
    }
}

/// Parses the locator of the zip64 end record, and returns that record's offset and the number of disks. `None` if it
/// is not a locator.
pub(crate) fn parse_locator(bytes: &[u8]) -> Option<(u64, u32)> {
    (bytes.len() >= LOCATOR && bytes.starts_with(&LOCATOR_SIGNATURE))
        .then(|| (u64_at(bytes, 8), u32_at(bytes, 16)))
}

/// The number, or all ones if it does not fit into 32 bits.
fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// An entry that is written: stored, with times and attributes that are always the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredEntry<'a> {
    /// The name. That of a folder ends in `/`.
    pub name: &'a str,
    pub crc: u32,
    /// Size in bytes.
    pub size: u64,
    /// True if the local header is in zip64 form whatever the size, because its room was taken before the size was known.
    pub long: bool,
    /// Offset of the local header.
    pub offset: u64,
}

impl StoredEntry<'_> {
    /// Length in bytes of the local header of a name of `name` bytes.
    pub fn local_length(name: usize, size: u64) -> usize {
        let extra = if size >= u32::MAX.into() { 20 } else { 0 };
        LOCAL + name + extra
    }

    fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }

    /// The fields that both headers have, from the needed version to the length of the extra field.
    fn shared(&self, zip64: bool, size: u32, extra: usize, out: &mut Vec<u8>) {
        let version = match zip64 {
            true => VERSION_ZIP64,
            false if self.is_folder() => VERSION_FOLDER,
            false => VERSION,
        };
        let flags = if self.name.is_ascii() { 0 } else { UTF8 };
        for number in [version, flags, STORED, 0, DATE] {
            out.extend(number.to_le_bytes());
        }
        for number in [self.crc, size, size] {
            out.extend(number.to_le_bytes());
        }
        for length in [self.name.len(), extra] {
            // A key has at most 1024 bytes, and so has a folder before it.
            out.extend((length as u16).to_le_bytes());
        }
    }

    /// Appends the local header.
    pub fn local(&self, out: &mut Vec<u8>) {
        let zip64 = self.long || self.size >= u32::MAX.into();
        out.extend(LOCAL_SIGNATURE);
        let (size, extra) = if zip64 {
            (u32::MAX, 20)
        } else {
            (short(self.size), 0)
        };
        self.shared(zip64, size, extra, out);
        out.extend(self.name.as_bytes());
        if zip64 {
            // A local header must have both sizes.
            extra_field(&[self.size, self.size], out);
        }
    }

    /// Appends the central header.
    pub fn central(&self, out: &mut Vec<u8>) {
        let mut long = Vec::new();
        if self.size >= u32::MAX.into() {
            long.extend([self.size, self.size]);
        }
        if self.offset >= u32::MAX.into() {
            long.push(self.offset);
        }
        let zip64 = !long.is_empty();
        out.extend(CENTRAL_SIGNATURE);
        out.extend((UNIX | if zip64 { VERSION_ZIP64 } else { VERSION_FOLDER }).to_le_bytes());
        let extra = if zip64 { 4 + 8 * long.len() } else { 0 };
        self.shared(zip64, short(self.size), extra, out);
        // No comment, the first disk, and no internal attributes.
        out.extend([0; 6]);
        out.extend(if self.is_folder() { FOLDER } else { FILE }.to_le_bytes());
        out.extend(short(self.offset).to_le_bytes());
        out.extend(self.name.as_bytes());
        if zip64 {
            extra_field(&long, out);
        }
    }
}

/// Appends a zip64 extra field.
fn extra_field(numbers: &[u64], out: &mut Vec<u8>) {
    out.extend(ZIP64.to_le_bytes());
    out.extend((8 * numbers.len() as u16).to_le_bytes());
    for number in numbers {
        out.extend(number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
