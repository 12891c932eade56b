//! [`View`]: a dataset as it is presented.

use std::collections::HashMap;

use super::char_strings::{CharVariable, make_chars};
use super::flatten::flatten;
use super::own_dimensions;
use super::request::ViewRequest;
use crate::error::{Error, Result};
use crate::format::{Extensions, Reader, Region, Written};
use crate::model::{Schema, Values, VarId, VariableLayout};

/// A dataset without groups, without strings, or with dimensions as long as its variables.
///
/// Its variables are those of the dataset below, with the same numbers.
pub struct View<'a> {
    input: &'a dyn Reader,
    schema: Schema,
    chars: HashMap<VarId, CharVariable>,
    warnings: Vec<String>,
}

impl<'a> View<'a> {
    /// `input` as `request` asks for it. Reads all strings that become characters.
    ///
    /// # Errors
    /// [`Error::Request`] for names that clash and for strings that are too long; the errors of reading.
    pub fn new(input: &'a dyn Reader, request: &ViewRequest) -> Result<Self> {
        request.check()?;
        let mut warnings = Vec::new();
        let mut schema = match &request.flatten {
            Some(separator) => {
                let (schema, warning) = flatten(input.schema(), separator)?;
                warnings.extend(warning);
                schema
            }
            None => input.schema().clone(),
        };
        if request.own_dimensions {
            warnings.extend(own_dimensions::add(input, &mut schema));
        }
        let chars = match request.char_strings {
            true => {
                let (chars, warning) = make_chars(input, &mut schema, request)?;
                warnings.extend(warning);
                chars
            }
            false => HashMap::new(),
        };
        Ok(Self {
            input,
            schema,
            chars,
            warnings,
        })
    }

    /// What the user should know of the changes, a line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Reader for View<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match self.chars.get(&var) {
            Some(chars) => &chars.layout,
            None => self.input.layout(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let written = self.input.written(var)?;
        Ok(match (self.chars.get(&var), written) {
            (None, written) => written,
            (Some(chars), Written::Nothing) if chars.fill_is_empty => Written::Nothing,
            (Some(_), _) => Written::All,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.chars.contains_key(&var) {
            true => Err(Error::Internal("a variable that is read by regions".into())),
            false => self.input.read_range(var, offset, buf),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        match self.chars.get(&var) {
            Some(chars) => chars.read_region(self.input, var, region),
            None => self.input.read_region(var, region),
        }
    }

    // A variable of characters has neither chunks nor records, so nobody asks those of the input for it.
    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            check: None,
            cache: None,
            space: None,
            stepped: None,
            ..self.input.extensions()
        }
    }
}
