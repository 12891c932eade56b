//! [`Table`]: the rows of one file, and how they are written.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use crate::references::parquet::{ColumnKind, FileWriter, PageValues, push_bytes};
use crate::references::value_spool::{SpooledValue, ValueSpool};

/// Bytes of values in one page.
const PAGE: usize = 1 << 20;

/// Rows of a file.
pub type Rows = BTreeMap<u32, Row>;

/// A row that is there.
pub enum Row {
    /// A place in another file; a whole file has the offset and the size 0.
    Stored {
        object: Arc<str>,
        offset: u64,
        size: u64,
    },
    /// Bytes that are stored here.
    Inline(SpooledValue),
}

/// The rows of a file.
pub struct Table<'a> {
    pub rows: &'a Rows,
    /// The number of rows, also of those that are not there.
    pub count: usize,
    pub fill: Option<&'a [u8]>,
    pub values: &'a RwLock<ValueSpool>,
}

impl Table<'_> {
    fn row(&self, at: usize) -> Option<&Row> {
        self.rows.get(&(at as u32))
    }

    /// Bytes of values.
    pub fn bytes(&self) -> u64 {
        let inline = |row: &Row| match row {
            Row::Inline(value) => value.length as u64,
            Row::Stored { .. } => 0,
        };
        self.rows.values().map(inline).sum::<u64>() + self.fill.map_or(0, <[u8]>::len) as u64
    }

    /// Writes the file. Returns its length.
    ///
    /// # Errors
    /// Those of `sink`; a value that cannot be read back.
    pub fn write(&self, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
        let all = 0..self.count;
        let stored = |at| match self.row(at) {
            Some(Row::Stored { object, offset, size }) => Some((object, *offset, *size)),
            _ => None,
        };
        let mut file = FileWriter::begin(sink)?;
        let mut page = Vec::new();
        file.column("path", ColumnKind::Text, None)?;
        for at in all.clone() {
            if let Some((object, ..)) = stored(at) {
                push_bytes(&mut page, object.as_bytes())?;
            }
        }
        let present: Vec<bool> = all.clone().map(|at| stored(at).is_some()).collect();
        file.data_page(&present, PageValues::Plain(&page))?;
        let numbers = |number: fn((&Arc<str>, u64, u64)) -> u64| {
            let rows = all.clone().map(|at| stored(at).map_or(0, number).to_le_bytes());
            rows.collect::<Vec<_>>().as_flattened().to_vec()
        };
        let everywhere = vec![true; self.count];
        file.column("offset", ColumnKind::Int64, None)?;
        file.data_page(&everywhere, PageValues::Plain(&numbers(|(_, offset, _)| offset)))?;
        file.column("size", ColumnKind::Int64, None)?;
        file.data_page(&everywhere, PageValues::Plain(&numbers(|(.., size)| size)))?;
        file.column("raw", ColumnKind::Bytes, self.fill)?;
        self.raw(&mut file)?;
        file.finish()
    }

    /// The pages of values. Those of fill values repeat the only value of the dictionary, and have no other values.
    fn raw(&self, file: &mut FileWriter<'_>) -> io::Result<()> {
        let (mut page, mut present, mut fills) = (Vec::new(), Vec::new(), 0);
        for at in 0..self.count {
            let (is_fill, value) = match self.row(at) {
                None => (self.fill.is_some(), None),
                Some(Row::Stored { .. }) => (false, None),
                Some(Row::Inline(value)) => (false, Some(value)),
            };
            let is_full = page.len() >= PAGE;
            if is_full || is_fill && !page.is_empty() || value.is_some() && fills > 0 {
                self.page(file, &mut page, &mut present, &mut fills)?;
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
            false => self.page(file, &mut page, &mut present, &mut fills),
        }
    }

    fn page(
        &self,
        file: &mut FileWriter<'_>,
        page: &mut Vec<u8>,
        present: &mut Vec<bool>,
        fills: &mut usize,
    ) -> io::Result<()> {
        let values = match *fills {
            0 => PageValues::Plain(page),
            count => PageValues::Repeated(count),
        };
        file.data_page(present, values)?;
        page.clear();
        present.clear();
        *fills = 0;
        Ok(())
    }
}
