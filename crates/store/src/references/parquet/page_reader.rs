//! Pages of a column: levels, dictionaries and values.
//!
//! ```text
//! page of version 1: compressed (length, definition levels, values)
//! page of version 2: definition levels, compressed (values)
//! dictionary page: compressed (values)             values: plain, or bit width and numbers in the dictionary
//! ```

use std::io::Read;

use super::snappy;
use super::thrift_reader::{Thrift, ThriftType, Wrong};

/// Most bytes of a page that are unpacked.
const LARGEST: u64 = 256 << 20;

/// The values of a column, `None` where there is none.
#[derive(Debug)]
pub enum Column {
    /// Integers.
    Integers(Vec<Option<i64>>),
    /// Bytes: all of them, and the place of each value.
    Bytes(Vec<u8>, Vec<Option<(u32, u32)>>),
}

/// The physical type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Physical {
    /// 32-bit integers.
    Int32,
    /// 64-bit integers.
    Int64,
    /// Bytes of any length.
    ByteArray,
}

/// What a column's pages need to be read.
#[derive(Debug, Clone, Copy)]
pub struct Pages {
    /// The physical type.
    pub of: Physical,
    /// True if there may be no value.
    pub is_optional: bool,
    /// The number of the codec.
    pub codec: i64,
    /// Most values that the column may have.
    pub most: usize,
}

/// What the header of a page says.
#[derive(Debug, Default)]
struct Header {
    of: i64,
    unpacked: i64,
    packed: i64,
    values: i64,
    encoding: i64,
    levels: i64,
    definition_length: i64,
    repetition_length: i64,
    is_packed: bool,
}

impl Column {
    fn of(of: Physical) -> Self {
        match of {
            Physical::Int32 | Physical::Int64 => Self::Integers(Vec::new()),
            Physical::ByteArray => Self::Bytes(Vec::new(), Vec::new()),
        }
    }

    /// Number of values, those that are not there among them.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Bytes(_, values) => values.len(),
        }
    }

    fn push_none(&mut self) {
        match self {
            Self::Integers(values) => values.push(None),
            Self::Bytes(_, values) => values.push(None),
        }
    }

    /// Adds the value that is plain at the beginning of `bytes`, which it is taken from.
    fn push_plain(&mut self, of: Physical, bytes: &mut &[u8]) -> Result<(), Wrong> {
        let short = || "a page with fewer values than it says".to_owned();
        match self {
            Self::Integers(values) if of == Physical::Int32 => {
                let (value, rest) = bytes.split_first_chunk().ok_or_else(short)?;
                values.push(Some(i32::from_le_bytes(*value).into()));
                *bytes = rest;
            }
            Self::Integers(values) => {
                let (value, rest) = bytes.split_first_chunk().ok_or_else(short)?;
                values.push(Some(i64::from_le_bytes(*value)));
                *bytes = rest;
            }
            Self::Bytes(all, values) => {
                let (length, rest) = bytes.split_first_chunk().ok_or_else(short)?;
                let length = u32::from_le_bytes(*length);
                let (value, rest) = rest.split_at_checked(length as usize).ok_or_else(short)?;
                let from = u32::try_from(all.len()).map_err(|_| "a column of more than 4 GiB")?;
                all.extend_from_slice(value);
                values.push(Some((from, length)));
                *bytes = rest;
            }
        }
        Ok(())
    }

    /// Adds the value of this number in the dictionary, which has the bytes of this column if it is one of bytes.
    fn push_of(&mut self, dictionary: &Self, number: u32) -> Result<(), Wrong> {
        let number = number as usize;
        match (self, dictionary) {
            (Self::Integers(values), Self::Integers(entries)) => values.push(*entry(entries, number)?),
            (Self::Bytes(_, values), Self::Bytes(_, entries)) => values.push(*entry(entries, number)?),
            _ => return Err("a dictionary of another type".to_owned()),
        }
        Ok(())
    }
}

fn entry<T>(entries: &[T], number: usize) -> Result<&T, Wrong> {
    entries
        .get(number)
        .ok_or_else(|| "a value that is not in the dictionary".to_owned())
}

