//! Constraint expressions: what a URL takes of a dataset, and what a request asks for (DAP 2.0, section 4.4).
//!
//! ```text
//! ?SST[0:2:10][3],TIME&rows.a>5        projections, then selections
//! ```

use super::leaf::{Leaf, LeafDim, LeafPlace};
use super::names::decoded;
use crate::error::{Error, Result};
use crate::format::dap::limits::shown;
use crate::format::dap::slice::Slice;

/// A constraint of a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraint {
    projections: Vec<Projection>,
    /// The selections, as typed, each with its `&`.
    pub selections: String,
    /// The whole constraint, if its projections call functions of the server. Then there are no projections and selections here.
    pub called: Option<String>,
}

/// A variable that is asked for: its name, and the slices of each part of the name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Projection {
    typed: String,
    parts: Vec<(String, Vec<Slice>)>,
}

impl Constraint {
    /// Parses the query of a URL; an empty one takes everything.
    ///
    /// # Errors
    /// What is malformed; functions in selections.
    pub fn parse(query: &str) -> Result<Self> {
        let text = decoded(query.trim_start_matches('?'));
        let (projections, selections) = match text.find('&') {
            Some(at) => text.split_at(at),
            None => (text.as_str(), ""),
        };
        if selections.is_empty() && projections.contains('(') {
            return Ok(Self {
                called: Some(text),
                ..Self::default()
            });
        }
        if selections.contains('(') {
            return Err(Error::Unsupported(format!(
                "a function of the server in the selections '{}'",
                shown(selections)
            )));
        }
        let projections = projections.split(',').filter(|text| !text.trim().is_empty());
        Ok(Self {
            projections: projections.map(Projection::parse).collect::<Result<_>>()?,
            selections: selections.to_owned(),
            called: None,
        })
    }

    /// The projections as typed, if there are several; `None` otherwise.
    pub fn several(&self) -> Option<String> {
        let typed: Vec<&str> = self.projections.iter().map(|one| &*one.typed).collect();
        (typed.len() > 1).then(|| typed.join(","))
    }

    /// The variables that are asked for, with their slices, in the order of the dataset.
    ///
    /// # Errors
    /// A name that no variable has; slices that do not fit.
    pub fn applied(&self, all: Vec<Leaf>) -> Result<Vec<Leaf>> {
        if self.projections.is_empty() {
            return Ok(all);
        }
        let mut taken: Vec<Option<Leaf>> = vec![None; all.len()];
        for projection in &self.projections {
            let mut is_found = Self::take(projection, true, &all, &mut taken)?;
            is_found = is_found || Self::take(projection, false, &all, &mut taken)?;
            if !is_found {
                return Err(Error::Usage(format!(
                    "the constraint asks for '{}', and the dataset has no such variable",
                    shown(&projection.typed)
                )));
            }
        }
        Ok(taken.into_iter().flatten().collect())
    }

    /// Takes the variables of a projection: all that it names exactly, or else the first that ends so. Returns false if there are
    /// none.
    fn take(
        projection: &Projection,
        exactly: bool,
        all: &[Leaf],
        taken: &mut [Option<Leaf>],
    ) -> Result<bool> {
        let mut is_found = false;
        for (leaf, taken) in all.iter().zip(taken) {
            if let Some(sliced) = projection.of(leaf, exactly)? {
                is_found = true;
                taken.get_or_insert(sliced);
                if !exactly {
                    break;
                }
            }
        }
        Ok(is_found)
    }
}

