//! [`SourceFile`]: another file that a dataset refers to.

use std::ffi::OsString;
use std::fmt;

use crate::remote_settings::url::shown;
use crate::store::NamedAs;

/// Another file that a dataset refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path of the variable or link that names it; empty for an object that many variables name.
    pub named_by: String,
    /// What the name stands for.
    pub named_as: NamedAs,
    /// The name, as stored: a URL may have a login.
    pub name: String,
    /// Where the file is, or the reason why it is not read: a clause without its subject.
    pub found: Result<OsString, String>,
}

impl fmt::Display for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.named_as {
            NamedAs::ExternalLink => "external link",
            NamedAs::ExternalData => "external data",
            NamedAs::VirtualSource => "virtual source",
            NamedAs::Reference => "reference",
        };
        if !self.named_by.is_empty() {
            write!(f, "{}: ", self.named_by)?;
        }
        write!(f, "{what} {}: ", shown(&self.name).escape_debug())?;
        match &self.found {
            Ok(path) => path.display().fmt(f),
            Err(why) => f.write_str(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_and_signatures_are_not_printed() {
        let file = SourceFile {
            named_by: String::new(),
            named_as: NamedAs::Reference,
            name: "https://user:SECRET@h.org/a.nc?X-Amz-Signature=SECRET".to_owned(),
            found: Err("does not exist".to_owned()),
        };
        assert_eq!(
            file.to_string(),
            "reference https://***@h.org/a.nc?***: does not exist"
        );
    }
}
