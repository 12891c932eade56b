//! Which library wrote a file, as netCDF-C tells it from the attributes that netCDF reserves.

use super::attributes;
use super::object::found_attribute::stored;
use super::object::hierarchy::FoundGroup;
use super::object::links::OpenFile;
use crate::format::netcdf4::conventions::{CLASSIC_MODEL, PROPERTIES, is_reserved};
use crate::model::Provenance;

/// How the file was made. As in netCDF-C, netCDF wrote it if the root group has one of netCDF's own
/// attributes, or if datasets have two or more reserved attributes in total.
pub(super) fn provenance(groups: &[FoundGroup], files: &[OpenFile]) -> Provenance {
    let root = &groups[0];
    let on_root = |name: &str| stored(&root.attributes).find(|a| a.name == name);
    let marked = || {
        let datasets = groups.iter().flat_map(|g| &g.datasets);
        let markers = datasets
            .flat_map(|d| stored(&d.attributes))
            .filter(|a| is_reserved(&a.name));
        markers.take(2).count() == 2
    };
    Provenance {
        nc_properties: on_root(PROPERTIES).and_then(|a| attributes::text(a, &files[root.id.file])),
        superblock_version: files[0].file.superblock_version().into(),
        is_netcdf4: on_root(CLASSIC_MODEL).is_some() || on_root(PROPERTIES).is_some() || marked(),
    }
}
