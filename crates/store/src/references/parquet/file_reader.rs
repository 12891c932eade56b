//! [`Rows`]: the references in one Parquet file.

use std::sync::Arc;

use super::file_writer::WRITER;
use super::page_reader::{Column, Pages, Physical};
use super::thrift_reader::{Thrift, ThriftType, Wrong};
use crate::references::Reference;
use crate::references::reference_pool::{PooledReference, ReferencePool};

const MAGIC: &[u8; 4] = b"PAR1";

/// The references in one file, a row for each chunk.
#[derive(Debug)]
pub struct Rows {
    pool: ReferencePool,
    rows: Vec<Option<PooledReference>>,
}

/// An element of the schema.
#[derive(Debug, Default, Clone)]
struct Element {
    of: i64,
    repetition: i64,
    name: Vec<u8>,
    children: i64,
}

/// A column of a row group.
#[derive(Debug, Default)]
struct Chunk {
    name: Vec<u8>,
    codec: i64,
    values: i64,
    data: i64,
    dictionary: Option<i64>,
    is_elsewhere: bool,
}

/// Reads the references of a file with at most `most` rows.
///
/// # Errors
/// What of Parquet is not read here, and what is damaged.
pub fn read_rows(file: &[u8], most: usize) -> Result<Rows, Wrong> {
    let Footer {
        elements,
        groups,
        is_own,
    } = footer(file)?;
    let leaves = elements.get(1..).unwrap_or_default();
    if leaves.iter().any(|element| element.children != 0) {
        return Err("columns with columns of their own".to_owned());
    }
    let [chunks] = &groups[..] else {
        return Err(format!("{} row groups, where one is expected", groups.len()));
    };
    let column = |name: &str| -> Result<Column, Wrong> {
        let of_name = |found: &[u8]| found == name.as_bytes();
        let element = leaves.iter().find(|element| of_name(&element.name));
        let chunk = chunks.iter().find(|chunk| of_name(&chunk.name));
        let (Some(element), Some(chunk)) = (element, chunk) else {
            return Err(format!("no column '{name}'"));
        };
        read_column(file, element, chunk, most).map_err(|why| format!("column '{name}': {why}"))
    };
    let Column::Bytes(paths, of_path) = column("path")? else {
        return Err("the column path is not of bytes".to_owned());
    };
    let (Column::Integers(offsets), Column::Integers(sizes)) = (column("offset")?, column("size")?) else {
        return Err("the columns offset and size are not of integers".to_owned());
    };
    let Column::Bytes(values, mut of_value) = column("raw")? else {
        return Err("the column raw is not of bytes".to_owned());
    };
    let has_fill = chunks
        .iter()
        .any(|chunk| chunk.name == b"raw" && chunk.dictionary.is_some());
    if is_own && has_fill {
        leave_fill_out(&mut of_value);
    }
    let count = of_path.len();
    if [offsets.len(), sizes.len(), of_value.len()] != [count; 3] {
        return Err("columns of different lengths".to_owned());
    }
    let mut rows = Rows {
        pool: ReferencePool::of_values(values),
        rows: Vec::with_capacity(count),
    };
    for (row, (offset, size)) in offsets.into_iter().zip(sizes).enumerate() {
        let added = match (of_value[row], bytes(&paths, of_path[row])) {
            (Some((from, length)), _) => Ok(Some(rows.pool.inline_at(from, length))),
            (None, Some(path)) => rows.stored(path, offset, size).map(Some),
            (None, None) => Ok(None),
        };
        rows.rows.push(added.map_err(|why| format!("row {row}: {why}"))?);
    }
    rows.pool.finish();
    Ok(rows)
}

fn read_column(file: &[u8], element: &Element, chunk: &Chunk, most: usize) -> Result<Column, Wrong> {
    let of = match element.of {
        1 => Physical::Int32,
        2 => Physical::Int64,
        6 => Physical::ByteArray,
        other => return Err(format!("the type {other}; integers and bytes are read")),
    };
    if chunk.is_elsewhere {
        return Err("it lies in another file".to_owned());
    }
    let pages = Pages {
        of,
        is_optional: match element.repetition {
            0 => false,
            1 => true,
            _ => return Err("a column of lists".to_owned()),
        },
        codec: chunk.codec,
        most,
    };
    let from = chunk
        .dictionary
        .filter(|at| *at > 0)
        .unwrap_or(chunk.data)
        .min(chunk.data);
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let bytes = file.get(from..).ok_or("it lies past the end of the file")?;
    let count = usize::try_from(chunk.values).unwrap_or(usize::MAX);
    pages.read(bytes, count)
}

