//! [`FileWriter`]: one file of Parquet with one group of rows, written from its beginning to its end.
//!
//! ```text
//! PAR1 │ column: [dictionary page] data page … │ column … │ FileMetaData │ u32 length │ PAR1
//! data page: PageHeader │ [u32 length │ definition levels] │ values      compressed by Zstandard behind the header
//! ```

use std::io;

use ::zstd::bulk::Compressor;

use super::thrift_writer::{ThriftWriter, push_varint};

/// What the name of the writer begins with, by which the reader knows our files.
pub const WRITER: &str = "ncutils ";

const MAGIC: &[u8; 4] = b"PAR1";

/// The level of Zstandard.
const LEVEL: i32 = 3;

/// `Encoding` of the specification.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;

/// `CompressionCodec.ZSTD`.
const ZSTD: i32 = 6;

/// `PageType`.
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers, of which none is missing.
    Int64,
    /// Text; rows may be missing.
    Text,
    /// Bytes; rows may be missing.
    Bytes,
}

impl ColumnKind {
    fn physical_type(self) -> i32 {
        match self {
            Self::Int64 => 2,
            Self::Text | Self::Bytes => 6,
        }
    }

    fn is_optional(self) -> bool {
        self != Self::Int64
    }
}

/// The values of a page, without those that are missing.
#[derive(Debug, Clone, Copy)]
pub enum PageValues<'a> {
    /// Values as they are: numbers in eight bytes, others behind their length in four, little-endian.
    Plain(&'a [u8]),
    /// Values of the column's dictionary, by their numbers: runs of equal ones, each with its length.
    Runs(&'a [(usize, u8)]),
}

/// A column that is written.
#[derive(Debug)]
struct Column {
    name: &'static str,
    kind: ColumnKind,
    rows: u64,
    nulls: u64,
    begin: u64,
    dictionary: Option<u64>,
    /// Bits of the number of a value in the dictionary.
    index_width: u8,
    first_page: Option<u64>,
    plain: u64,
    compressed: u64,
}

/// A file that is being written. Columns follow each other.
pub struct FileWriter<'a> {
    sink: &'a mut dyn FnMut(&[u8]) -> io::Result<()>,
    at: u64,
    compressor: Compressor<'static>,
    columns: Vec<Column>,
}

