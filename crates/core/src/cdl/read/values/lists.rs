//! [`Lists`]: the data lists of a text. Makes their readers, and finds their errors.

use super::altered::Altered;
use super::data_list::DataList;
use super::elements::Elements;
use super::levels::Levels;
use super::list_reader::ListReader;
use super::miscount::Miscounts;
use crate::cdl::read::constant::enum_members::EnumConstants;
use crate::cdl::read::syntax::errors::Errors;
use crate::cdl::read::syntax::text::Text;
use crate::error::{Error, Result};
use crate::model::{Schema, Type, VarId, fill_value_attribute};
use crate::threads::{self, try_map};

/// Parts of lists that are searched for errors before those found are counted. Each error takes time to find its line.
const CHECKED_AT_ONCE: usize = 64;

/// The data lists of a text.
#[derive(Clone, Copy)]
pub struct Lists<'l> {
    /// The text.
    pub text: &'l Text,
    /// What it declares.
    pub schema: &'l Schema,
    /// The list of each variable.
    pub lists: &'l [Option<DataList>],
    /// The members of the schema's enums.
    pub enums: &'l EnumConstants,
    /// Collects values that do not fit in a field of a compound, or are missing there.
    pub miscounts: &'l Miscounts,
    /// Collects numbers that their type cannot hold as written.
    pub altered: &'l Altered,
}

impl<'l> Lists<'l> {
    /// The parser of the elements of the list that starts at `list`.
    pub fn elements(&self, list: u64) -> Elements<'l> {
        Elements {
            schema: self.schema,
            enums: self.enums,
            miscounts: self.miscounts,
            altered: self.altered,
            list,
        }
    }

    /// The reader of a variable's data list; `None` if it has none.
    pub fn of(&self, var: VarId) -> Option<ListReader<'l>> {
        let list = self.lists.get(var.0)?.as_ref()?;
        let variable = self.schema.var(var);
        let row = match variable.ty {
            Type::Char => Levels::new(self.schema, var).row,
            _ => 1,
        };
        Some(ListReader {
            text: self.text,
            list,
            elements: self.elements(list.start),
            ty: variable.ty,
            fill: fill_value_attribute(variable),
            row,
        })
    }

    /// Parses all values in parallel and keeps none. Adds the first errors in the text, at most one of each part of a list.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn find_errors(&self, errors: &mut Errors) -> Result<()> {
        let mut windows: Vec<(VarId, usize)> = (0..self.lists.len())
            .map(VarId)
            .filter_map(|var| Some((var, self.of(var)?)))
            .flat_map(|(var, list)| list.windows().map(move |window| (var, window)))
            .collect();
        let check = |(var, window): &(VarId, usize)| match self.of(*var) {
            Some(list) => list.check(*window),
            None => Ok(()),
        };
        let checked = try_map(threads::count(), 1, &windows, check);
        if !matches!(checked, Err(Error::Cdl(_))) {
            return checked.map(|_| ());
        }
        let start = |var: VarId| self.lists[var.0].as_ref().map(|list| list.start);
        windows.sort_by_key(|(var, window)| (start(*var), *window));
        for some in windows.chunks(CHECKED_AT_ONCE) {
            let found = try_map(threads::count(), 1, some, |window| match check(window) {
                Err(Error::Cdl(found)) => Ok(found),
                other => other.map(|()| Vec::new()),
            })?;
            errors.add(Error::Cdl(found.concat()))?;
            if errors.is_full() {
                break;
            }
        }
        Ok(())
    }
}