/// What the end of a file tells.
struct Footer {
    /// The schema.
    elements: Vec<Element>,
    /// The columns of each row group.
    groups: Vec<Vec<Chunk>>,
    /// True if this crate wrote the file.
    is_own: bool,
}

fn footer(file: &[u8]) -> Result<Footer, Wrong> {
    let ends = file.strip_prefix(MAGIC).and_then(|rest| rest.strip_suffix(MAGIC));
    let (before, length) = ends
        .and_then(<[u8]>::split_last_chunk)
        .ok_or("it is no Parquet file")?;
    let length = u32::from_le_bytes(*length) as usize;
    let from = before
        .len()
        .checked_sub(length)
        .ok_or("metadata that is longer than the file")?;
    let (mut elements, mut groups, mut is_own) = (Vec::new(), Vec::new(), false);
    Thrift::new(&before[from..]).structure(|thrift, id, kind| {
        match (id, kind) {
            (2, ThriftType::List) => list(thrift, |thrift| {
                elements.push(element(thrift)?);
                Ok(())
            })?,
            (4, ThriftType::List) => list(thrift, |thrift| {
                groups.push(group(thrift)?);
                Ok(())
            })?,
            (6, ThriftType::Binary) => is_own = thrift.binary()?.starts_with(WRITER.as_bytes()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Footer {
        elements,
        groups,
        is_own,
    })
}

/// Reads a list of structures.
fn list<'b>(
    thrift: &mut Thrift<'b>,
    mut each: impl FnMut(&mut Thrift<'b>) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    match thrift.list()? {
        (ThriftType::Struct, length) => (0..length).try_for_each(|_| each(thrift)),
        _ => Err("metadata of another form".to_owned()),
    }
}

fn element(thrift: &mut Thrift<'_>) -> Result<Element, Wrong> {
    let mut element = Element::default();
    thrift.structure(|thrift, id, kind| {
        match (id, kind) {
            (1, ThriftType::Integer) => element.of = thrift.integer()?,
            (3, ThriftType::Integer) => element.repetition = thrift.integer()?,
            (4, ThriftType::Binary) => element.name = thrift.binary()?.to_vec(),
            (5, ThriftType::Integer) => element.children = thrift.integer()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(element)
}

fn group(thrift: &mut Thrift<'_>) -> Result<Vec<Chunk>, Wrong> {
    let mut chunks = Vec::new();
    thrift.structure(|thrift, id, kind| {
        if (id, kind) != (1, ThriftType::List) {
            return Ok(false);
        }
        list(thrift, |thrift| {
            let mut chunk = Chunk::default();
            thrift.structure(|thrift, id, kind| {
                match (id, kind) {
                    (1, ThriftType::Binary) => chunk.is_elsewhere = !thrift.binary()?.is_empty(),
                    (3, ThriftType::Struct) => column_metadata(thrift, &mut chunk)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
            chunks.push(chunk);
            Ok(())
        })?;
        Ok(true)
    })?;
    Ok(chunks)
}

fn column_metadata(thrift: &mut Thrift<'_>, chunk: &mut Chunk) -> Result<(), Wrong> {
    thrift.structure(|thrift, id, kind| {
        match (id, kind) {
            (3, ThriftType::List) => {
                let (ThriftType::Binary, length) = thrift.list()? else {
                    return Err("metadata of another form".to_owned());
                };
                let names: Result<Vec<_>, Wrong> = (0..length).map(|_| thrift.binary()).collect();
                chunk.name = names?.join(&b'.');
            }
            (4, ThriftType::Integer) => chunk.codec = thrift.integer()?,
            (5, ThriftType::Integer) => chunk.values = thrift.integer()?,
            (9, ThriftType::Integer) => chunk.data = thrift.integer()?,
            (11, ThriftType::Integer) => chunk.dictionary = Some(thrift.integer()?),
            _ => return Ok(false),
        }
        Ok(true)
    })
}

/// Leaves out the chunks of fill values, which this crate writes for chunks that were never written. They are the only value of the
/// dictionary of `raw`, whose bytes come first.
fn leave_fill_out(values: &mut [Option<(u32, u32)>]) {
    let is_fill = |value: &Option<(u32, u32)>| matches!(value, Some((0, length)) if *length > 0);
    values
        .iter_mut()
        .filter(|value| is_fill(value))
        .for_each(|value| *value = None);
}

/// The bytes of a value of a column.
fn bytes(all: &[u8], value: Option<(u32, u32)>) -> Option<&[u8]> {
    let (from, length) = value?;
    all.get(from as usize..)?.get(..length as usize)
}

impl Rows {
    fn stored(
        &mut self,
        path: &[u8],
        offset: Option<i64>,
        size: Option<i64>,
    ) -> Result<PooledReference, Wrong> {
        let object = str::from_utf8(path).map_err(|_| "a path that is not UTF-8")?;
        let number = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok());
        let range = match (number(offset), number(size)) {
            (Some(0), Some(0)) => None,
            (Some(offset), Some(size)) => Some((offset, size)),
            _ => return Err("an offset or a size that is no number from 0 on".to_owned()),
        };
        self.pool.stored(object, range, None).map_err(|e| e.to_string())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes that the rows take in memory, about.
    pub fn cost(&self) -> usize {
        size_of_val(&*self.rows) + self.pool.bytes()
    }

    /// True if a row has a reference.
    pub fn has(&self, row: usize) -> bool {
        matches!(self.rows.get(row), Some(Some(_)))
    }

    /// The reference of a row; `None` if it has none.
    pub fn get(&self, row: usize) -> Option<Reference> {
        let found = self.rows.get(row)?.as_ref()?;
        Some(self.pool.get(found))
    }

    /// The objects that rows lead to.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<str>> {
        self.pool.objects()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::references::StoredRange;

    /// A file as small as it can be: ("/d/a.nc", 7596, 31), ("/d/a.nc", 7627, 28), the value 01 02, nothing.
    const SMALL: &str = "
        504152311500153c153c2c150815001506150600000400000004010400070000002f642f612e6e63070000002f642f612e6e6315001540
        15402c15081500150615060000ac1d000000000000cb1d00000000000000000000000000000000000000000000150015401540
        2c150815001506150600001f000000000000001c000000000000000000000000000000000000000000000015001520
        15202c15081500150615060000060000000400020102000200000001021502195c4806736368656d6115080015
        0c25021804706174682500001504250018066f66667365740015042500180473697a6500150c25021803726177
        001608191c194c26081c150c19250006191804706174681500160816\
        5e165e26083c360400000026661c1504192500061918066f6666736574150016081662166226663c360000000026c8011c
        15041925000619180473697a65150016081662166226c8013c360000000026aa021c150c192500061918037261\
        77150016081642164226aa023c36060000001\
        6e40216080028076e637574696c7300d900000050415231";

    fn small() -> Vec<u8> {
        let digits: Vec<u8> = SMALL.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    }

    #[test]
    fn rows_are_places_values_or_nothing() {
        let rows = read_rows(&small(), 4).unwrap();
        let place = |range| {
            Some(Reference::Stored(StoredRange {
                object: "/d/a.nc".into(),
                range: Some(range),
                version: None,
            }))
        };
        assert_eq!(rows.get(0), place((7596, 31)));
        assert_eq!(rows.get(1), place((7627, 28)));
        assert_eq!(rows.get(2), Some(Reference::Inline(vec![1, 2])));
        assert_eq!((rows.get(3), rows.get(4), rows.len()), (None, None, 4));
        assert!(read_rows(&small(), 3).unwrap_err().contains("4 values"));
    }

    #[test]
    fn damaged_files_are_errors() {
        let file = small();
        for at in 0..file.len() {
            assert!(read_rows(&file[..at], 4).is_err(), "{at}");
            for bit in 0..8 {
                let mut file = file.clone();
                file[at] ^= 1 << bit;
                // Not all bits matter.
                drop(read_rows(&file, 4));
            }
        }
    }
}
