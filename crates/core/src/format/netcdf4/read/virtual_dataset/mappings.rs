//! The mappings of a virtual dataset, with sources without an end cut to what there is.

use std::collections::HashMap;
use std::sync::Arc;

use ncutils_hdf5::{Dataset, Dataspace, ElementSelection, Stripe, VirtualMapping};

use super::selection::elements::Elements;
use super::selection::index_tree::IndexRun;
use super::selection::unlimited::{first, indices_below, limited, nth_run, reach};
use super::source::source_name::{has_blocks, of_block};
use crate::error::{Error, Result};

/// Most sources that a name with `%b` may stand for.
const MOST_BLOCKS: u64 = 1 << 24;

/// A source and its place in the virtual dataset.
pub struct Mapping {
    /// Index in [`Mappings::sources`].
    pub source: usize,
    /// The elements of the source.
    pub from: FromSource,
    /// The elements of the virtual dataset.
    pub to: Arc<Elements>,
    /// Equal for mappings with the same elements of the virtual dataset.
    pub place: usize,
}

/// Elements of a source.
pub enum FromSource {
    /// All, whatever its shape.
    All,
    /// These.
    Some(Arc<Elements>),
}

/// The name of a source: file and path, as stored but for `%`.
pub type SourceName = (Arc<str>, Arc<str>);

/// The mappings of a virtual dataset.
pub struct Mappings {
    /// In the file's order. Where two overlap, the later one counts.
    pub list: Vec<Mapping>,
    /// The sources, each once.
    pub sources: Vec<SourceName>,
    /// The virtual dataset's lengths.
    pub lengths: Vec<u64>,
}

/// Finds the lengths of a source; `None` if it is missing.
pub type Lengths<'a> = dyn FnMut(&str, &str) -> Result<Option<Vec<u64>>> + 'a;

/// Resolves mappings. `stored` are the lengths in the dataset's header. In a dimension where selections have no end, the
/// length is that of the longest mapping, but no less than mappings with an end need.
///
/// # Errors
/// Two selections do not fit each other, or have more elements than can be counted; what `lengths` finds.
pub fn resolve(stored: &[u64], given: &[VirtualMapping], lengths: &mut Lengths<'_>) -> Result<Mappings> {
    let mut found = Resolving {
        rank: stored.len(),
        shape: stored.to_vec(),
        needed: vec![0; stored.len()],
        reached: vec![None; stored.len()],
        known: HashMap::new(),
        elements: HashMap::new(),
        sources: Vec::new(),
        drafts: Vec::with_capacity(given.len()),
    };
    for (number, mapping) in given.iter().enumerate() {
        let named = |e: Error| match e {
            Error::Damaged(why) => Error::Damaged(format!("mapping {number}: {why}")),
            e => e,
        };
        match (
            mapping.target.unlimited(),
            has_blocks(&mapping.file)? || has_blocks(&mapping.dataset)?,
        ) {
            (None, false) => found.limited(mapping).map_err(named)?,
            (None, true) => return Err(named(Error::Damaged("%b in a mapping with an end".into()))),
            (Some(d), true) => found.blocks(mapping, d, lengths)?,
            (Some(d), false) => found.endless(mapping, d, lengths)?,
        }
    }
    found.finish()
}

struct Resolving {
    rank: usize,
    shape: Vec<u64>,
    /// What mappings with an end need.
    needed: Vec<u64>,
    /// Where mappings without an end reach.
    reached: Vec<Option<u64>>,
    known: HashMap<SourceName, usize>,
    /// Elements that several mappings have, with the number of their place.
    elements: HashMap<ElementSelection, (Arc<Elements>, usize)>,
    sources: Vec<SourceName>,
    drafts: Vec<Draft>,
}

/// A mapping, before the shape of the virtual dataset is known.
struct Draft {
    source: usize,
    from: FromSource,
    to: Option<Arc<Elements>>,
    place: Option<usize>,
}