impl Pages {
    /// Reads `count` values from the pages at the beginning of `bytes`.
    ///
    /// # Errors
    /// Pages, encodings and codecs that are not read here, by their names; pages that are damaged.
    pub fn read(&self, bytes: &[u8], count: usize) -> Result<Column, Wrong> {
        if count > self.most {
            return Err(format!(
                "a column of {count} values, where {} are possible",
                self.most
            ));
        }
        let (mut column, mut dictionary) = (Column::of(self.of), Column::of(self.of));
        let mut rest = bytes;
        while column.len() < count {
            let mut thrift = Thrift::new(rest);
            let header = header(&mut thrift)?;
            rest = &rest[thrift.position()..];
            let length = usize::try_from(header.packed).unwrap_or(usize::MAX);
            let (page, behind) = rest
                .split_at_checked(length)
                .ok_or("a page that is longer than its column")?;
            rest = behind;
            let values = usize::try_from(header.values).unwrap_or(usize::MAX);
            match header.of {
                0 | 3 => {
                    if values == 0 || values > count - column.len() {
                        return Err(format!("a page of {values} values in a column of {count}"));
                    }
                    self.data_page(&header, page, values, &mut column, &dictionary)?;
                }
                2 => {
                    if !matches!(header.encoding, 0 | 2) {
                        return Err(unknown("the encoding of a dictionary", header.encoding));
                    }
                    let bytes = self.unpacked(page, header.unpacked)?;
                    // The values of a column of bytes lie where those of its dictionary do.
                    let mut entries = match column {
                        Column::Bytes(ref mut all, _) => Column::Bytes(std::mem::take(all), Vec::new()),
                        Column::Integers(_) => Column::Integers(Vec::new()),
                    };
                    let mut plain = &bytes[..];
                    for _ in 0..values {
                        entries.push_plain(self.of, &mut plain)?;
                    }
                    if let (Column::Bytes(all, _), Column::Bytes(of_entries, _)) = (&mut column, &mut entries)
                    {
                        *all = std::mem::take(of_entries);
                    }
                    dictionary = entries;
                }
                // An index of pages, which nothing here needs.
                1 => {}
                other => return Err(unknown("a page of the type", other)),
            }
        }
        Ok(column)
    }

    fn data_page(
        &self,
        header: &Header,
        page: &[u8],
        values: usize,
        column: &mut Column,
        dictionary: &Column,
    ) -> Result<(), Wrong> {
        let is_first = header.of == 0;
        let (levels, unpacked);
        let mut plain = match is_first {
            true => {
                unpacked = self.unpacked(page, header.unpacked)?;
                let all = &unpacked[..];
                if self.is_optional {
                    if header.levels != 3 {
                        return Err(unknown("the encoding of definition levels", header.levels));
                    }
                    let (length, rest) = all.split_first_chunk().ok_or("a page without levels")?;
                    let length = u32::from_le_bytes(*length) as usize;
                    let (of_levels, rest) = rest
                        .split_at_checked(length)
                        .ok_or("levels that are longer than their page")?;
                    levels = of_levels;
                    rest
                } else {
                    levels = &[];
                    all
                }
            }
            false => {
                let length = usize::try_from(header.definition_length).unwrap_or(usize::MAX);
                if header.repetition_length != 0 {
                    return Err("a column of lists".to_owned());
                }
                let (of_levels, rest) = page
                    .split_at_checked(length)
                    .ok_or("levels that are longer than their page")?;
                levels = of_levels;
                match header.is_packed {
                    true => {
                        unpacked =
                            self.unpacked(rest, header.unpacked.saturating_sub(header.definition_length))?;
                        &unpacked
                    }
                    false => rest,
                }
            }
        };
        let is_there = match self.is_optional {
            true => hybrid(levels, 1, values)?,
            false => Vec::new(),
        };
        let is_there = |n: usize| is_there.get(n).is_none_or(|level| *level == 1);
        match header.encoding {
            0 => {
                for n in 0..values {
                    match is_there(n) {
                        true => column.push_plain(self.of, &mut plain)?,
                        false => column.push_none(),
                    }
                }
            }
            2 | 8 => {
                let present = (0..values).filter(|n| is_there(*n)).count();
                let numbers = match plain.split_first() {
                    Some((width, rest)) => hybrid(rest, *width, present)?,
                    None if present == 0 => Vec::new(),
                    None => return Err("a page without values".to_owned()),
                };
                let mut numbers = numbers.into_iter();
                for n in 0..values {
                    match numbers.as_slice().first().filter(|_| is_there(n)) {
                        Some(number) => {
                            column.push_of(dictionary, *number)?;
                            numbers.next();
                        }
                        None => column.push_none(),
                    }
                }
            }
            other => return Err(unknown("the encoding", other)),
        }
        Ok(())
    }

    /// The bytes of a page without its codec.
    fn unpacked(&self, page: &[u8], size: i64) -> Result<Vec<u8>, Wrong> {
        let size = u64::try_from(size).ok().filter(|size| *size <= LARGEST);
        let size = size.ok_or_else(|| format!("a page of more than {LARGEST} bytes"))?;
        let mut bytes = Vec::new();
        let read = match self.codec {
            0 => {
                bytes.extend_from_slice(page);
                Ok(())
            }
            1 => {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                bytes = snappy::decode(page, size)?;
                Ok(())
            }
            2 => flate2::read::MultiGzDecoder::new(page)
                .take(size + 1)
                .read_to_end(&mut bytes)
                .map(drop),
            6 => zstd::Decoder::with_buffer(page)
                .and_then(|decoder| decoder.take(size + 1).read_to_end(&mut bytes))
                .map(drop),
            other => return Err(format!("the codec {}", codec_name(other))),
        };
        read.map_err(|e| format!("a page that cannot be unpacked: {e}"))?;
        match bytes.len() as u64 == size {
            true => Ok(bytes),
            false => Err("a page that has not the size that it says".to_owned()),
        }
    }
}

