//! [`Record`]: a table of a flatbuffer with all that it leads to, so that it can be changed and written again.
//!
//! [`FieldType`]s describe the fields of a table. Other fields are dropped, and `has_unknown_fields` is set.

use super::flatbuffer_reader::{CopyLimit, Table, Wrong, little_endian};
use super::flatbuffer_writer::{FlatBuffer, FlatTable};

/// What a field of a table is.
#[derive(Debug, Clone, Copy)]
pub enum FieldType {
    /// A number or structure of so many bytes.
    Plain(usize),
    /// A list of elements of so many bytes.
    Elements(usize),
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// A table.
    Table(&'static [FieldType]),
    /// A list of tables.
    Tables(&'static [FieldType]),
    /// One of several tables. The field before it has the number of the table, from 1.
    Union(&'static [&'static [FieldType]]),
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The bytes of a number or structure, or of all elements of a list.
    Bytes(Vec<u8>),
    /// Texts; one if the field is a text.
    Texts(Vec<String>),
    /// Tables; one if the field is a table.
    Records(Vec<Record>),
}

/// The fields of a table, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    fields: Vec<Option<Value>>,
}

/// Bytes in memory of a field without a value.
const FIELD: usize = 24;

/// A field takes 4 bytes or more in a buffer, as does its place in a list of tables that lack it.
const TIMES: usize = 16;

/// A buffer that is being read.
pub struct RecordReader {
    limit: CopyLimit,
    /// True if a table had a field without a [`FieldType`].
    pub has_unknown_fields: bool,
}

impl RecordReader {
    /// Reads from a buffer.
    pub fn of(buffer: &[u8]) -> Self {
        Self {
            limit: CopyLimit::times(TIMES, buffer),
            has_unknown_fields: false,
        }
    }

    /// The fields of a table.
    ///
    /// # Errors
    /// What is damaged.
    pub fn record(&mut self, table: Table<'_>, types: &[FieldType]) -> Result<Record, Wrong> {
        self.limit.take(FIELD * types.len())?;
        self.has_unknown_fields |= table.has_fields_from(types.len())?;
        let mut fields = Vec::with_capacity(types.len());
        for (n, kind) in types.iter().enumerate() {
            fields.push(self.value(table, n, kind)?);
        }
        Ok(Record { fields })
    }

    fn value(&mut self, table: Table<'_>, n: usize, kind: &FieldType) -> Result<Option<Value>, Wrong> {
        Ok(match kind {
            FieldType::Plain(size) => self.bytes(table.plain_bytes(n, *size)?)?,
            FieldType::Elements(size) => self.bytes(table.elements(n, *size)?)?,
            FieldType::Text => match table.text(n)? {
                Some(text) => Some(Value::Texts(vec![self.text(text)?])),
                None => None,
            },
            FieldType::Texts => {
                let Some(all) = table.vector(n, 4)? else {
                    return Ok(None);
                };
                let texts = (0..all.len()).map(|n| self.text(all.text(n)?));
                Some(Value::Texts(texts.collect::<Result<_, Wrong>>()?))
            }
            FieldType::Table(types) => self.one(table, n, types)?,
            FieldType::Tables(types) => {
                let Some(all) = table.vector(n, 4)? else {
                    return Ok(None);
                };
                let records = all.tables().map(|found| self.record(found?, types));
                Some(Value::Records(records.collect::<Result<_, Wrong>>()?))
            }
            FieldType::Union(types) => {
                let [number] = n
                    .checked_sub(1)
                    .map_or(Ok(None), |n| table.plain(n))?
                    .unwrap_or([0]);
                match usize::from(number).checked_sub(1).map(|n| types.get(n)) {
                    None => None,
                    Some(Some(types)) => self.one(table, n, types)?,
                    Some(None) => {
                        self.has_unknown_fields = true;
                        None
                    }
                }
            }
        })
    }

    fn one(&mut self, table: Table<'_>, n: usize, types: &[FieldType]) -> Result<Option<Value>, Wrong> {
        let found = table.table(n)?.map(|found| self.record(found, types));
        Ok(found.transpose()?.map(Value::record))
    }

    fn bytes(&mut self, found: Option<&[u8]>) -> Result<Option<Value>, Wrong> {
        self.limit.take(found.map_or(0, <[u8]>::len))?;
        Ok(found.map(|bytes| Value::Bytes(bytes.to_vec())))
    }

    fn text(&mut self, text: &str) -> Result<String, Wrong> {
        self.limit.take(FIELD + text.len())?;
        Ok(text.to_owned())
    }
}

impl Value {
    /// A number or structure.
    pub fn plain(bytes: impl AsRef<[u8]>) -> Self {
        Self::Bytes(bytes.as_ref().to_vec())
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Texts(vec![text.to_owned()])
    }

    /// A table.
    pub fn record(record: Record) -> Self {
        Self::Records(vec![record])
    }
}

impl Record {
    /// Sets a field.
    pub fn set(&mut self, n: usize, value: Value) {
        if self.fields.len() <= n {
            self.fields.resize(n + 1, None);
        }
        self.fields[n] = Some(value);
    }

