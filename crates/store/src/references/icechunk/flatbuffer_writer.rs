//! [`FlatBuffer`]: tables, vectors and strings as FlatBuffers stores them (its "Internals" page).
//!
//! ```text
//! root offset │ table: offset of its vtable, fields │ vtable: sizes, places of the fields │ what the table leads to │ …
//! ```
//!
//! Offsets lead forward, so a table comes before what it leads to. Strings that many tables share stand at the end.

use std::collections::HashMap;

/// A buffer that is being written. Positions count from its begin.
#[derive(Debug, Default)]
pub struct FlatBuffer {
    bytes: Vec<u8>,
    /// Shared strings, each with the places that lead to it.
    strings: HashMap<String, Vec<usize>>,
    /// The same strings, in the order in which they were met.
    order: Vec<String>,
    /// Places of vtables.
    vtables: HashMap<Vec<u16>, usize>,
}

/// A field of a table.
enum Field {
    /// The field has this number and these bytes.
    Inline(usize, Vec<u8>),
    /// The field leads to something. Its place is filled in later.
    Offset(usize),
}

/// The fields of a table, before it is written.
#[derive(Default)]
pub struct FlatTable {
    fields: Vec<Field>,
}

/// Where the fields of tables of one layout are.
#[derive(Debug, Clone)]
pub struct TableLayout {
    /// Place of the vtable.
    vtable: usize,
    /// Bytes of a table.
    size: usize,
    /// Positions of the fields in a table, in the order in which they were added.
    fields: Vec<usize>,
}

impl TableLayout {
    /// Bytes from the beginning of a table to field number `n` of those that were added.
    pub fn field(&self, n: usize) -> usize {
        self.fields.get(n).copied().unwrap_or_default()
    }
}

/// A vector of tables that are written one by one.
#[derive(Debug, Clone, Copy)]
pub struct Vector {
    /// Place of the offset of the first table.
    first: usize,
}

impl FlatTable {
    /// Adds a number, by its bytes in little-endian order, or a structure.
    pub fn inline(mut self, number: usize, bytes: impl AsRef<[u8]>) -> Self {
        self.fields.push(Field::Inline(number, bytes.as_ref().to_vec()));
        self
    }

    /// Adds a field that leads to a table, a vector or a string, which follows the table.
    pub fn offset(mut self, number: usize) -> Self {
        self.fields.push(Field::Offset(number));
        self
    }
}

/// Alignment of a field of so many bytes: that of the largest number which can be in it.
fn alignment(size: usize) -> usize {
    match size {
        1 | 2 | 4 | 8 => size,
        // Identifiers are bytes.
        _ => 1,
    }
}

impl FlatBuffer {
    /// An empty buffer. Its root table is the first that is written.
    pub fn new() -> Self {
        Self {
            bytes: vec![0; 4],
            ..Self::default()
        }
    }

    fn align(&mut self, to: usize, ahead: usize) {
        let end = (self.bytes.len() + ahead).next_multiple_of(to);
        self.bytes.resize(end - ahead, 0);
    }

    /// Sets the offset at a place, so that it leads to what is written next.
    fn lead(&mut self, place: usize) {
        let offset = (self.bytes.len() - place) as u32;
        self.bytes[place..place + 4].copy_from_slice(&offset.to_le_bytes());
    }

    /// The layout of tables with the fields of this one, whatever their values are.
    pub fn layout(&mut self, table: &FlatTable) -> TableLayout {
        // Numbers of 8 bytes come first, behind the 4 of the vtable's offset.
        let size = |field: &Field| match field {
            Field::Inline(_, bytes) => bytes.len(),
            Field::Offset(_) => 4,
        };
        let number = |field: &Field| match field {
            Field::Inline(number, _) | Field::Offset(number) => *number,
        };
        let mut order: Vec<usize> = (0..table.fields.len()).collect();
        order.sort_by_key(|n| std::cmp::Reverse(alignment(size(&table.fields[*n]))));
        let count = table
            .fields
            .iter()
            .map(|field| number(field) + 1)
            .max()
            .unwrap_or(0);
        let mut places = vec![0u16; count];
        let mut at = 4usize;
        let mut inside = vec![0; table.fields.len()];
        for n in order {
            let field = &table.fields[n];
            // The table begins 4 bytes before a multiple of 8.
            while !(at + 4usize).is_multiple_of(alignment(size(field))) {
                at += 1;
            }
            inside[n] = at;
            places[number(field)] = at as u16;
            at += size(field);
        }
        let mut vtable = vec![(4 + 2 * count) as u16, at as u16];
        vtable.extend(places);
        let known = self.vtables.get(&vtable).copied();
        let of_vtable = known.unwrap_or_else(|| {
            self.align(2, 0);
            let place = self.bytes.len();
            self.bytes.extend(vtable.iter().flat_map(|n| n.to_le_bytes()));
            self.vtables.insert(vtable, place);
            place
        });
        TableLayout {
            vtable: of_vtable,
            size: at,
            fields: inside,
        }
    }

