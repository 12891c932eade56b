//! [`CdlReader`]: a CDL text as a [`Reader`].
//!
//! ```text
//! Text ─► declare ─► CdlReader ─┬─► schema, storage attributes, warnings
//!                               ├─► elements of a variable: ListReader, or fill values
//!                               └─► locate: an error of the copy ─► its line in the text
//! ```

use crate::chunk::{ChunkGrid, Region, byte_count, element_count, resize};
use crate::error::{Alternative, Error, Result};
use crate::format::{Extensions, Reader, Written, read_region};
use crate::model::{
    Encoding, Fill, FillTime, Item, Kind, Schema, Values, VarId, VariableLayout, default_fill_value,
    fill_value_attribute,
};

use super::constant::enum_members::EnumConstants;
use super::declaration::declared::{Declared, declare};
use super::declaration::walk::MAX_WARNINGS;
use super::storage::attributes::StorageAttributes;
use super::storage::plan::fill_type;
use super::syntax::errors::Errors;
use super::syntax::text::Text;
use super::values::altered::Altered;
use super::values::data_list::DataList;
use super::values::lists::Lists;
use super::values::miscount::Miscounts;
use crate::Diagnostic;

/// A variable shorter than its unlimited dimensions is extended with fill values up to this many elements, or up to 16
/// times the elements of its list if that is more. Without the limit, the lists of two unlimited dimensions could make
/// a variable larger than any file.
const MOST_MADE: u64 = 1 << 20;

/// The dataset that a CDL text describes. A variable with values is laid out as one contiguous little-endian piece, as
/// long as its own list. The exception is a variable whose missing records no fill value of the file could supply: it
/// has all records.
pub struct CdlReader {
    text: Text,
    declared: Declared,
    layouts: Vec<VariableLayout>,
    enums: EnumConstants,
    miscounts: Miscounts,
    altered: Altered,
}

impl CdlReader {
    /// Reads the declarations of a text and locates its data lists.
    ///
    /// # Errors
    /// The errors in the text, except in values, which are parsed later; an error of the source.
    pub fn open(text: Text) -> Result<Self> {
        let declared = declare(&text)?;
        Self::new(text, declared)
    }

    /// Makes a reader of `text` and the declarations found in it.
    ///
    /// # Errors
    /// [`Error::Internal`] if `declared` has lists or storage for another number of variables.
    pub fn new(text: Text, declared: Declared) -> Result<Self> {
        let vars = declared.schema.vars.len();
        if declared.lists.len() != vars || declared.storage.len() != vars {
            return Err(Error::Internal(
                "a CDL text's lists are not those of its variables".into(),
            ));
        }
        let layouts = (0..vars)
            .map(|n| layout(&declared.schema, VarId(n), declared.lists[n].as_ref()))
            .collect();
        let mut reader = Self {
            enums: EnumConstants::new(&declared.schema),
            miscounts: Miscounts::default(),
            altered: Altered::default(),
            text,
            declared,
            layouts,
        };
        reader.give_missing_records();
        Ok(reader)
    }

    /// Extends variables that have fewer records than the dimension to all records, if the file has no fill value for
    /// the rest. These are variables of compounds and sequences: their fill value is made of the fill values of their
    /// parts.
    fn give_missing_records(&mut self) {
        for var in (0..self.layouts.len()).map(VarId) {
            let layout = &self.layouts[var.0];
            let shape = self.declared.schema.shape(var);
            let most = element_count(&layout.extent).map_or(0, |own| own.saturating_mul(16).max(MOST_MADE));
            let few = element_count(&shape).is_some_and(|all| all <= most);
            // In the file, an enum has the fill value of its integer type.
            let schema = &self.declared.schema;
            let made = default_fill_value(fill_type(schema, schema.var(var).ty)).is_none();
            if self.is_given(var) && layout.extent != shape && few && made && !self.missing_is_fill(var) {
                let layout = &mut self.layouts[var.0];
                layout.extent = shape;
                // The added records are not in the text, so the variable is no longer one piece of it.
                layout.encoding = Encoding::Structured;
            }
        }
    }

    /// True if the text has at least one value for the variable.
    fn is_given(&self, var: VarId) -> bool {
        let list = self.declared.lists[var.0].as_ref();
        list.is_some_and(|list| !list.empty && !list.extent.contains(&0))
    }

    /// True if elements without a value read the same in the file when they are not written at all.
    fn missing_is_fill(&self, var: VarId) -> bool {
        let layout = &self.layouts[var.0];
        layout.fill.value.is_some() || {
            let mut element = vec![0; layout.element_size];
            let mut heap = Vec::new();
            self.fill(var, &mut element, &mut heap);
            layout.encoding != Encoding::Structured && element.iter().all(|b| *b == 0)
        }
    }

