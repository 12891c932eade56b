//! Compares the mappings of a virtual dataset with the shards of the variable that it stands for.

use std::collections::HashMap;

use ncutils_hdf5::MappedBox;

use super::dataset_side::DatasetSide;
use super::in_shards::InShards;
use crate::format::netcdf4::variable_name;
use crate::format::{Fault, Reader};

/// Tells which shards of a variable the netCDF-4 file does not map, or maps elsewhere. A variable that it lacks is told by whoever
/// compares the schemas.
pub fn check_mappings(side: &DatasetSide, variable: &InShards<'_>, found: &mut dyn FnMut(Fault)) {
    let Some(var) = side.reader.schema().var_at(&variable.path) else {
        return;
    };
    let mut tell = |cause: String| {
        let fault = Fault {
            key: Some(side.key.clone()),
            ..Fault::new(cause)
        };
        found(fault.in_variable(&variable.path));
    };
    let Some(boxes) = side.reader.mapped_boxes(var) else {
        if !variable.shards.is_empty() {
            tell("it is no virtual dataset of the shards".to_owned());
        }
        return;
    };
    let name = variable.path.rsplit('/').next().unwrap_or_default();
    let count = boxes.len() as u64;
    let mut by_place: HashMap<Vec<u64>, MappedBox> = HashMap::new();
    for mapped in boxes.into_iter().flatten() {
        by_place.insert(mapped.target.clone(), mapped);
    }
    let is_shard = |shard: u64| {
        let region = variable.shards.region(shard);
        by_place.get(&region.start).is_some_and(|mapped| {
            mapped.file == variable.key(shard)
                && mapped.shape == region.count
                && mapped.source.iter().all(|start| *start == 0)
                && variable_name(mapped.dataset.trim_start_matches('/')) == name
        })
    };
    let wrong = (0..variable.shards.len()).filter(|shard| !is_shard(*shard));
    let mut wrong = wrong.peekable();
    if let Some(first) = wrong.peek().copied() {
        tell(format!(
            "{} of {} shards are not mapped to their places, the first {}",
            wrong.count(),
            variable.shards.len(),
            variable.key(first)
        ));
    } else if count > variable.shards.len() {
        tell(format!(
            "it has {count} mappings, and the variable has {} shards",
            variable.shards.len()
        ));
    }
}
