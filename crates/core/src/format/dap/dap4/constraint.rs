//! Constraints of DAP4: what a URL takes of a dataset (DAP 4.0, volume 1, section 8).
//!
//! ```text
//! ?dap4.ce=/group/v[0:2:10][3];/w
//! ```

use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};
use crate::format::dap::limits::shown;
use crate::format::dap::slice::Slice;

/// A constraint of a URL; without projections it takes everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraint {
    projections: Vec<Projection>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Projection {
    path: String,
    slices: Vec<Slice>,
}

impl Constraint {
    /// Parses the query of a URL.
    ///
    /// # Errors
    /// What is malformed; filters and structures, which are not read.
    pub fn parse(query: &str) -> Result<Self> {
        let query = percent_decode_str(query.trim_start_matches('?')).decode_utf8_lossy();
        let mut made = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("dap4.ce", text)) => {
                    let parts = text.split(';').map(str::trim).filter(|text| !text.is_empty());
                    made.projections = parts.map(Projection::parse).collect::<Result<_>>()?;
                }
                Some(("dap4.checksum", _)) => {}
                _ => {
                    return Err(Error::Usage(format!(
                        "'{}' in the URL's query is not understood; a constraint of DAP4 begins with dap4.ce=",
                        shown(pair)
                    )));
                }
            }
        }
        Ok(made)
    }

    /// What is taken of a variable; `None` for nothing.
    ///
    /// # Errors
    /// Slices that do not fit its shape.
    pub fn of(&self, path: &str, shape: &[u64]) -> Result<Option<Vec<Slice>>> {
        let whole = || shape.iter().map(|length| Slice::whole(*length)).collect();
        if self.projections.is_empty() {
            return Ok(Some(whole()));
        }
        let Some(found) = self.projections.iter().find(|projection| projection.takes(path)) else {
            return Ok(None);
        };
        if found.slices.is_empty() {
            return Ok(Some(whole()));
        }
        let fits = found
            .slices
            .iter()
            .zip(shape)
            .all(|(slice, length)| slice.fits(*length));
        match fits && found.slices.len() == shape.len() {
            true => Ok(Some(found.slices.clone())),
            false => Err(Error::Usage(format!(
                "the constraint of {} does not fit the variable's dimensions",
                shown(path)
            ))),
        }
    }

    /// Checks that each projection takes one of these variables.
    ///
    /// # Errors
    /// Names the one that does not.
    pub fn check_all_found<'a>(&self, paths: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
        let missing = self
            .projections
            .iter()
            .find(|projection| !paths.clone().any(|path| projection.takes(path)));
        match missing {
            None => Ok(()),
            Some(projection) => Err(Error::Usage(format!(
                "the constraint asks for '{}', and the dataset has no such variable",
                shown(&projection.path)
            ))),
        }
    }
}

impl Projection {
    fn parse(text: &str) -> Result<Self> {
        let malformed = || {
            Error::Usage(format!(
                "'{}' in the constraint is malformed; the form is /group/name[first:step:last]",
                shown(text)
            ))
        };
        if text.contains(['|', '{', '}', '(', '=']) {
            return Err(Error::Unsupported(format!(
                "a filter or function in the constraint '{}'",
                shown(text)
            )));
        }
        let end = text.find('[').unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        let mut slices = Vec::new();
        while let Some(inside) = rest.strip_prefix('[') {
            let (slice, behind) = inside.split_once(']').ok_or_else(malformed)?;
            slices.push(Slice::parse(slice).ok_or_else(malformed)?);
            rest = behind;
        }
        if name.is_empty() || !rest.is_empty() {
            return Err(malformed());
        }
        let path = match name.starts_with('/') {
            true => name.to_owned(),
            false => format!("/{name}"),
        };
        Ok(Self { path, slices })
    }

    /// True for the variable itself, and for those of a group.
    fn takes(&self, path: &str) -> bool {
        let behind = path.strip_prefix(self.path.as_str());
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_take_variables_and_groups() {
        let made = Constraint::parse("dap4.ce=/g/v%5B1:2:5%5D;w").unwrap();
        let slice = Slice {
            first: 1,
            step: 2,
            count: 3,
        };
        assert_eq!(made.of("/g/v", &[6]).unwrap(), Some(vec![slice]));
        assert_eq!(made.of("/w", &[2]).unwrap(), Some(vec![Slice::whole(2)]));
        assert_eq!(made.of("/x", &[2]).unwrap(), None);
        assert!(made.of("/g/v", &[5]).is_err() && made.of("/g/v", &[6, 1]).is_err());
        assert!(made.check_all_found(["/g/v"].into_iter()).is_err());
        let group = Constraint::parse("dap4.ce=/g").unwrap();
        assert!(group.of("/g/v", &[]).unwrap().is_some() && group.of("/gg", &[]).unwrap().is_none());
        for query in [
            "x",
            "dap4.ce=/v[",
            "dap4.ce=/v|x>1",
            "dap4.ce=[1]",
            "dap4.ce=/v[2:1]",
        ] {
            assert!(Constraint::parse(query).is_err(), "{query}");
        }
    }
}
