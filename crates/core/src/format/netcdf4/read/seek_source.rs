//! Finds out whether a file leads to a place that a copy would replace.
//!
//! ```text
//! external links ──┐
//! external data ───┼─► name ─► the file that it leads to ─► is it at the place?
//! virtual sources ─┘     └─ of a virtual source: what the dataset itself lies in
//! ```

use std::collections::HashSet;
use std::ffi::OsString;

use ncutils_hdf5::Layout;

use super::data::stored::StoredData;
use super::netcdf4_reader::Netcdf4Reader;
use super::object::links::OpenFile;
use super::virtual_dataset::{SourceDataset, Sources, VirtualData};
use crate::store::{ExternalFiles, NamedAs, Sought};

/// Looks for a place among the files that names lead to. A name is looked up once.
pub struct Seeker<'a> {
    sought: &'a Sought<'a>,
    /// The file with the name, what the name stands for, and the name.
    asked: HashSet<(OsString, NamedAs, String)>,
    /// The source datasets that were looked at, by file and address.
    followed: HashSet<(OsString, u64)>,
    /// The files of these datasets.
    sources: Option<Sources>,
}

impl<'a> Seeker<'a> {
    /// Looks for `sought`.
    pub fn new(sought: &'a Sought<'a>) -> Self {
        Self {
            sought,
            asked: HashSet::new(),
            followed: HashSet::new(),
            sources: None,
        }
    }

    /// True if a name in the file `from` leads to the place.
    pub fn leads(&mut self, from: &OpenFile, name: &str, named_as: NamedAs) -> bool {
        let Some(files) = &from.external_files else {
            return false;
        };
        let asked = (files.identity().to_owned(), named_as, name.to_owned());
        name != "." && self.asked.insert(asked) && self.sought.is_found(&files.find(name, named_as))
    }

    /// The first of the names of raw data in `from` that leads to the place.
    pub fn among_data<'n>(
        &mut self,
        from: &OpenFile,
        mut names: impl Iterator<Item = &'n str>,
    ) -> Option<String> {
        let found = names.find(|name| self.leads(from, name, NamedAs::ExternalData));
        found.map(str::to_owned)
    }

    /// The name of a file at the place that a virtual dataset lies in. What cannot be read is passed over: the copy tells of it.
    pub fn among_sources(&mut self, data: &VirtualData) -> Option<String> {
        let file = data.file();
        let mut sources = data.sources().iter();
        if let Some((name, _)) = sources.find(|(name, _)| self.leads(file, name, NamedAs::VirtualSource)) {
            return Some(name.to_string());
        }
        let files = file.external_files.as_ref()?;
        // Remote sources would be opened by requests.
        if file.source.requests().ahead || !self.may_be_near(&**files) {
            return None;
        }
        let opened = self.sources.get_or_insert_with(|| data.sources_apart()).clone();
        let mut sources: Vec<_> = data.sources().iter().collect();
        // Each file is opened once.
        sources.sort();
        sources.into_iter().find_map(|(name, path)| {
            let source = data.source_apart(&opened, name, path).ok().flatten()?;
            self.behind(&source)
        })
    }

    /// The name of a file at the place that a source dataset lies in, or that leads to it.
    fn behind(&mut self, source: &SourceDataset) -> Option<String> {
        let file = &source.file;
        let identity = file.external_files.as_ref()?.identity();
        let address = source.dataset.address;
        if !self.followed.insert((identity.to_owned(), address)) {
            return None;
        }
        if (self.sought.is_at)(identity) {
            return Some(identity.to_string_lossy().into_owned());
        }
        match (&source.mappings, &source.dataset.layout) {
            (Some(data), _) => self.among_sources(data),
            (None, Layout::External(segments)) => {
                self.among_data(file, segments.iter().map(|segment| &*segment.file))
            }
            _ => None,
        }
    }

    /// False if no name in `files` can lead to the place.
    fn may_be_near(&self, files: &dyn ExternalFiles) -> bool {
        let may_be = |named_as| self.sought.may_be_among(files, named_as);
        NamedAs::ALL.into_iter().any(may_be)
    }
}

/// The name of a file at the place `sought` that the dataset of `reader` lies in or leads to.
pub fn find(reader: &Netcdf4Reader, sought: &Sought<'_>) -> Option<String> {
    let mut seeker = Seeker::new(sought);
    let mut links = reader.links.iter();
    let leads = links.find(|link| seeker.leads(&reader.files[link.from], &link.file, NamedAs::ExternalLink));
    if let Some(link) = leads {
        return Some(link.file.clone());
    }
    // One link may lead through several files.
    let mut linked = reader.files.iter().skip(1);
    let is_at = |file: &&OpenFile| {
        let files = file.external_files.as_ref();
        files.is_some_and(|files| (sought.is_at)(files.identity()))
    };
    if let Some(file) = linked.find(is_at) {
        return Some(file.name.clone());
    }
    reader
        .variables
        .iter()
        .find_map(|variable| match &variable.stored.data {
            StoredData::External(data) => {
                seeker.among_data(&reader.files[variable.stored.file], data.names())
            }
            StoredData::Virtual(data) => seeker.among_sources(&data.data),
            _ => None,
        })
}
