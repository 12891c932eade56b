//! [`Table`]: the rows of one file, and how they are written.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use crate::references::parquet::{ColumnKind, FileWriter, PageValues, push_bytes};
use crate::references::value_spool::{SpooledValue, ValueSpool};

/// Bytes of values in one page.
const PAGE: usize = 1 << 20;

/// A row that is there.
pub enum ReferenceRow {
    /// A place in another file; a whole file has the offset and the size 0.
    Stored {
        object: Arc<str>,
        offset: u64,
        size: u64,
    },
    /// Bytes that are stored here.
    Inline(SpooledValue),
}

/// Rows that have a reference, each with its number.
#[derive(Default)]
pub struct Rows {
    rows: Vec<(u32, ReferenceRow)>,
    is_unordered: bool,
}

impl Rows {
    /// Adds a row. It replaces an earlier one of the same number.
    pub fn add(&mut self, number: u32, row: ReferenceRow) {
        self.is_unordered |= self.rows.last().is_some_and(|(last, _)| *last >= number);
        self.rows.push((number, row));
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows of all numbers below `count`; `None` for those that are not there.
    fn all(mut self, count: usize) -> Vec<Option<ReferenceRow>> {
        if self.is_unordered {
            self.rows.sort_by_key(|(number, _)| *number);
        }
        let mut all = Vec::with_capacity(count);
        for (number, row) in self.rows {
            // A row whose number came before is cut off.
            all.resize_with(number as usize, || None);
            all.push(Some(row));
        }
        all.resize_with(count, || None);
        all
    }
}

/// Most objects that the dictionary of a file has. Their numbers have eight bits.
const MOST_OBJECTS: usize = 256;

/// The rows of a file.
pub struct Table<'a> {
    rows: Vec<Option<ReferenceRow>>,
    fill: Option<Vec<u8>>,
    values: &'a RwLock<ValueSpool>,
}

impl<'a> Table<'a> {
    /// `count` rows. Those that are not in `rows` have the value that `fill` makes, or none. Other values are in `values`.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn new(
        rows: Rows,
        count: usize,
        fill: impl FnOnce() -> io::Result<Option<Vec<u8>>>,
        values: &'a RwLock<ValueSpool>,
    ) -> io::Result<Self> {
        let rows = rows.all(count);
        let fill = match rows.iter().any(Option::is_none) {
            true => fill()?,
            false => None,
        };
        Ok(Self { rows, fill, values })
    }

    /// Bytes of values.
    pub fn bytes(&self) -> u64 {
        let inline = |row: &ReferenceRow| match row {
            ReferenceRow::Inline(value) => value.length as u64,
            ReferenceRow::Stored { .. } => 0,
        };
        self.rows.iter().flatten().map(inline).sum::<u64>() + self.fill.as_ref().map_or(0, Vec::len) as u64
    }

    /// Writes the file. Returns its length.
    ///
    /// # Errors
    /// Those of `sink`; a value that cannot be read back.
    pub fn write(&self, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
        let mut file = FileWriter::begin(sink)?;
        self.paths(&mut file)?;
        self.numbers(&mut file, "offset", |offset, _| offset)?;
        self.numbers(&mut file, "size", |_, size| size)?;
        self.raw(&mut file)?;
        file.finish()
    }

    /// Writes the column of the names of objects. Up to 256 objects are a dictionary.
    fn paths(&self, file: &mut FileWriter<'_>) -> io::Result<()> {
        let objects = self.rows.iter().map(|row| match row {
            Some(ReferenceRow::Stored { object, .. }) => Some(object),
            _ => None,
        });
        let present: Vec<bool> = objects.clone().map(|object| object.is_some()).collect();
        let objects = objects.flatten();
        let (mut dictionary, mut runs): (Vec<&Arc<str>>, Vec<(usize, u8)>) = (Vec::new(), Vec::new());
        let (mut numbers, mut last) = (HashMap::new(), None);
        for object in objects.clone() {
            let number = match last {
                // Usually the same object as before.
                Some((last, number)) if Arc::ptr_eq(last, object) => number,
                _ => *numbers.entry(object).or_insert(dictionary.len()),
            };
            let Ok(short) = u8::try_from(number) else { break };
            if number == dictionary.len() {
                dictionary.push(object);
            }
            last = Some((object, number));
            match runs.last_mut() {
                Some((length, last)) if *last == short => *length += 1,
                _ => runs.push((1, short)),
            }
        }
        if numbers.len() > MOST_OBJECTS || dictionary.is_empty() {
            let mut page = Vec::new();
            for object in objects {
                push_bytes(&mut page, object.as_bytes())?;
            }
            file.column("path", ColumnKind::Text, &[])?;
            return file.data_page(&present, PageValues::Plain(&page));
        }
        let dictionary: Vec<&[u8]> = dictionary.iter().map(|object| object.as_bytes()).collect();
        file.column("path", ColumnKind::Text, &dictionary)?;
        file.data_page(&present, PageValues::Runs(&runs))
    }

    /// Writes a column of numbers, which `number` chooses from an offset and a size.
    fn numbers(
        &self,
        file: &mut FileWriter<'_>,
        name: &'static str,
        number: impl Fn(u64, u64) -> u64,
    ) -> io::Result<()> {
        let mut page = Vec::with_capacity(8 * self.rows.len());
        for row in &self.rows {
            let number = match row {
                Some(ReferenceRow::Stored { offset, size, .. }) => number(*offset, *size),
                _ => 0,
            };
            page.extend_from_slice(&number.to_le_bytes());
        }
        file.column(name, ColumnKind::Int64, &[])?;
        file.data_page(&vec![true; self.rows.len()], PageValues::Plain(&page))
    }

    /// Writes the column of values. Pages of fill values have no other values, and repeat the only value of the dictionary.
    fn raw(&self, file: &mut FileWriter<'_>) -> io::Result<()> {
        let dictionary: Vec<&[u8]> = self.fill.iter().map(Vec::as_slice).collect();
        file.column("raw", ColumnKind::Bytes, &dictionary)?;
        let (mut page, mut present, mut fills) = (Vec::new(), Vec::new(), 0);
        for row in &self.rows {
            let (is_fill, value) = match row {
                None => (self.fill.is_some(), None),
                Some(ReferenceRow::Stored { .. }) => (false, None),
                Some(ReferenceRow::Inline(value)) => (false, Some(value)),
            };
            let is_full = page.len() >= PAGE;
            if is_full || is_fill && !page.is_empty() || value.is_some() && fills > 0 {
                raw_page(file, &mut page, &mut present, &mut fills)?;
            }
            present.push(is_fill || value.is_some());
            fills += usize::from(is_fill);
            if let Some(value) = value {
                let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
                push_bytes(&mut page, &values.read(*value)?)?;
            }
        }
        match present.is_empty() {
            true => Ok(()),
            false => raw_page(file, &mut page, &mut present, &mut fills),
        }
    }
}

/// Writes a page of values, and begins the next one.
fn raw_page(
    file: &mut FileWriter<'_>,
    page: &mut Vec<u8>,
    present: &mut Vec<bool>,
    fills: &mut usize,
) -> io::Result<()> {
    match *fills {
        0 => file.data_page(present, PageValues::Plain(page))?,
        count => file.data_page(present, PageValues::Runs(&[(count, 0)]))?,
    }
    page.clear();
    present.clear();
    *fills = 0;
    Ok(())
}
