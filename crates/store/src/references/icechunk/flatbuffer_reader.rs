//! [`Table`]: tables of a flatbuffer. Every position is checked when it is followed, and nothing is followed that is not asked for, so a
//! hostile buffer leads in no circle.
//!
//! See <https://flatbuffers.dev/internals/>.

/// Why bytes are no flatbuffer of the expected form.
pub type Wrong = String;

fn short() -> Wrong {
    "a position past the end of the buffer".to_owned()
}

/// A number by its bytes, the lowest first.
pub fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// The `N` bytes at a position.
fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Wrong> {
    let rest = bytes.get(at..).ok_or_else(short)?;
    rest.first_chunk().copied().ok_or_else(short)
}

/// Where the offset at a position leads to.
fn follow(bytes: &[u8], at: usize) -> Result<usize, Wrong> {
    let offset = u32::from_le_bytes(array(bytes, at)?) as usize;
    at.checked_add(offset)
        .filter(|to| *to < bytes.len())
        .ok_or_else(short)
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub struct Table<'b> {
    bytes: &'b [u8],
    at: usize,
    fields: usize,
    /// Bytes of the list of fields.
    length: usize,
}

/// A list.
#[derive(Debug, Clone, Copy)]
pub struct Vector<'b> {
    bytes: &'b [u8],
    /// Position of the first element.
    at: usize,
    length: usize,
}

impl<'b> Table<'b> {
    /// The table that a buffer begins with.
    ///
    /// # Errors
    /// If there is none.
    pub fn root(bytes: &'b [u8]) -> Result<Self, Wrong> {
        Self::at(bytes, follow(bytes, 0)?)
    }

    fn at(bytes: &'b [u8], at: usize) -> Result<Self, Wrong> {
        let back = i32::from_le_bytes(array(bytes, at)?);
        let fields = i64::try_from(at).ok().and_then(|at| at.checked_sub(back.into()));
        let fields = fields.and_then(|at| usize::try_from(at).ok()).ok_or_else(short)?;
        let length = u16::from_le_bytes(array(bytes, fields)?).into();
        Ok(Self {
            bytes,
            at,
            fields,
            length,
        })
    }

    /// The position of a field; `None` if the table does not have it.
    fn field(&self, number: usize) -> Result<Option<usize>, Wrong> {
        let place = 4 + 2 * number;
        if place + 2 > self.length {
            return Ok(None);
        }
        match u16::from_le_bytes(array(self.bytes, self.fields + place)?) {
            0 => Ok(None),
            offset => Ok(Some(self.at + usize::from(offset))),
        }
    }

    /// The bytes of a number or structure; `None` if the table does not have it.
    ///
    /// # Errors
    /// A position past the end.
    pub fn plain<const N: usize>(&self, number: usize) -> Result<Option<[u8; N]>, Wrong> {
        self.field(number)?.map(|at| array(self.bytes, at)).transpose()
    }

    /// The `size` bytes of a number or structure; `None` if the table does not have it.
    ///
    /// # Errors
    /// A position past the end.
    pub fn plain_bytes(&self, number: usize, size: usize) -> Result<Option<&'b [u8]>, Wrong> {
        let Some(at) = self.field(number)? else {
            return Ok(None);
        };
        let end = at.checked_add(size).ok_or_else(short)?;
        self.bytes.get(at..end).ok_or_else(short).map(Some)
    }

    /// True if the table has a field of this number or a later one.
    ///
    /// # Errors
    /// A position past the end.
    pub fn has_fields_from(&self, number: usize) -> Result<bool, Wrong> {
        for number in number..(self.length / 2).saturating_sub(2) {
            if self.field(number)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A number of 64 bits, 0 if the table does not have it.
    ///
    /// # Errors
    /// A position past the end.
    pub fn number(&self, number: usize) -> Result<u64, Wrong> {
        Ok(self.plain(number)?.map_or(0, u64::from_le_bytes))
    }

    /// A number of 32 bits, 0 if the table does not have it.
    ///
    /// # Errors
    /// A position past the end.
    pub fn short_number(&self, number: usize) -> Result<u32, Wrong> {
        Ok(self.plain(number)?.map_or(0, u32::from_le_bytes))
    }

    /// A table in a field; `None` if the table does not have it.
    ///
    /// # Errors
    /// A position past the end.
    pub fn table(&self, number: usize) -> Result<Option<Table<'b>>, Wrong> {
        let place = self.field(number)?;
        place
            .map(|at| Table::at(self.bytes, follow(self.bytes, at)?))
            .transpose()
    }

    /// A list of elements of `size` bytes; `None` if the table does not have it.
    ///
    /// # Errors
    /// A list that is longer than the buffer.
    pub fn vector(&self, number: usize, size: usize) -> Result<Option<Vector<'b>>, Wrong> {
        let Some(place) = self.field(number)? else {
            return Ok(None);
        };
        Vector::at(self.bytes, place, size).map(Some)
    }

    /// The bytes of a list of elements of `size` bytes; `None` if the table does not have it.
    ///
    /// # Errors
    /// A list that is longer than the buffer.
    pub fn elements(&self, number: usize, size: usize) -> Result<Option<&'b [u8]>, Wrong> {
        let vector = self.vector(number, size)?;
        Ok(vector.map(|found| &found.bytes[found.at..found.at + found.length * size]))
    }

    /// Bytes; `None` if the table does not have them.
    ///
    /// # Errors
    /// Bytes past the end.
    pub fn bytes(&self, number: usize) -> Result<Option<&'b [u8]>, Wrong> {
        self.elements(number, 1)
    }

    /// Text; `None` if the table does not have it.
    ///
    /// # Errors
    /// Text that is not UTF-8.
    pub fn text(&self, number: usize) -> Result<Option<&'b str>, Wrong> {
        let Some(place) = self.field(number)? else {
            return Ok(None);
        };
        text_at(self.bytes, place).map(Some)
    }
}