    /// The storage attributes of a variable.
    pub fn storage(&self, var: VarId) -> &StorageAttributes {
        &self.declared.storage[var.0]
    }

    /// The storage attributes of all variables, in the schema's order.
    pub fn storages(&self) -> &[StorageAttributes] {
        &self.declared.storage
    }

    /// The kind of file that the text asks for by `_Format`.
    pub fn format(&self) -> Option<Kind> {
        self.declared.format
    }

    /// Warnings of the first pass.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.declared.warnings
    }

    /// Warnings about storage attributes that have no effect in a file of `kind`.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn warnings_of_storage(&self, kind: Kind) -> Result<Vec<Diagnostic>> {
        let mut all = Vec::new();
        for (at, asked) in self.declared.storage.iter().enumerate() {
            for (name, why) in asked.without_effect(kind.can()) {
                let var = &self.declared.schema.vars[at].name;
                let place = self.declared.places.of(Item::StorageAttribute(VarId(at), name));
                let what = format!("{var}:{name} has no effect: {why}");
                all.push(self.text.diagnostic(place.unwrap_or(0), what)?);
                if all.len() >= MAX_WARNINGS {
                    return Ok(all);
                }
            }
        }
        Ok(all)
    }

    /// Warnings about numbers that their type cannot hold as written, and values for which a field of a compound has no
    /// room. Only values parsed so far are covered.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn warnings_of_values(&self) -> Result<Vec<Diagnostic>> {
        let mut all = self.miscounts.diagnostics(&self.text)?;
        all.extend(self.altered.diagnostics(&self.text)?);
        Ok(all)
    }

    /// The name of the dataset: what stands between `netcdf` and `{`.
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// Adds the place in the text to an error that was found after parsing, for example by the copy. `name` adds a program's
    /// names of options to the error. An error that no change of the text could prevent gets no place.
    pub fn locate(&self, error: Error, name: impl FnOnce(Error) -> Error) -> Error {
        match self.place(&error) {
            Some(at) => self.text.error(at, name(of_text(error)).to_string()),
            None => name(error),
        }
    }

    /// Position in the text of the declaration at fault; the innermost if the error names several.
    fn place(&self, error: &Error) -> Option<u64> {
        match error {
            Error::File { cause, .. } | Error::Chunk { cause, .. } => self.place(cause),
            Error::Variable { name, cause } => self.place(cause).or_else(|| {
                let var = self.declared.schema.var_at(name)?;
                self.declared.places.of(blamed(var, cause)?)
            }),
            Error::About { item, cause } => {
                let place = self.place(cause);
                place.or_else(|| self.declared.places.of(*item))
            }
            _ => None,
        }
    }

    /// Parses all values in parallel and keeps none.
    ///
    /// # Errors
    /// The first errors in the text: at most one of each part of a list.
    pub fn check(&self) -> Result<()> {
        let mut errors = Errors::default();
        self.lists().find_errors(&mut errors)?;
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors.into_error()),
        }
    }

    fn lists(&self) -> Lists<'_> {
        Lists {
            text: &self.text,
            schema: &self.declared.schema,
            lists: &self.declared.lists,
            enums: &self.enums,
            miscounts: &self.miscounts,
            altered: &self.altered,
        }
    }

    /// Reads elements from number `first` on, in C order over the variable's own extent.
    fn read(&self, var: VarId, first: u64, out: &mut [u8], heap: &mut Vec<u8>) -> Result<()> {
        match self.lists().of(var) {
            Some(list) => list.read(first, out, heap),
            None => {
                self.fill(var, out, heap);
                Ok(())
            }
        }
    }

    fn fill(&self, var: VarId, out: &mut [u8], heap: &mut Vec<u8>) {
        let variable = self.declared.schema.var(var);
        let size = self.layouts[var.0].element_size.max(1);
        let fill = fill_value_attribute(variable);
        for element in out.chunks_exact_mut(size) {
            self.lists()
                .elements(0)
                .fill_with(variable.ty, fill, element, heap);
        }
    }

    /// Reads a region element by element: of strings, of sequences, or of a variable of which the list gives only some
    /// records.
    fn structured(&self, var: VarId, region: &Region) -> Result<Values> {
        let layout = &self.layouts[var.0];
        let list = self.declared.lists[var.0].as_ref();
        let extent = list.map_or(&layout.extent, |list| &list.extent);
        let size = layout.element_size;
        let bytes = byte_count(&region.count, size)
            .filter(|_| region.rank() == extent.len() && region.count.len() == extent.len())
            .ok_or_else(|| Error::Damaged("a region outside its variable".into()))?;
        let mut values = Values::default();
        resize(&mut values.bytes, bytes)?;
        if bytes == 0 {
            return Ok(values);
        }
        // All dimensions after `level` are selected whole, so a run along `level` is one piece of the list.
        let mut level = extent.len().saturating_sub(1);
        while level > 0 && region.start[level] == 0 && region.count[level] == extent[level] {
            level -= 1;
        }
        let inner: u64 = extent.iter().skip(level + 1).product();
        let outer = ChunkGrid::new(&region.count[..level], &vec![1; level])?;
        let run = bytes / outer.len() as usize;
        for (n, out) in values.bytes.chunks_exact_mut(run).enumerate() {
            let step = outer.coordinates(n as u64);
            let at: Vec<u64> = step
                .iter()
                .zip(&region.start)
                .map(|(s, start)| s + start)
                .collect();
            let outside = at.iter().zip(extent).any(|(a, length)| a >= length);
            let (start, inside) = match extent.get(level) {
                None => (0, 1),
                Some(_) if outside => (0, 0),
                Some(length) => {
                    let start = region.start[level];
                    (start, length.saturating_sub(start).min(region.count[level]))
                }
            };
            let row = at.iter().zip(extent).fold(0u64, |n, (a, length)| {
                n.saturating_mul(*length).saturating_add(*a)
            });
            let along = extent.get(level).copied().unwrap_or(1);
            let first = row
                .saturating_mul(along)
                .saturating_add(start)
                .saturating_mul(inner);
            let given = (inside * inner) as usize * size;
            self.read(var, first, &mut out[..given], &mut values.heap)?;
            self.fill(var, &mut out[given..], &mut values.heap);
        }
        Ok(values)
    }
}