fn codec_name(number: i64) -> String {
    match number {
        3 => "LZO".to_owned(),
        4 => "Brotli".to_owned(),
        5 | 7 => "LZ4".to_owned(),
        other => other.to_string(),
    }
}

fn unknown(what: &str, number: i64) -> Wrong {
    let name = match number {
        4 => " (bit-packed)",
        5..=7 => " (delta)",
        9 => " (byte stream split)",
        _ => "",
    };
    format!("{what} {number}{name}")
}

/// Reads the header of a page.
fn header(thrift: &mut Thrift<'_>) -> Result<Header, Wrong> {
    let mut header = Header {
        of: -1,
        is_packed: true,
        ..Header::default()
    };
    thrift.structure(|thrift, id, kind| {
        match (id, kind) {
            (1, ThriftType::Integer) => header.of = thrift.integer()?,
            (2, ThriftType::Integer) => header.unpacked = thrift.integer()?,
            (3, ThriftType::Integer) => header.packed = thrift.integer()?,
            (5 | 7 | 8, ThriftType::Struct) => {
                let is_second = id == 8;
                thrift.structure(|thrift, id, kind| {
                    let field = match (id, is_second, kind) {
                        (7, true, ThriftType::Bool(value)) => {
                            header.is_packed = value;
                            return Ok(true);
                        }
                        (1, _, ThriftType::Integer) => &mut header.values,
                        (2, false, ThriftType::Integer) | (4, true, ThriftType::Integer) => {
                            &mut header.encoding
                        }
                        (3, false, ThriftType::Integer) => &mut header.levels,
                        (5, true, ThriftType::Integer) => &mut header.definition_length,
                        (6, true, ThriftType::Integer) => &mut header.repetition_length,
                        _ => return Ok(false),
                    };
                    *field = thrift.integer()?;
                    Ok(true)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(header)
}

/// `count` numbers of `width` bits, in runs and packed by eight.
fn hybrid(mut bytes: &[u8], width: u8, count: usize) -> Result<Vec<u32>, Wrong> {
    let short = || "numbers that end too early".to_owned();
    if width > 32 {
        return Err(format!("numbers of {width} bits"));
    }
    let width = usize::from(width);
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let mut head = 0u64;
        for shift in (0..35).step_by(7) {
            let (byte, rest) = bytes.split_first().ok_or_else(short)?;
            bytes = rest;
            head |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                break;
            }
        }
        let left = count - numbers.len();
        let length = usize::try_from(head >> 1).unwrap_or(usize::MAX);
        if length == 0 {
            return Err("a run of no numbers".to_owned());
        }
        if head & 1 == 0 {
            let (value, rest) = bytes.split_at_checked(width.div_ceil(8)).ok_or_else(short)?;
            bytes = rest;
            let value = value
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u32::from(*byte));
            numbers.extend(std::iter::repeat_n(value, length.min(left)));
            continue;
        }
        let packed = length.saturating_mul(width).min(bytes.len());
        let (packed, rest) = bytes.split_at(packed);
        bytes = rest;
        for n in 0..length.saturating_mul(8).min(left) {
            let mut value = 0u64;
            let bit = n * width;
            for (at, byte) in packed.iter().skip(bit / 8).take(5).enumerate() {
                value |= u64::from(*byte) << (8 * at);
            }
            if (bit + width).div_ceil(8) > packed.len() {
                return Err(short());
            }
            numbers.push((value >> (bit % 8) & ((1 << width) - 1)) as u32);
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_runs_or_packed() {
        // The example of the specification: 0 to 7 in three bits.
        assert_eq!(
            hybrid(&[3, 0x88, 0xc6, 0xfa], 3, 8).unwrap(),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
        assert_eq!(hybrid(&[6, 1, 4, 0], 1, 4).unwrap(), [1, 1, 1, 0]);
        assert_eq!(hybrid(&[4, 0x34, 0x12], 12, 2).unwrap(), [0x1234, 0x1234]);
        assert_eq!(hybrid(&[4], 0, 2).unwrap(), [0, 0]);
        for wrong in [
            &[][..],
            &[0, 0],
            &[4],
            &[3, 0x88],
            &[0xff, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert!(hybrid(wrong, 3, 8).is_err(), "{wrong:?}");
        }
        assert!(hybrid(&[4, 0], 33, 1).is_err());
    }
}