    /// This table with a field.
    pub fn with(mut self, n: usize, value: Value) -> Self {
        self.set(n, value);
        self
    }

    fn field(&self, n: usize) -> Option<&Value> {
        self.fields.get(n)?.as_ref()
    }

    /// The bytes of a number, structure or list.
    pub fn bytes(&self, n: usize) -> Option<&[u8]> {
        match self.field(n)? {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A number, 0 if the table does not have it.
    pub fn number(&self, n: usize) -> u64 {
        little_endian(self.bytes(n).unwrap_or_default())
    }

    /// A text.
    pub fn text(&self, n: usize) -> Option<&str> {
        match self.field(n)? {
            Value::Texts(texts) => texts.first().map(String::as_str),
            _ => None,
        }
    }

    /// The tables of a list or of a field.
    pub fn records(&self, n: usize) -> &[Record] {
        match self.field(n) {
            Some(Value::Records(records)) => records,
            _ => &[],
        }
    }

    /// Takes the tables of a list or of a field, which the table does not have then.
    pub fn take_records(&mut self, n: usize) -> Vec<Record> {
        match self.fields.get_mut(n).and_then(Option::take) {
            Some(Value::Records(records)) => records,
            _ => Vec::new(),
        }
    }

    /// Writes the table, to which the offset at `from` leads; the root if it is `None`.
    pub fn write(&self, buffer: &mut FlatBuffer, from: Option<usize>, types: &[FieldType]) {
        let mut table = FlatTable::default();
        for (n, (value, kind)) in self.fields.iter().zip(types).enumerate() {
            table = match (value, kind) {
                (None, _) => table,
                (Some(Value::Bytes(bytes)), FieldType::Plain(_)) => table.inline(n, bytes),
                _ => table.offset(n),
            };
        }
        let mut places = buffer.table(from, &table).into_iter();
        for (n, (value, kind)) in self.fields.iter().zip(types).enumerate() {
            let Some(value) = value else { continue };
            if matches!(kind, FieldType::Plain(_)) {
                continue;
            }
            let Some(place) = places.next() else { continue };
            match (value, kind) {
                (Value::Bytes(bytes), FieldType::Elements(size)) => {
                    // Structures of odd sizes are bytes.
                    let alignment = if size.is_power_of_two() { *size } else { 1 };
                    buffer.elements(place, bytes.len() / (*size).max(1), alignment, bytes);
                }
                (Value::Texts(texts), FieldType::Text) => {
                    buffer.string(place, texts.first().map_or("", String::as_str));
                }
                (Value::Texts(texts), FieldType::Texts) => {
                    let all = buffer.tables(place, texts.len());
                    for (n, text) in texts.iter().enumerate() {
                        buffer.string(all.place(n), text);
                    }
                }
                (Value::Records(records), FieldType::Tables(types)) => {
                    let all = buffer.tables(place, records.len());
                    for (n, record) in records.iter().enumerate() {
                        record.write(buffer, Some(all.place(n)), types);
                    }
                }
                (Value::Records(records), kind) => {
                    let types = match kind {
                        FieldType::Table(types) => Some(*types),
                        FieldType::Union(all) => {
                            let number = n.checked_sub(1).map_or(0, |n| self.number(n));
                            let number = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
                            number.and_then(|n| all.get(n).copied())
                        }
                        _ => None,
                    };
                    if let (Some(types), Some(record)) = (types, records.first()) {
                        record.write(buffer, Some(place), types);
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: &[FieldType] = &[FieldType::Text, FieldType::Plain(4)];
    const OUTER: &[FieldType] = &[
        FieldType::Plain(1),
        FieldType::Union(&[&[], INNER]),
        FieldType::Texts,
        FieldType::Elements(12),
        FieldType::Tables(INNER),
        FieldType::Elements(2),
        FieldType::Table(INNER),
    ];

    #[test]
    fn tables_are_read_as_they_were_written() {
        let inner = |name: &str| {
            Record::default()
                .with(0, Value::text(name))
                .with(1, Value::plain([1, 2, 3, 4]))
        };
        let record = Record::default()
            .with(0, Value::plain([2]))
            .with(1, Value::record(inner("one")))
            .with(2, Value::Texts(vec!["a".to_owned(), String::new()]))
            .with(3, Value::plain([5; 24]))
            .with(4, Value::Records(vec![inner("x"), inner("yy")]))
            .with(5, Value::plain([1, 0, 2, 0]));
        let mut buffer = FlatBuffer::new();
        record.write(&mut buffer, None, OUTER);
        let bytes = buffer.finish();
        let mut reader = RecordReader::of(&bytes);
        let mut found = reader.record(Table::root(&bytes).unwrap(), OUTER).unwrap();
        assert!(!reader.has_unknown_fields);
        assert_eq!(found.fields.pop(), Some(None));
        assert_eq!(found, record);
        let mut reader = RecordReader::of(&bytes);
        reader.record(Table::root(&bytes).unwrap(), &OUTER[..5]).unwrap();
        assert!(reader.has_unknown_fields);
    }
}