/// The part of a variable's declaration that caused an error; `None` if no change of the text could have prevented it.
fn blamed(var: VarId, error: &Error) -> Option<Item> {
    match error {
        Error::Chunk { cause, .. } => blamed(var, cause),
        Error::UnknownFilter { .. } | Error::Filter { .. } => Some(Item::StorageAttribute(var, "_Filter")),
        Error::Usage(_)
        | Error::Request { .. }
        | Error::NotHeld { .. }
        | Error::Alternative { .. }
        | Error::Unsupported(_) => Some(Item::Variable(var)),
        _ => None,
    }
}

/// Removes the output file and the chunk from an error: the message shows the text instead.
fn of_text(error: Error) -> Error {
    match error {
        Error::File { cause, .. } | Error::Chunk { cause, .. } => of_text(*cause),
        Error::Variable { name, cause } => of_text(*cause).in_variable(&name),
        Error::UnknownFilter { codec, searched } => Error::Alternative {
            why: format!(
                "{codec} is not built in{searched}, so no values can go through it: take another filter"
            ),
            alternative: Alternative::NoValues,
        },
        other => other,
    }
}

/// The layout of a variable: one contiguous piece, as long as its list.
fn layout(schema: &Schema, id: VarId, list: Option<&DataList>) -> VariableLayout {
    let var = schema.var(id);
    let (element_size, encoding) = schema.storage_encoding(var.ty);
    let extent: Vec<u64> = match list {
        Some(list) => list.extent.clone(),
        None => {
            let own = |d: &crate::model::DimId| match schema.dim(*d) {
                dim if dim.unlimited => 0,
                dim => dim.length,
            };
            var.dims.iter().map(own).collect()
        }
    };
    let explicit = fill_value_attribute(var);
    VariableLayout {
        fill: Fill {
            value: explicit.cloned().or_else(|| default_fill_value(var.ty)),
            explicit: explicit.is_some(),
            no_fill: false,
            time: FillTime::IfSet,
            ..Fill::default()
        },
        ..VariableLayout::contiguous(extent, element_size, encoding)
    }
}

impl Reader for CdlReader {
    fn schema(&self) -> &Schema {
        &self.declared.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let Some(list) = self.declared.lists[var.0].as_ref().filter(|_| self.is_given(var)) else {
            return Ok(Written::Nothing);
        };
        let layout = &self.layouts[var.0];
        // A variable extended beyond its list has fill values that the file does not supply: write all of them.
        Ok(match self.missing_is_fill(var) && layout.extent == list.extent {
            true => Written::Regions(list.given()),
            false => Written::All,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let size = self.layouts[var.0].element_size.max(1);
        let (first, before) = (offset / size as u64, (offset % size as u64) as usize);
        let mut heap = Vec::new();
        if before == 0 && buf.len().is_multiple_of(size) {
            return self.read(var, first, buf, &mut heap);
        }
        // The range may begin and end inside an element.
        let whole = (before + buf.len()).div_ceil(size) * size;
        let mut elements = Vec::new();
        resize(&mut elements, whole)?;
        self.read(var, first, &mut elements, &mut heap)?;
        buf.copy_from_slice(&elements[before..before + buf.len()]);
        Ok(())
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        if self.layouts[var.0].encoding == Encoding::Structured {
            self.structured(var, region)
        } else {
            read_region::read_region(self, var, region)
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions::NONE
    }
}
