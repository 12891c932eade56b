//! The name of an input for other programs, which references to its bytes have.
//!
//! ```text
//! a.nc                         ─► /data/a.nc
//! s3://bucket/a.nc, https://…  ─► the same, without fragment and login ─► NameForm ─► the name in references
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Location, Target};
use crate::error::{Alternative, Error, Result};
use crate::format::{NameForm, Reader, Referable, ReferenceNames};
use crate::store::ObjectVersion;

impl Location {
    /// The same location, whose stored bytes become references: contiguous variables then have chunks, and chunks have places.
    #[must_use]
    pub fn with_reference_names(mut self, names: Option<ReferenceNames>) -> Self {
        self.reference_names = names;
        self
    }

    /// The absolute path or the URL of an input, as other programs need it.
    ///
    /// # Errors
    /// A path that does not exist or is not UTF-8; a URL that other programs would need a secret for.
    pub fn plain_name(&self) -> Result<String> {
        let name = match &self.target {
            Target::Path(path) => whole_path(path),
            Target::StandardInput => Err(Error::Usage(
                "references lead to files; name a file in place of standard input".to_owned(),
            )),
            Target::Remote(url) => url.for_readers().ok_or_else(|| Error::Alternative {
                why: "the URL has a query, which may be a secret and is not written".to_owned(),
                alternative: Alternative::OtherPlace,
            }),
        };
        name.map_err(self.named())
    }

    /// `reader` with the places of its bytes, if references to these are asked for. `has_places` is false for bytes that are not those
    /// of the file, such as decompressed ones. `version` is that of the file.
    pub(super) fn with_places(
        &self,
        reader: Box<dyn Reader>,
        has_places: bool,
        version: Option<ObjectVersion>,
    ) -> Result<Box<dyn Reader>> {
        let Some(names) = &self.reference_names else {
            return Ok(reader);
        };
        let whole = match (&names.form, &self.target) {
            // Readers have another URL.
            (NameForm::Base { .. }, Target::Remote(url)) => Ok(url.without_query()),
            _ => self.plain_name(),
        };
        let whole = match whole {
            Err(_) if !has_places => String::new(),
            whole => whole?,
        };
        let referable = Referable::new(reader, whole, version, has_places, names.clone());
        Ok(Box::new(referable.map_err(self.named())?))
    }
}

/// The folder that holds all inputs, for [`NameForm::Base`].
///
/// # Errors
/// Those of [`Location::plain_name`].
pub fn common_folder(inputs: &[Location]) -> Result<String> {
    let mut common: Option<String> = None;
    for input in inputs {
        let name = match &input.target {
            Target::Remote(url) => url.without_query(),
            _ => input.plain_name()?,
        };
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        common = Some(match common {
            None => folder.to_owned(),
            Some(before) => shared(&before, folder),
        });
    }
    Ok(common.unwrap_or_default())
}

/// The folders that two paths share.
fn shared(one: &str, other: &str) -> String {
    let both = one.split('/').zip(other.split('/'));
    let same: Vec<&str> = both
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one)
        .collect();
    same.join("/")
}

/// An absolute path. The last name is as it was given, though it may be that of a link: so a folder of links can be published.
fn whole_path(path: &Path) -> Result<String> {
    let found = || -> io::Result<PathBuf> {
        let whole = fs::canonicalize(path)?;
        let Some(name) = path.file_name() else {
            return Ok(whole);
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(fs::canonicalize(folder.unwrap_or(Path::new(".")))?.join(name))
    };
    let whole = found().map_err(|e| Error::io("cannot open", e))?;
    let text = whole.into_os_string().into_string();
    text.map_err(|_| {
        Error::Usage("the path is not UTF-8, which references cannot hold; rename the file".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_shared_by_whole_names() {
        assert_eq!(shared("/d/run1", "/d/run2"), "/d");
        assert_eq!(shared("s3://b/x", "s3://b/x"), "s3://b/x");
    }

    #[test]
    fn urls_are_written_without_secrets() {
        let plain = |url: &str| Location::parse(url).unwrap().plain_name();
        assert_eq!(plain("s3://b/x/a.nc#mode=bytes").unwrap(), "s3://b/x/a.nc");
        assert_eq!(plain("gs://b/x/a.nc").unwrap(), "gs://b/x/a.nc");
        assert_eq!(plain("https://u:p@h.org/d/a.nc").unwrap(), "https://h.org/d/a.nc");
        let error = plain("https://h.org/d/a.nc?X-Amz-Signature=0123abc").unwrap_err();
        assert!(!error.to_string().contains("0123abc"), "{error}");
    }
}
