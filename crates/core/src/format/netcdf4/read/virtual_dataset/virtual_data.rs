//! [`VirtualData`]: the data of a virtual dataset, read from its sources.
//!
//! ```text
//! region ─► BoxIndex: mappings that meet it ─► needed: what no later mapping hides ─► pieces of sources ─► values
//! ```

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use ncutils_hdf5::{Dataset, Datatype, Layout};

use super::batch::Batch;
use super::lost::{IntoRegion, Lost, MOST_TRIES, halves, is_one_chunk};
use super::mappings::{FromSource, Mapping, Mappings, SourceName, resolve, set_lengths};
use super::selection::box_index::BoxIndex;
use super::selection::elements::Elements;
use super::source::find_source::{SourceFiles, Trail, again, in_source};
use super::source::source_facts::Facts;
use super::source::source_reader::SourceReader;
use super::source::virtual_storage::VirtualStorage;
use crate::chunk::{Region, byte_count, fill_pattern, resize};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Written;
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::model::{SLOT_SIZE, SharedLayout, Slot, Unclosed, Values};
use crate::store::BoundedCache;

/// Most sources that stay open.
const SOURCES: usize = 64;

/// Most boxes of a region that are tracked while later mappings hide parts of it. With more, earlier mappings are read
/// although they may be hidden.
const MOST_BOXES: usize = 256;

/// A source dataset whose lengths are known.
pub struct SourceDataset {
    /// Its file.
    pub file: OpenFile,
    /// Its header. The lengths of a virtual dataset are those that its sources give it.
    pub dataset: Dataset,
    /// The mappings, if it is virtual itself.
    pub mappings: Option<VirtualData>,
}