impl<'a> FileWriter<'a> {
    /// Begins a file, whose bytes go to `sink`.
    ///
    /// # Errors
    /// Those of `sink`.
    pub fn begin(sink: &'a mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<Self> {
        let mut file = Self {
            sink,
            at: 0,
            compressor: Compressor::new(LEVEL)?,
            columns: Vec::new(),
        };
        file.write(MAGIC)?;
        Ok(file)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (self.sink)(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Begins a column. `dictionary` has at most 256 values, which pages name by number. It is empty for a column of plain values.
    ///
    /// # Errors
    /// Those of the sink; a value that no page holds.
    pub fn column(&mut self, name: &'static str, kind: ColumnKind, dictionary: &[&[u8]]) -> io::Result<()> {
        self.columns.push(Column {
            name,
            kind,
            rows: 0,
            nulls: 0,
            begin: self.at,
            dictionary: (!dictionary.is_empty()).then_some(self.at),
            index_width: width_of(dictionary.len()),
            first_page: None,
            plain: 0,
            compressed: 0,
        });
        if dictionary.is_empty() {
            return Ok(());
        }
        let mut page = Vec::new();
        for value in dictionary {
            push_bytes(&mut page, value)?;
        }
        let count = length_of(dictionary)?.cast_signed();
        self.page(DICTIONARY_PAGE, &page, |header| {
            header.structure(7, |own| {
                own.int32(1, count);
                own.int32(2, PLAIN);
            });
        })
    }

    /// Adds a page to the last column. `present` tells for each row whether it has a value.
    ///
    /// # Errors
    /// Those of the sink; a page that is too long.
    pub fn data_page(&mut self, present: &[bool], values: PageValues<'_>) -> io::Result<()> {
        let at = self.at;
        let Some(column) = self.columns.last_mut() else {
            return Err(io::Error::other("a page without a column"));
        };
        column.first_page.get_or_insert(at);
        column.rows += present.len() as u64;
        column.nulls += present.iter().filter(|is_there| !**is_there).count() as u64;
        let mut page = Vec::new();
        if column.kind.is_optional() {
            let mut levels = Vec::new();
            let runs = present.chunk_by(|one, next| one == next);
            push_runs(&mut levels, runs.map(|run| (run.len(), run[0].into())));
            page.extend(length_of(&levels)?.to_le_bytes());
            page.extend(levels);
        }
        let encoding = match values {
            PageValues::Plain(values) => {
                page.extend_from_slice(values);
                PLAIN
            }
            PageValues::Runs(runs) => {
                page.push(column.index_width);
                push_runs(&mut page, runs.iter().copied());
                RLE_DICTIONARY
            }
        };
        let rows = length_of(present)?.cast_signed();
        self.page(DATA_PAGE, &page, |header| {
            header.structure(5, |own| {
                own.int32(1, rows);
                own.int32(2, encoding);
                own.int32(3, RLE);
                own.int32(4, RLE);
            });
        })
    }

    /// Writes a page. `of_kind` writes the header of its kind.
    fn page(&mut self, kind: i32, page: &[u8], of_kind: impl FnOnce(&mut ThriftWriter)) -> io::Result<()> {
        let compressed = self.compressor.compress(page)?;
        let mut header = ThriftWriter::new();
        header.int32(1, kind);
        header.int32(2, length_of(page)?.cast_signed());
        header.int32(3, length_of(&compressed)?.cast_signed());
        of_kind(&mut header);
        let header = header.finish();
        if let Some(column) = self.columns.last_mut() {
            column.plain += (header.len() + page.len()) as u64;
            column.compressed += (header.len() + compressed.len()) as u64;
        }
        self.write(&header)?;
        self.write(&compressed)
    }

    /// Writes the footer. Returns the length of the file.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self) -> io::Result<u64> {
        let columns = std::mem::take(&mut self.columns);
        let rows = columns.first().map_or(0, |column| column.rows);
        let mut footer = ThriftWriter::new();
        footer.int32(1, 1);
        let schema: Vec<Option<&Column>> = std::iter::once(None).chain(columns.iter().map(Some)).collect();
        footer.structures(2, &schema, |own, column| match column {
            None => {
                own.string(4, "schema");
                own.int32(5, columns.len() as i32);
            }
            Some(column) => {
                own.int32(1, column.kind.physical_type());
                own.int32(3, column.kind.is_optional().into());
                own.string(4, column.name);
                if column.kind == ColumnKind::Text {
                    // `ConvertedType.UTF8`.
                    own.int32(6, 0);
                }
            }
        });
        footer.int64(3, rows);
        let total = columns.iter().map(|column| column.plain).sum();
        footer.structures(4, &[()], |own, ()| {
            own.structures(1, &columns, |own, column| {
                own.int64(2, column.begin);
                own.structure(3, |own| column.describe(own));
            });
            own.int64(2, total);
            own.int64(3, rows);
        });
        footer.string(6, &format!("{WRITER}{}", env!("CARGO_PKG_VERSION")));
        let footer = footer.finish();
        let length = length_of(&footer)?;
        self.write(&footer)?;
        self.write(&length.to_le_bytes())?;
        self.write(MAGIC)?;
        Ok(self.at)
    }
}

impl Column {
    /// `ColumnMetaData` of the specification. Without the number of missing rows, pandas reads numbers as floats.
    fn describe(&self, own: &mut ThriftWriter) {
        own.int32(1, self.kind.physical_type());
        match self.dictionary {
            Some(_) => own.int32s(2, &[PLAIN, RLE, RLE_DICTIONARY]),
            None => own.int32s(2, &[PLAIN, RLE]),
        }
        own.strings(3, self.name);
        own.int32(4, ZSTD);
        own.int64(5, self.rows);
        own.int64(6, self.plain);
        own.int64(7, self.compressed);
        own.int64(9, self.first_page.unwrap_or(self.begin));
        if let Some(at) = self.dictionary {
            own.int64(11, at);
        }
        own.structure(12, |own| own.int64(3, self.nulls));
    }
}

/// Adds a value behind its length.
///
/// # Errors
/// A value that is too long.
pub fn push_bytes(page: &mut Vec<u8>, value: &[u8]) -> io::Result<()> {
    page.extend(length_of(value)?.to_le_bytes());
    page.extend_from_slice(value);
    Ok(())
}

/// A length as Parquet has them.
fn length_of<T>(items: &[T]) -> io::Result<u32> {
    let length = i32::try_from(items.len()).map_err(|_| {
        io::Error::new(
            io::ErrorKind::FileTooLarge,
            "a value of more than 2 GiB, which Parquet cannot hold",
        )
    });
    Ok(length?.cast_unsigned())
}

/// Bits of a number that tells `values` values apart, at least 1.
fn width_of(values: usize) -> u8 {
    values.saturating_sub(1).max(1).ilog2() as u8 + 1
}

/// Adds runs of equal numbers, each a length and a number of at most 8 bits.
fn push_runs(page: &mut Vec<u8>, runs: impl Iterator<Item = (usize, u8)>) {
    for (length, number) in runs {
        push_varint(page, (length as u64) << 1);
        page.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_lengths() {
        let runs = |runs: &[(usize, u8)]| {
            let mut page = Vec::new();
            push_runs(&mut page, runs.iter().copied());
            page
        };
        assert_eq!(runs(&[(2, 1), (1, 0)]), [4, 1, 2, 0]);
        assert_eq!(runs(&[(100, 1)]), [0xC8, 1, 1]);
    }

    #[test]
    fn numbers_have_the_bits_that_they_need() {
        assert_eq!(
            [1, 2, 3, 4, 5, 128, 129, 256].map(width_of),
            [1, 1, 2, 2, 3, 7, 8, 8]
        );
    }

    #[test]
    fn a_file_has_magic_and_footer_at_its_ends() {
        let mut bytes = Vec::new();
        let mut sink = |part: &[u8]| {
            bytes.extend_from_slice(part);
            Ok(())
        };
        let mut file = FileWriter::begin(&mut sink).unwrap();
        file.column("offset", ColumnKind::Int64, &[]).unwrap();
        file.data_page(&[true], PageValues::Plain(&7u64.to_le_bytes()))
            .unwrap();
        let length = file.finish().unwrap();
        assert_eq!(length, bytes.len() as u64);
        assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC));
        let footer = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap());
        assert!(u64::from(footer) < length - 12);
    }
}