impl Resolving {
    fn source(&mut self, file: &str, dataset: &str) -> Result<usize> {
        let name: SourceName = (of_block(file, 0)?.into(), of_block(dataset, 0)?.into());
        Ok(self.source_named(name))
    }

    fn source_named(&mut self, name: SourceName) -> usize {
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        self.known.insert(name.clone(), self.sources.len());
        self.sources.push(name);
        self.sources.len() - 1
    }

    fn limited(&mut self, mapping: &VirtualMapping) -> Result<()> {
        if mapping.source.unlimited().is_some() {
            return Err(Error::Damaged("only the source's selection has no end".into()));
        }
        let source = self.source(&mapping.file, &mapping.dataset)?;
        let (to, place) = match &mapping.target {
            ElementSelection::All => (None, None),
            selection => {
                let (to, place) = self.elements(selection)?;
                if to.rank() != self.rank && to.count() > 0 {
                    return Err(Error::Damaged(format!(
                        "a selection of {} dimensions in a dataset of {}",
                        to.rank(),
                        self.rank
                    )));
                }
                let bounds = to.bounds();
                for (d, needed) in self.needed.iter_mut().enumerate().filter(|_| to.count() > 0) {
                    *needed = (*needed).max(bounds.start[d] + bounds.count[d]);
                }
                (Some(to), Some(place))
            }
        };
        let from = self.from(&mapping.source)?;
        self.drafts.push(Draft {
            source,
            from,
            to,
            place,
        });
        Ok(())
    }

    fn from(&mut self, selection: &ElementSelection) -> Result<FromSource> {
        Ok(match selection {
            ElementSelection::All => FromSource::All,
            selection => FromSource::Some(self.elements(selection)?.0),
        })
    }

    /// The elements of a selection with an end. Equal selections share them.
    fn elements(&mut self, selection: &ElementSelection) -> Result<(Arc<Elements>, usize)> {
        if let Some((elements, place)) = self.elements.get(selection) {
            return Ok((Arc::clone(elements), *place));
        }
        let elements = match selection {
            ElementSelection::Points { rank, coordinates } => Elements::of_points(*rank, coordinates)?,
            ElementSelection::Boxes { rank, corners } => Elements::of_boxes(*rank, corners)?,
            ElementSelection::Regular(stripes) => Elements::of_runs(&runs(stripes, None)?)?,
            _ => Elements::none(self.rank),
        };
        let (elements, place) = (Arc::new(elements), self.elements.len());
        self.elements
            .insert(selection.clone(), (Arc::clone(&elements), place));
        Ok((elements, place))
    }

    /// A source without an end.
    fn endless(&mut self, mapping: &VirtualMapping, d: usize, lengths: &mut Lengths<'_>) -> Result<()> {
        let source = self.source(&mapping.file, &mapping.dataset)?;
        let (ElementSelection::Regular(to), ElementSelection::Regular(from), Some(along)) =
            (&mapping.target, &mapping.source, mapping.source.unlimited())
        else {
            return Err(Error::Damaged(
                "a mapping without an end, to which its source does not fit".into(),
            ));
        };
        self.check_rank(to)?;
        let (file, dataset) = self.sources[source].clone();
        let Some(length) = lengths(&file, &dataset)? else {
            // Nothing of it is there, but it may be named in a warning.
            self.reach(d, 0);
            self.push(source, FromSource::All, Elements::none(self.rank));
            return Ok(());
        };
        if length.len() != from.len() {
            return Err(Error::Damaged(format!(
                "a selection of {} dimensions in the source {dataset} of {}",
                from.len(),
                length.len()
            )));
        }
        let total = indices_below(&from[along], length[along]);
        self.reach(d, reach(&to[d], total));
        let from = Elements::of_runs(&runs(from, Some((along, first(&from[along], total))))?)?;
        let to = Elements::of_runs(&runs(to, Some((d, first(&to[d], total))))?)?;
        self.push(source, FromSource::Some(Arc::new(from)), to);
        Ok(())
    }

