//! [`ViewRequest`]: how a dataset is to be presented.

use crate::copy::plan::StringLength;
use crate::error::{Request, Result};
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
}

impl ViewRequest {
    /// True if the dataset is presented as it is.
    pub fn is_empty(&self) -> bool {
        self.flatten.is_none() && !self.char_strings
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
