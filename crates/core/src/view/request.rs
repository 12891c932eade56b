//! [`ViewRequest`]: how a dataset is to be presented.

use super::own_dimensions;
use crate::copy::plan::StringLength;
use crate::error::{Request, Result};
use crate::format::Reader;
use crate::model::name_fault;

/// How a dataset is to be presented. The default presents it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewRequest {
    /// What joins the names of groups and their items, if there are to be no groups.
    pub flatten: Option<String>,
    /// True if strings become arrays of characters.
    pub char_strings: bool,
    /// Bytes of each string that becomes characters. Without it, those of a variable's longest.
    pub string_length: Option<StringLength>,
    /// True if a variable that is longer than a dimension of it is presented whole, along a dimension of its own length.
    pub own_dimensions: bool,
}

impl ViewRequest {
    /// False if `input` is presented as it is.
    pub fn changes(&self, input: &dyn Reader) -> bool {
        self.flatten.is_some() || self.char_strings || self.own_dimensions && own_dimensions::is_needed(input)
    }

    /// Checks the separator of names.
    ///
    /// # Errors
    /// [`Error::Request`](crate::error::Error::Request) for a separator that no name can contain.
    pub fn check(&self) -> Result<()> {
        let Some(separator) = &self.flatten else {
            return Ok(());
        };
        match name_fault(&format!("a{separator}b")) {
            None => Ok(()),
            Some(why) => Err(Request::FlatGroups.misspelled(format!("'{separator}'"), why)),
        }
    }
}