    /// Writes a table of a known layout without values, to which the offset at `from` leads; the root if it is `None`. Returns its place.
    pub fn empty_table(&mut self, from: Option<usize>, layout: &TableLayout) -> usize {
        self.align(8, 4);
        self.lead(from.unwrap_or(0));
        let place = self.bytes.len();
        self.bytes.resize(place + layout.size, 0);
        self.set(place, &((place - layout.vtable) as i32).to_le_bytes());
        place
    }

    /// Sets the bytes at a place.
    pub fn set(&mut self, place: usize, bytes: &[u8]) {
        self.bytes[place..place + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes a table, to which the offset at `from` leads; the root if it is `None`. Returns the places of its offsets, in the order in
    /// which they were added.
    pub fn table(&mut self, from: Option<usize>, table: &FlatTable) -> Vec<usize> {
        let layout = self.layout(table);
        let place = self.empty_table(from, &layout);
        let mut offsets = Vec::new();
        for (field, at) in table.fields.iter().zip(&layout.fields) {
            match field {
                Field::Inline(_, bytes) => self.set(place + at, bytes),
                Field::Offset(_) => offsets.push(place + at),
            }
        }
        offsets
    }

    /// Writes a vector of `count` elements with an alignment, whose bytes are these.
    pub fn elements(&mut self, from: usize, count: usize, alignment: usize, bytes: &[u8]) {
        self.align(alignment.max(4), 4);
        self.lead(from);
        self.bytes.extend_from_slice(&(count as u32).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes a string.
    pub fn string(&mut self, from: usize, text: &str) {
        self.elements(from, text.len(), 1, text.as_bytes());
        self.bytes.push(0);
    }

    /// Leads to a string that other tables may share. It is written at the end.
    pub fn shared_string(&mut self, from: usize, text: &str) {
        match self.strings.get_mut(text) {
            Some(places) => places.push(from),
            None => {
                self.strings.insert(text.to_owned(), vec![from]);
                self.order.push(text.to_owned());
            }
        }
    }

    /// Begins a vector of `count` tables.
    pub fn tables(&mut self, from: usize, count: usize) -> Vector {
        self.elements(from, count, 4, &vec![0; 4 * count]);
        Vector {
            first: self.bytes.len() - 4 * count,
        }
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        for text in std::mem::take(&mut self.order) {
            self.align(4, 0);
            let begin = self.bytes.len();
            for place in self.strings.remove(&text).unwrap_or_default() {
                let offset = (begin - place) as u32;
                self.bytes[place..place + 4].copy_from_slice(&offset.to_le_bytes());
            }
            self.bytes.extend((text.len() as u32).to_le_bytes());
            self.bytes.extend(text.as_bytes());
            self.bytes.push(0);
        }
        self.bytes
    }
}

/// Sets a field of the root table of a finished buffer, which the table has with so many bytes.
pub fn set_root_field(buffer: &mut [u8], number: usize, value: &[u8]) {
    let u32_at = |at: usize| {
        buffer.get(at..at + 4).map_or(0, |bytes| {
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
        })
    };
    let root = u32_at(0);
    let field = root.wrapping_sub(u32_at(root)) + 4 + 2 * number;
    let place = buffer
        .get(field..field + 2)
        .map_or(0, |bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    if let Some(field) = buffer.get_mut(root + place..root + place + value.len()) {
        field.copy_from_slice(value);
    }
}

impl Vector {
    /// The place of an element's offset.
    pub fn place(self, n: usize) -> usize {
        self.first + 4 * n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_leads_to_what_it_has() {
        let mut buffer = FlatBuffer::new();
        let table = FlatTable::default()
            .inline(2, 7u64.to_le_bytes())
            .inline(0, [3])
            .offset(3);
        let offsets = buffer.table(None, &table);
        buffer.string(offsets[0], "abc");
        let bytes = buffer.finish();
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
        let root = u32_at(0);
        assert_eq!(root % 8, 4);
        let vtable = root - u32_at(root);
        assert_eq!([u16_at(vtable), u16_at(vtable + 6)], [4 + 2 * 4, 0]);
        let field = |n: usize| root + u16_at(vtable + 4 + 2 * n);
        assert_eq!(bytes[field(0)], 3);
        assert_eq!((field(2) % 8, u32_at(field(2))), (0, 7));
        let mut changed = bytes.clone();
        set_root_field(&mut changed, 2, &9u64.to_le_bytes());
        assert_eq!((changed[field(2)], changed.len()), (9, bytes.len()));
        let string = field(3) + u32_at(field(3));
        assert_eq!(
            (u32_at(string), &bytes[string + 4..string + 8]),
            (3, &b"abc\0"[..])
        );
    }

    #[test]
    fn vtables_and_shared_strings_are_written_once() {
        let mut buffer = FlatBuffer::new();
        let root = buffer.table(None, &FlatTable::default().offset(0));
        let tables = buffer.tables(root[0], 100);
        for n in 0..100 {
            let of = buffer.table(Some(tables.place(n)), &FlatTable::default().offset(0));
            buffer.shared_string(of[0], "a name that all tables have");
        }
        let size = buffer.finish().len();
        // Each table: its vtable, its string, its place in the vector, and what aligns it.
        assert!(size < 100 * 20, "{size}");
    }
}