impl Projection {
    fn parse(text: &str) -> Result<Self> {
        let malformed = || {
            Error::Usage(format!(
                "'{}' in the constraint is malformed; the form is name[first:step:last]",
                shown(text)
            ))
        };
        let mut parts: Vec<(String, Vec<Slice>)> = Vec::new();
        let mut rest = text.trim();
        // Dots may also be within brackets of no meaning here, so the text is cut at both.
        while !rest.is_empty() {
            let end = rest.find(['[', '.']).unwrap_or(rest.len());
            let mut slices = Vec::new();
            let name = &rest[..end];
            rest = &rest[end..];
            while let Some(inside) = rest.strip_prefix('[') {
                let (slice, behind) = inside.split_once(']').ok_or_else(malformed)?;
                slices.push(Slice::parse(slice).ok_or_else(malformed)?);
                rest = behind;
            }
            if name.is_empty() {
                return Err(malformed());
            }
            parts.push((name.to_owned(), slices));
            rest = match rest.strip_prefix('.') {
                Some(behind) if !behind.is_empty() => behind,
                None if rest.is_empty() => rest,
                _ => return Err(malformed()),
            };
        }
        Ok(Self {
            typed: text.to_owned(),
            parts,
        })
    }

    /// The leaf with the slices, if it is asked for. A projection may name the variable by its last parts, unless `exactly`.
    fn of(&self, leaf: &Leaf, exactly: bool) -> Result<Option<Leaf>> {
        let names: Vec<String> = leaf.path.iter().map(|step| decoded(&step.raw)).collect();
        // Names may have dots of their own, and a server writes them as they are.
        let whole: Vec<&str> = self.parts.iter().map(|(name, _)| name.as_str()).collect();
        let depth = whole.len();
        let at = match exactly {
            true if depth <= names.len() && names[..depth].iter().eq(&whole) => 0,
            false if names.len() >= depth && names[names.len() - depth..].iter().eq(&whole) => {
                names.len() - depth
            }
            false
                if names.join(".") == whole.join(".")
                    && self.parts[..depth - 1].iter().all(|(_, s)| s.is_empty()) =>
            {
                return self.sliced_at_end(leaf).map(Some);
            }
            _ => return Ok(None),
        };
        let mut leaf = leaf.clone();
        for (n, (_, slices)) in self
            .parts
            .iter()
            .enumerate()
            .filter(|(_, (_, slices))| !slices.is_empty())
        {
            let step = at + n;
            let before: usize = leaf.path[..step]
                .iter()
                .map(|s| s.rank + usize::from(s.is_sequence))
                .sum();
            let mut rank = leaf.path[step].rank + usize::from(leaf.path[step].is_sequence);
            let mut slices = slices.as_slice();
            // The slices of a grid are those of its array, and the n-th one is that of its n-th map.
            let is_of_grid = matches!(leaf.place, LeafPlace::GridArray | LeafPlace::GridMap);
            if is_of_grid && step + 2 == leaf.path.len() {
                rank = leaf.path[step + 1].rank;
                if leaf.place == LeafPlace::GridMap {
                    slices = match leaf.map.and_then(|map| slices.get(map)) {
                        Some(one) => std::slice::from_ref(one),
                        None => return self.misfit(),
                    };
                }
            }
            if slices.len() != rank {
                return self.misfit();
            }
            self.slice(&mut leaf.dims[before..before + rank], slices)?;
        }
        Ok(Some(leaf))
    }

    fn sliced_at_end(&self, leaf: &Leaf) -> Result<Leaf> {
        let mut leaf = leaf.clone();
        let slices = self.parts.last().map_or(&[][..], |(_, slices)| slices);
        if !slices.is_empty() {
            if slices.len() != leaf.dims.len() {
                return self.misfit();
            }
            self.slice(&mut leaf.dims, slices)?;
        }
        Ok(leaf)
    }

    fn slice(&self, dims: &mut [LeafDim], slices: &[Slice]) -> Result<()> {
        for (dim, slice) in dims.iter_mut().zip(slices) {
            if dim.is_rows {
                return Err(Error::Unsupported(format!(
                    "a range of rows in the constraint '{}'",
                    shown(&self.typed)
                )));
            }
            if !slice.fits(dim.length) {
                return self.misfit();
            }
            (dim.length, dim.slice) = (slice.count, *slice);
        }
        Ok(())
    }

    fn misfit<T>(&self) -> Result<T> {
        Err(Error::Usage(format!(
            "'{}' in the constraint does not fit the variable's dimensions",
            shown(&self.typed)
        )))
    }
}