/// The text that the offset at a position leads to.
fn text_at(bytes: &[u8], at: usize) -> Result<&str, Wrong> {
    let found = Vector::at(bytes, at, 1)?;
    std::str::from_utf8(&bytes[found.at..found.at + found.length])
        .map_err(|_| "a text that is not UTF-8".to_owned())
}

impl<'b> Vector<'b> {
    /// The list of elements of `size` bytes that the offset at a position leads to.
    fn at(bytes: &'b [u8], place: usize, size: usize) -> Result<Self, Wrong> {
        let at = follow(bytes, place)?;
        let length = u32::from_le_bytes(array(bytes, at)?) as usize;
        let end = length
            .checked_mul(size)
            .and_then(|bytes| bytes.checked_add(at + 4));
        match end.is_some_and(|end| end <= bytes.len()) {
            true => Ok(Self {
                bytes,
                at: at + 4,
                length,
            }),
            false => Err("a list that is longer than the buffer".to_owned()),
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// An element that is a structure or number of `N` bytes, as many as the list's elements have.
    ///
    /// # Errors
    /// An element past the end.
    pub fn plain<const N: usize>(&self, n: usize) -> Result<[u8; N], Wrong> {
        match n < self.length {
            true => array(self.bytes, self.at + n * N),
            false => Err(short()),
        }
    }

    /// An element that is a table.
    ///
    /// # Errors
    /// An element past the end.
    pub fn table(&self, n: usize) -> Result<Table<'b>, Wrong> {
        match n < self.length {
            true => Table::at(self.bytes, follow(self.bytes, self.at + 4 * n)?),
            false => Err(short()),
        }
    }

    /// An element that is a text.
    ///
    /// # Errors
    /// An element past the end; text that is not UTF-8.
    pub fn text(&self, n: usize) -> Result<&'b str, Wrong> {
        match n < self.length {
            true => text_at(self.bytes, self.at + 4 * n),
            false => Err(short()),
        }
    }

    /// The elements, which are tables.
    pub fn tables(self) -> impl Iterator<Item = Result<Table<'b>, Wrong>> {
        (0..self.length).map(move |n| self.table(n))
    }
}

/// What may still be copied out of a flatbuffer. Its tables may share their parts, so copies could take any memory.
#[derive(Debug)]
pub struct CopyLimit {
    left: usize,
}

impl CopyLimit {
    /// Four times the bytes of a buffer, in which no writer shares so much.
    pub fn of(buffer: &[u8]) -> Self {
        Self::times(4, buffer)
    }

    /// This many times the bytes of a buffer, for values that take more bytes in memory than in the buffer.
    pub fn times(times: usize, buffer: &[u8]) -> Self {
        Self {
            left: buffer.len().saturating_mul(times),
        }
    }

    /// Counts bytes that are copied.
    ///
    /// # Errors
    /// More than the buffer explains.
    pub fn take(&mut self, bytes: usize) -> Result<(), Wrong> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or("tables that share too many parts")?;
        Ok(())
    }
}