/// Opens a source for a virtual dataset with elements of a datatype.
///
/// # Errors
/// Its elements cannot become those of the virtual dataset, or its header is damaged.
pub type OpenSource = fn(SourceDataset, &VirtualStorage<'_>, &Datatype, &Registry) -> Result<SourceReader>;

/// The sources of all virtual datasets of an input.
#[derive(Clone)]
pub struct Sources {
    /// Their files.
    pub files: Arc<SourceFiles>,
    /// Opens one of their datasets.
    pub open: OpenSource,
}

/// The data of a virtual dataset.
pub struct VirtualData {
    pub(super) file: OpenFile,
    pub(super) sources_of_input: Sources,
    pub(super) trail: Trail,
    datatype: Datatype,
    pub(super) mappings: Vec<Mapping>,
    sources: Vec<SourceName>,
    index: BoxIndex,
    /// What is known of each source; `None` inside for a missing one, and an error for one that cannot be read.
    pub(super) facts: Vec<OnceLock<Result<Option<Facts>>>>,
    open: BoundedCache<usize, Arc<SourceReader>>,
    /// Why the lengths could not be found out. All data is unreadable then.
    broken: Option<Error>,
}

impl Sources {
    /// The dataset `path` of the file `name`, as [`SourceFiles::find`] finds it. A virtual one gets the lengths that its
    /// sources give it.
    ///
    /// # Errors
    /// Those of [`SourceFiles::find`]; its mappings are damaged. The error names file and dataset.
    pub(super) fn find(
        &self,
        from: &OpenFile,
        name: &str,
        path: &str,
        trail: &Trail,
    ) -> Result<Option<SourceDataset>> {
        let Some(found) = self.files.find(from, name, path, trail)? else {
            return Ok(None);
        };
        let (file, mut dataset) = (found.file, found.dataset);
        let mappings = match dataset.layout {
            Layout::Virtual { .. } => {
                let opened = VirtualData::open(&file, &dataset, self, found.trail);
                let (mappings, lengths) = opened.map_err(|e| in_source(e, name, path))?;
                set_lengths(&mut dataset, &lengths);
                Some(mappings)
            }
            _ => None,
        };
        Ok(Some(SourceDataset {
            file,
            dataset,
            mappings,
        }))
    }
}

impl VirtualData {
    /// Reads the mappings of a dataset of `file`, and opens sources as far as the lengths depend on them. Returns the
    /// lengths of the dataset besides.
    ///
    /// # Errors
    /// The mappings are damaged, or do not fit the dataset.
    pub fn open(
        file: &OpenFile,
        dataset: &Dataset,
        sources_of_input: &Sources,
        trail: Trail,
    ) -> Result<(Self, Vec<u64>)> {
        let given = file.file.virtual_mappings(dataset).map_err(hdf5_error)?;
        let mut known: HashMap<(String, String), Option<Vec<u64>>> = HashMap::new();
        let mut broken: Option<Error> = None;
        let mut lengths = |name: &str, path: &str| {
            let key = (name.to_owned(), path.to_owned());
            if let Some(known) = known.get(&key) {
                return Ok(known.clone());
            }
            let found = match sources_of_input.find(file, name, path, &trail) {
                Ok(found) => found.map(|source| source.dataset.dataspace.dims().to_vec()),
                Err(e) => {
                    broken.get_or_insert(e);
                    None
                }
            };
            known.insert(key, found.clone());
            Ok(found)
        };
        let Mappings {
            list,
            sources,
            lengths: found,
        } = resolve(dataset.dataspace.dims(), &given, &mut lengths)?;
        trail.missing().add_sources(sources.len());
        let bounds: Vec<&Region> = list.iter().map(|mapping| mapping.to.bounds()).collect();
        let index = BoxIndex::new(found.len(), &bounds);
        let data = Self {
            file: file.clone(),
            sources_of_input: sources_of_input.clone(),
            trail,
            datatype: dataset.datatype.clone(),
            index,
            facts: sources.iter().map(|_| OnceLock::new()).collect(),
            mappings: list,
            sources,
            open: BoundedCache::new(SOURCES),
            broken,
        };
        Ok((data, found))
    }

    /// The sources, by file and path.
    pub fn sources(&self) -> &[SourceName] {
        &self.sources
    }

    /// Why the lengths of the dataset could not be found out.
    pub fn broken(&self) -> Option<Error> {
        self.broken.as_ref().map(again)
    }

    /// Makes the data readable as far as its lengths are known. Returns why the others are not known.
    pub fn take_broken(&mut self) -> Option<Error> {
        self.broken.take()
    }

    /// The files of sources that were opened so far and that their writers have not closed, by name.
    pub fn unfinished_sources(&self) -> Vec<(String, Unclosed)> {
        self.sources_of_input.files.unfinished()
    }

    /// From now on, elements of sources that cannot be read are fill values, also those of virtual sources.
    pub fn fill_unreadable(&self) {
        self.sources_of_input.files.fill_unreadable();
    }

    /// True if elements of sources that cannot be read are fill values.
    pub(super) fn fills_unreadable(&self) -> bool {
        self.sources_of_input.files.fills_unreadable()
    }

    /// True if nothing is known of what should have been read, as a store failed that is asked by requests. A file of a
    /// disk that cannot be read is lost.
    pub(super) fn is_failure(&self, error: &Error) -> bool {
        error.is_failure() && self.file.source.requests().ahead
    }

    /// The warning about sources that were missing when data was read.
    pub fn warning(&self, variable: &str) -> Option<String> {
        self.trail.missing().warning(variable)
    }

    /// An open source; `None` if it is missing.
    pub(super) fn source(
        &self,
        target: &VirtualStorage<'_>,
        number: usize,
    ) -> Result<Option<Arc<SourceReader>>> {
        match self.facts[number].get() {
            Some(Ok(None)) => return Ok(None),
            Some(Err(e)) => return Err(again(e)),
            _ => {}
        }
        if let Some(open) = self.open.get(&number) {
            return Ok(Some(open));
        }
        let (name, path) = &self.sources[number];
        let sources = &self.sources_of_input;
        let found = sources.find(&self.file, name, path, &self.trail);
        let opened = found.and_then(|found| {
            let open = |found| (sources.open)(found, target, &self.datatype, sources.files.registry());
            found.map(open).transpose().map_err(|e| in_source(e, name, path))
        });
        let open = match opened {
            Ok(Some(open)) => Arc::new(open),
            Ok(None) => {
                self.trail.missing().note(number, name, path);
                let _ = self.facts[number].set(Ok(None));
                return Ok(None);
            }
            Err(e) => {
                // A store that fails may answer later.
                if !e.is_failure() {
                    let _ = self.facts[number].set(Err(again(&e)));
                }
                return Err(e);
            }
        };
        let _ = self.facts[number].set(Ok(Some(Facts {
            layout: SharedLayout::from(open.layout().clone()),
            same_type: open.is_same_type(),
            written: OnceLock::new(),
        })));
        self.open.keep(number, Arc::clone(&open), 1);
        Ok(Some(open))
    }

    /// What is known of a source; `None` if it is missing.
    pub(super) fn facts(&self, target: &VirtualStorage<'_>, number: usize) -> Result<Option<&Facts>> {
        if self.facts[number].get().is_none() {
            self.source(target, number)?;
        }
        match self.facts[number].get() {
            Some(Ok(facts)) => Ok(facts.as_ref()),
            Some(Err(e)) => Err(again(e)),
            None => Ok(None),
        }
    }

    /// The elements of a mapping's source.
    pub(super) fn from(&self, mapping: &Mapping, facts: &Facts) -> Result<Arc<Elements>> {
        let lengths = &facts.layout.extent;
        match &mapping.from {
            FromSource::All => Ok(Arc::new(Elements::all(lengths)?)),
            FromSource::Some(elements) if elements.rank() == lengths.len() || elements.count() == 0 => {
                Ok(Arc::clone(elements))
            }
            FromSource::Some(elements) => {
                let (file, dataset) = &self.sources[mapping.source];
                Err(Error::Damaged(format!(
                    "source {dataset} in {file}: a selection of {} dimensions in a dataset of {}",
                    elements.rank(),
                    lengths.len()
                )))
            }
        }
    }

    /// Boxes around the elements that a mapping fills. A missing source fills none, and one that was opened its lengths.
    pub(super) fn filled(&self, mapping: &Mapping) -> Vec<Region> {
        let to = mapping.to.bounds();
        let known = match self.facts[mapping.source].get() {
            Some(Ok(None)) => return Vec::new(),
            Some(Ok(Some(facts))) if mapping.to.is_box() => Some(facts),
            _ => None,
        };
        let Some((facts, from)) = known.and_then(|facts| Some((facts, self.from(mapping, facts).ok()?)))
        else {
            return vec![to.clone()];
        };
        let shifted = |mut part: Region| {
            for (start, first) in part.start.iter_mut().zip(&to.start) {
                *start += first;
            }
            part
        };
        if from.count() < mapping.to.count() {
            let first = Region::range(&to.count, 0, from.count());
            let first = first.into_iter().filter(|_| from.count() > 0);
            return first.map(shifted).collect();
        }
        if !from.is_box() || from.bounds().count != to.count {
            return vec![to.clone()];
        }
        let there = from.bounds().clip(&facts.layout.extent).map(|part| part.count);
        let start = to.start.clone();
        there.map(|count| Region { start, count }).into_iter().collect()
    }

    /// Numbers of the mappings that have elements of `region` which no later one hides, ascending. With `goes_on`, those
    /// whose sources cannot be read are among them.
    pub(super) fn needed(
        &self,
        target: &VirtualStorage<'_>,
        region: &Region,
        goes_on: bool,
    ) -> Result<Vec<usize>> {
        if let Some(why) = self.broken() {
            return Err(why);
        }
        let mut needed = Vec::new();
        // What no mapping has filled yet. The list may have more than there is, never less.
        let mut open = vec![region.clone()];
        let mut filled = HashSet::new();
        for number in self.index.meeting(region).into_iter().rev() {
            if open.is_empty() {
                break;
            }
            let mapping = &self.mappings[number as usize];
            let bounds = mapping.to.bounds();
            if filled.contains(&mapping.place) || !open.iter().any(|part| part.intersect(bounds).is_some()) {
                continue;
            }
            let known = self.facts(target, mapping.source).and_then(|facts| {
                let facts = facts.map(|facts| Ok((facts, self.from(mapping, facts)?)));
                facts.transpose()
            });
            let (facts, from) = match known {
                Ok(Some(known)) => known,
                Ok(None) => continue,
                Err(e) if goes_on && !self.is_failure(&e) => {
                    needed.push(number as usize);
                    continue;
                }
                Err(e) => return Err(e),
            };
            needed.push(number as usize);
            let is_complete = from.count() >= mapping.to.count() && from.bounds().fits(&facts.layout.extent);
            if !is_complete {
                continue;
            }
            filled.insert(mapping.place);
            if mapping.to.is_box() && open.len() <= MOST_BOXES {
                open = open.iter().flat_map(|part| part.without(bounds)).collect();
            }
        }
        needed.reverse();
        Ok(needed)
    }

    /// The elements of a region. Elements without a source, and past the dataset's lengths, are fill values.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn read(&self, target: &VirtualStorage<'_>, region: &Region) -> Result<Values> {
        let loses = self.fills_unreadable();
        let mut lost = |_, error| match loses && !self.is_failure(&error) {
            true => Ok(()),
            false => Err(error),
        };
        self.read_as_far(target, region, if loses { MOST_TRIES } else { 0 }, &mut lost)
    }

    /// Like [`VirtualData::read`], but calls `lost` for each box that holds elements which cannot be read. They are fill values
    /// if it returns no error.
    ///
    /// # Errors
    /// Those that `lost` returns; the region does not fit into memory; the lengths are not known.
    pub fn read_left(
        &self,
        target: &VirtualStorage<'_>,
        region: &Region,
        lost: &mut Lost<'_>,
    ) -> Result<Values> {
        self.read_as_far(target, region, MOST_TRIES, lost)
    }

    fn read_as_far(
        &self,
        target: &VirtualStorage<'_>,
        region: &Region,
        tries: usize,
        lost: &mut Lost<'_>,
    ) -> Result<Values> {
        let size = target.schema.type_size(target.ty);
        let bytes = byte_count(&region.count, size)
            .ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
        let mut out = Values::default();
        resize(&mut out.bytes, bytes)?;
        // An element of a type with a heap is a slot, or holds some.
        let zero = match target.schema.has_heap(target.ty) {
            true => Slot::NIL.to_bytes().repeat(size.div_ceil(SLOT_SIZE)),
            false => vec![0; size],
        };
        let mut fill = zero.get(..size).unwrap_or_default();
        if let Some(value) = &target.layout.fill.value
            && value.bytes.len() == size
        {
            fill = &value.bytes;
            out.heap.clone_from(&value.heap);
        }
        fill_pattern(&mut out.bytes, fill);
        let Some(inside) = region
            .clip(&target.layout.extent)
            .filter(|inside| !inside.is_empty())
        else {
            return Ok(out);
        };
        for number in self.needed(target, &inside, true)? {
            let mut into = IntoRegion {
                target,
                mapping: &self.mappings[number],
                region,
                fill,
                out: &mut out,
                tries,
            };
            let bounds = into.mapping.to.bounds();
            if let Some(part) = bounds.intersect(&inside) {
                self.read_mapping(&mut into, &part, lost)?;
            }
        }
        Ok(out)
    }

    /// Reads the elements of a mapping in a part of its region. Where they cannot be read, those of each half are, down to
    /// what lies in one chunk of the source.
    fn read_mapping(&self, into: &mut IntoRegion<'_>, part: &Region, lost: &mut Lost<'_>) -> Result<()> {
        let source = into.mapping.source;
        let (name, path) = &self.sources[source];
        let opened = self.source(into.target, source).and_then(|open| {
            let facts = self.facts(into.target, source)?;
            let known = open.zip(facts);
            known
                .map(|(open, facts)| Ok((open, facts, self.from(into.mapping, facts)?)))
                .transpose()
        });
        let (error, may_split) = match opened {
            Ok(None) => return Ok(()),
            Ok(Some((open, facts, from))) => {
                let lengths = &facts.layout.extent;
                let mut batch = Batch::new(&open, into.target, into.region, into.fill, into.out);
                let read = into.mapping.to.within(part, &mut |first, at, length| {
                    let to = batch.place(at);
                    batch.add(&from, lengths, first, length, to)
                });
                match read.and_then(|()| batch.flush()) {
                    Ok(()) => return Ok(()),
                    Err(e) => {
                        let may_split =
                            open.is_virtual() || !is_one_chunk(&into.mapping.to, part, &from, facts);
                        (in_source(e, name, path), may_split)
                    }
                }
            }
            Err(e) => (e, false),
        };
        let halves = halves(part).filter(|_| may_split && into.tries > 0 && !self.is_failure(&error));
        let Some(halves) = halves else {
            lost(part.clone(), error)?;
            return into.clear(part);
        };
        into.tries -= 1;
        halves
            .iter()
            .try_for_each(|half| self.read_mapping(into, half, lost))
    }

    /// What is stored of a source.
    pub(super) fn written(&self, target: &VirtualStorage<'_>, number: usize) -> Result<Option<&Written>> {
        let Some(facts) = self.facts(target, number)? else {
            return Ok(None);
        };
        if let Some(written) = facts.written.get() {
            return Ok(Some(written));
        }
        let Some(source) = self.source(target, number)? else {
            return Ok(None);
        };
        let (reader, var) = source.reader();
        let written = reader.written(var)?;
        Ok(Some(facts.written.get_or_init(|| written)))
    }
}