    /// A source for each block.
    fn blocks(&mut self, mapping: &VirtualMapping, d: usize, lengths: &mut Lengths<'_>) -> Result<()> {
        let ElementSelection::Regular(to) = &mapping.target else {
            return Err(Error::Damaged("%b in a mapping without blocks".into()));
        };
        self.check_rank(to)?;
        if mapping.source.unlimited().is_some() || to[d].block.is_none() {
            return Err(Error::Damaged("%b in a mapping of one endless block".into()));
        }
        let mut count = 0;
        while count < MOST_BLOCKS {
            let name: SourceName = (
                of_block(&mapping.file, count)?.into(),
                of_block(&mapping.dataset, count)?.into(),
            );
            let there = lengths(&name.0, &name.1)?.is_some();
            let run = match nth_run(&to[d], count) {
                Some(run) if there => run,
                _ => {
                    if count == 0 {
                        let source = self.source_named(name);
                        self.push(source, FromSource::All, Elements::none(self.rank));
                    }
                    break;
                }
            };
            let source = self.source_named(name);
            let to = Elements::of_runs(&runs(to, Some((d, run)))?)?;
            let from = self.from(&mapping.source)?;
            self.push(source, from, to);
            count += 1;
        }
        let total = count.saturating_mul(to[d].block.unwrap_or(0));
        self.reach(d, reach(&to[d], total));
        Ok(())
    }

    fn check_rank(&self, to: &[Stripe]) -> Result<()> {
        match to.len() == self.rank {
            true => Ok(()),
            false => Err(Error::Damaged(format!(
                "a selection of {} dimensions in a dataset of {}",
                to.len(),
                self.rank
            ))),
        }
    }

    fn reach(&mut self, d: usize, length: u64) {
        let reached = &mut self.reached[d];
        *reached = Some(reached.unwrap_or(0).max(length));
    }

    fn push(&mut self, source: usize, from: FromSource, to: Elements) {
        self.drafts.push(Draft {
            source,
            from,
            to: Some(Arc::new(to)),
            place: None,
        });
    }

    fn finish(mut self) -> Result<Mappings> {
        for (d, length) in self.shape.iter_mut().enumerate() {
            if let Some(reached) = self.reached[d] {
                *length = reached.max(self.needed[d]);
            }
        }
        let mut all = None;
        let mut place = self.elements.len();
        let mut list = Vec::with_capacity(self.drafts.len());
        for draft in self.drafts {
            let (to, place) = match (draft.to, draft.place) {
                (Some(to), Some(place)) => (to, place),
                (Some(to), None) => {
                    place += 1;
                    (to, place)
                }
                (None, _) => {
                    let all = match &all {
                        Some(all) => Arc::clone(all),
                        None => Arc::new(Elements::all(&self.shape)?),
                    };
                    (all, usize::MAX)
                }
            };
            if place == usize::MAX {
                all = Some(Arc::clone(&to));
            }
            list.push(Mapping {
                source: draft.source,
                from: draft.from,
                to,
                place,
            });
        }
        Ok(Mappings {
            list,
            sources: self.sources,
            lengths: self.shape,
        })
    }
}

/// The runs of stripes, one of which may be replaced.
fn runs(stripes: &[Stripe], replaced: Option<(usize, IndexRun)>) -> Result<Vec<IndexRun>> {
    let run = |(d, stripe): (usize, &Stripe)| match replaced {
        Some((along, run)) if along == d => Some(run),
        _ => limited(stripe),
    };
    let runs: Option<Vec<IndexRun>> = stripes.iter().enumerate().map(run).collect();
    runs.ok_or_else(|| Error::Damaged("a selection of more elements than can be counted".into()))
}

/// Sets the present lengths of a dataset.
pub fn set_lengths(dataset: &mut Dataset, lengths: &[u64]) {
    if let Dataspace::Simple { dims, .. } = &mut dataset.dataspace {
        dims.copy_from_slice(lengths);
    }
}
