//! The other files that any object of an HDF5 file leads to, whether or not netCDF shows it.

use ncutils_hdf5::{Layout, LinkTarget, Object, ObjectKind};

use super::hierarchy::{self, Hierarchy};
use super::selection::Selection;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::hdf5_error::as_hdf5;
use crate::format::netcdf4::read::{OpenFile, Seeker, Sources, Trail, VirtualData, no_sources};
use crate::store::{Input, InputKind, NamedAs, Sought};

/// The name of a file at the place `sought` that an object of the HDF5 file `opened` refers to; `None` if there is none. A file may be
/// `damaged`: what cannot be read of it leads nowhere.
///
/// # Errors
/// [`Error::UnknownFormat`] if it is not HDF5. It is damaged.
pub fn find_source(
    opened: &Input,
    registry: &Registry,
    sought: &Sought<'_>,
    damaged: bool,
) -> Result<Option<String>> {
    let InputKind::Object(object) = opened.kind() else {
        return Err(Error::UnknownFormat);
    };
    let file = match damaged {
        true => OpenFile::recovered(object.clone(), registry),
        false => OpenFile::new(object.clone(), None, registry),
    };
    let file = OpenFile {
        external_files: opened.external_files().cloned(),
        ..file.map_err(|error| match as_hdf5(&error) {
            Some(ncutils_hdf5::Error::NotHdf5) => Error::UnknownFormat,
            _ => error,
        })?
    };
    let objects = hierarchy::read(&file.file, Selection::default(), damaged)?;
    let sources = no_sources(registry);
    let mut seeker = Seeker::new(sought);
    let found = objects.items.iter().find_map(|item| {
        // The copy tells what cannot be read.
        let object = file.file.object(item.address).ok()?;
        match item.kind {
            ObjectKind::Group => linked(&file, &objects, &object, &mut seeker),
            ObjectKind::Dataset => stored(&file, &object, &sources, &mut seeker),
            _ => None,
        }
    });
    Ok(found)
}

/// The name of the file at the place that an external link of a group leads to.
fn linked(file: &OpenFile, objects: &Hierarchy, group: &Object, seeker: &mut Seeker<'_>) -> Option<String> {
    let links = objects.links(&file.file, group).ok()?.into_iter();
    let mut names = links.filter_map(|link| match link.target {
        LinkTarget::External { file, .. } => Some(file),
        _ => None,
    });
    names.find(|name| seeker.leads(file, name, NamedAs::ExternalLink))
}

/// The name of the file at the place that a dataset lies in.
fn stored(file: &OpenFile, object: &Object, sources: &Sources, seeker: &mut Seeker<'_>) -> Option<String> {
    let dataset = file.file.dataset(object).ok()?;
    match &dataset.layout {
        Layout::External(segments) => seeker.among_data(file, segments.iter().map(|segment| &*segment.file)),
        Layout::Virtual { .. } => {
            let trail = Trail::of(file, dataset.address, "");
            if let Ok((data, _)) = VirtualData::open(file, &dataset, sources, trail) {
                return seeker.among_sources(&data);
            }
            let mappings = file.file.virtual_mappings(&dataset).ok()?;
            let mut names = mappings.iter().map(|mapping| &mapping.file);
            let found = names.find(|name| seeker.leads(file, name, NamedAs::VirtualSource));
            found.map(|name| name.to_string())
        }
        _ => None,
    }
}
