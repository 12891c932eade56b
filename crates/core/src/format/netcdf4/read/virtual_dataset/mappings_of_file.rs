//! The mappings of all virtual datasets of a file.

use crate::format::netcdf4::hdf5_error::as_hdf5;
use std::collections::HashMap;
use std::sync::Arc;

use ncutils_hdf5::Layout;

use super::source::source_dataset;
use super::{SourceFiles, Sources, Trail, VirtualData, set_lengths};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Fault;
use crate::format::netcdf4::read::damage::Damage;
use crate::format::netcdf4::read::object::hierarchy::FoundGroup;
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::format::netcdf4::read::user_path::user_path;

/// The sources of virtual datasets of an input, of which none is open. Their chunks are decoded by the codecs of `registry`.
pub(in crate::format::netcdf4) fn no_sources(registry: &Registry) -> Sources {
    Sources {
        files: Arc::new(SourceFiles::new(registry.clone())),
        open: source_dataset::open,
    }
}

/// Reads the mappings of virtual datasets, by group and index in it, and gives the datasets the lengths that their sources
/// have. A dataset whose mappings are not supported is left out.
///
/// # Errors
/// Mappings are damaged, or do not fit their dataset. In a file that may be damaged, the dataset is left out.
pub(crate) fn read(
    groups: &mut [FoundGroup],
    files: &[OpenFile],
    registry: &Registry,
    warnings: &mut Vec<String>,
    damage: &mut Damage,
) -> Result<HashMap<(usize, usize), VirtualData>> {
    let sources = no_sources(registry);
    let mut all = HashMap::new();
    for (index, group) in groups.iter_mut().enumerate() {
        let mut at = 0;
        while let Some(found) = group.datasets.get_mut(at) {
            at += 1;
            if !matches!(found.dataset.layout, Layout::Virtual { .. }) {
                continue;
            }
            let (file, path) = (&files[found.id.file], format!("{}{}", group.path, found.name));
            let trail = Trail::of(file, found.id.address, &path);
            match VirtualData::open(file, &found.dataset, &sources, trail) {
                Ok((mut data, lengths)) => {
                    if let Some(why) = data.broken() {
                        match damage.is_tolerated() {
                            // The rest of the variable can be read.
                            true => damage.add(data.take_broken().map(|e| {
                                let mut fault = Fault::of(&e).in_variable(&user_path(&path));
                                fault.cause = format!("its lengths are not known: {}", fault.cause);
                                fault
                            })),
                            false => {
                                warnings.push(format!("the lengths of {path} are not known: {why}"));
                            }
                        }
                    }
                    set_lengths(Arc::make_mut(&mut found.dataset), &lengths);
                    all.insert((index, at - 1), data);
                }
                Err(e)
                    if matches!(e, Error::Unsupported(_))
                        || matches!(as_hdf5(&e), Some(ncutils_hdf5::Error::Unsupported(_))) =>
                {
                    warnings.push(format!("{path} is left out: {e}"));
                    at -= 1;
                    group.datasets.remove(at);
                }
                Err(e) => {
                    damage.tolerate(e.in_variable(&user_path(&path)))?;
                    at -= 1;
                    group.datasets.remove(at);
                }
            }
        }
    }
    Ok(all)
}
