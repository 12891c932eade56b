//! Builds the netCDF schema of an HDF5 file from its objects, types and dimensions.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::{HashMap, HashSet};

use ncutils_hdf5::{Dataspace, Layout};

use super::attributes::owner::{AttributeOwner, keep_attributes};
use super::damage::Damage;
use super::data::stored::{StoredData, StoredVariable};
use super::datatype::convert::Conversion;
use super::datatype::number::rounded_numbers;
use super::datatype::types::{TypeTable, is_rounded};
use super::dimension::dimensions::Dimensions;
use super::dimension::extent;
use super::dimension::phony;
use super::dimension::scale;
use super::dimension::scale::Scale;
use super::layout::storage;
use super::object::found_attribute::stored;
use super::object::hierarchy::{FoundDataset, FoundGroup, FoundType, Hierarchy};
use super::object::links::{Linker, ObjectId, OpenFile};
use super::provenance::provenance;
use super::reference::reference_text::has_references;
use super::user_path::user_path;
use super::virtual_dataset::VirtualVariable;
use super::virtual_dataset::mappings_of_file;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::conventions::{CLASSIC_MODEL, variable_name};
use crate::model::{
    Attributes, DimId, Dimension, Encoding, GroupId, Kind, Schema, SharedLayouts, Type, Variable,
};

/// A variable under construction.
struct Draft<'a> {
    found: &'a FoundDataset,
    /// Index among the datasets of its group.
    at: usize,
    name: String,
    group: usize,
    ty: Type,
    dims: Vec<Option<usize>>,
}

/// The schema of a file.
pub(super) struct Built {
    /// The schema.
    pub schema: Schema,
    /// The information needed to read each variable.
    pub stored: Vec<StoredVariable>,
    /// What is wrong with a file that may be damaged.
    pub damage: Damage,
}

/// Builds the schema and, for each of its variables, the information needed to read it.
///
/// # Errors
/// If the file is damaged, and must not be. Items that netCDF cannot hold are left out with a warning.
pub(super) fn build(linker: &Linker, hierarchy: Hierarchy, registry: &Registry) -> Result<Built> {
    let files = linker.files();
    let Hierarchy {
        mut groups,
        mut warnings,
        refused,
        links: _,
        mut damage,
    } = hierarchy;
    let mut mappings = mappings_of_file::read(&mut groups, files, registry, &mut warnings, &mut damage)?;
    let root = groups
        .first()
        .ok_or_else(|| Error::Damaged("no root group".into()))?;
    let mut schema = Schema::new(if stored(&root.attributes).any(|a| a.name == CLASSIC_MODEL) {
        Kind::Netcdf4Classic
    } else {
        Kind::Netcdf4
    });
    schema.warnings = warnings;
    schema.refused = refused;
    schema.provenance = Some(provenance(&groups, files));
    schema.page_size = files[0].file.page_size();
    for group in groups.iter().skip(1) {
        let parent = GroupId(group.parent.unwrap_or(0));
        schema.add_group(parent, group.name.clone());
    }
    prefetch_sequences(&groups, files);
    let mut types = meet_types(&groups);
    types.reference_paths = files[0].names.is_some();
    let (drafts, dimensions) = draft_variables(&groups, files, &mut schema, &mut types, &mut damage)?;
    let dim_ids = add_dimensions(&mut schema, &groups, &dimensions, &drafts);

    let mut stored = Vec::with_capacity(drafts.len());
    let mut layouts = SharedLayouts::default();
    schema.vars.reserve_exact(drafts.len());
    let mut sources = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let path = path(&groups, draft.group, &draft.found.name);
        let within = |e: Error| e.in_variable(&user_path(&path));
        let file = &files[draft.found.id.file];
        let described =
            Conversion::compile(&schema, &draft.found.dataset.datatype, draft.ty).and_then(|conversion| {
                let dataset = &draft.found.dataset;
                let layout = storage::layout(&schema, dataset, draft.ty, &conversion, file)?;
                Ok((conversion, layout))
            });
        let (conversion, layout) = match described.map_err(within) {
            Ok(described) => described,
            Err(error) => {
                damage.tolerate(error)?;
                continue;
            }
        };
        schema.add_var(Variable {
            name: draft.name,
            group: GroupId(draft.group),
            ty: draft.ty,
            dims: draft
                .dims
                .iter()
                .filter_map(|d| dim_ids.get(&(*d)?).copied())
                .collect(),
            attributes: Attributes::default(),
        });
        stored.push(StoredVariable {
            file: draft.found.id.file,
            object: draft.found.dataset.address,
            data: match mappings.remove(&(draft.group, draft.at)) {
                Some(data) => StoredData::Virtual(Box::new(VirtualVariable::new(data))),
                None => StoredData::of(&draft.found.dataset, file),
            },
            conversion: (layout.encoding == Encoding::Structured).then(|| Box::new(conversion)),
            layout: layouts.share(layout),
        });
        sources.push((draft.group, draft.at));
    }

    // Attributes come last. In netCDF-C they make no types, so types that only they use are numbered after
    // all others.
    // Each one is freed as soon as it is converted.
    for (var, (group, at)) in sources.into_iter().enumerate() {
        let path = path(&groups, group, &groups[group].datasets[at].name);
        let found = &mut groups[group].datasets[at];
        let (attributes, id) = (std::mem::take(&mut found.attributes), found.id);
        let owner = AttributeOwner {
            id,
            group,
            path: &path,
        };
        let kept = keep_attributes(attributes, owner, files, &mut schema, &mut types, &mut damage)?;
        schema.vars[var].attributes = kept.into();
    }
    for (index, group) in groups.into_iter().enumerate() {
        let path = group.path.strip_suffix('/').unwrap_or_default();
        let (attributes, id) = (group.attributes, group.id);
        let owner = AttributeOwner {
            id,
            group: index,
            path,
        };
        let kept = keep_attributes(attributes, owner, files, &mut schema, &mut types, &mut damage)?;
        schema.groups[index].attributes = kept.into();
    }
    Ok(Built {
        schema,
        stored,
        damage,
    })
}

/// Prefetches the global heap data of attributes from a slow source: strings and lists of dimensions.
fn prefetch_sequences(groups: &[FoundGroup], files: &[OpenFile]) {
    for (number, file) in files.iter().enumerate() {
        let datasets = groups.iter().flat_map(|group| &group.datasets);
        let of_datasets = datasets.map(|dataset| (dataset.id, &dataset.attributes));
        let of_groups = groups.iter().map(|group| (group.id, &group.attributes));
        file.file.prefetch_sequences(
            of_groups
                .chain(of_datasets)
                .filter(|(id, _)| id.file == number)
                .flat_map(|(_, attributes)| stored(attributes))
                .map(|attribute| (&attribute.datatype, attribute.data.as_slice())),
        );
    }
}

/// The path of an object, for messages.
fn path(groups: &[FoundGroup], group: usize, name: &str) -> String {
    format!("{}{name}", groups[group].path)
}

/// A member of a group that affects the order of types.
enum Member<'a> {
    Type(&'a FoundType),
    /// A dataset, with its index among the group's datasets.
    Dataset(usize, &'a FoundDataset),
}

/// Datatypes and datasets of a group in the file's order.
fn members(group: &FoundGroup) -> Vec<Member<'_>> {
    let types = group.types.iter().map(|t| (t.order, Member::Type(t)));
    let datasets = group.datasets.iter().enumerate();
    let datasets = datasets.map(|(at, d)| (d.order, Member::Dataset(at, d)));
    let mut members: Vec<_> = types.chain(datasets).collect();
    members.sort_by_key(|m| m.0);
    members.into_iter().map(|m| m.1).collect()
}

/// Collects all committed types, and numbers the types that are not committed.
fn meet_types(groups: &[FoundGroup]) -> TypeTable {
    let mut types = TypeTable::default();
    for (index, group) in groups.iter().enumerate() {
        for member in members(group) {
            match member {
                Member::Type(ty) => {
                    types.anonymous.meet_committed(&ty.datatype);
                    types.commit(&ty.name, GroupId(index), ty.id, &ty.datatype);
                }
                Member::Dataset(_, found) => types.anonymous.meet_dataset(&found.dataset.datatype),
            }
        }
    }
    types
}

/// Finds the variables with their types, and the dimensions of all variables.
fn draft_variables<'a>(
    groups: &'a [FoundGroup],
    files: &[OpenFile],
    schema: &mut Schema,
    types: &mut TypeTable,
    damage: &mut Damage,
) -> Result<(Vec<Draft<'a>>, Dimensions)> {
    let parents: Vec<_> = groups.iter().map(|g| g.parent).collect();
    let mut dimensions = Dimensions::new(parents.clone());
    let mut drafts = Vec::new();
    let mut scales = Vec::new();
    let mut committed = 0;
    for (index, group) in groups.iter().enumerate() {
        for member in members(group) {
            let (at, found) = match member {
                Member::Dataset(at, found) => (at, found),
                Member::Type(ty) => {
                    if let Err(why) = types.define_committed(schema, committed) {
                        let path = path(groups, index, &ty.name);
                        schema
                            .warnings
                            .push(format!("the type {path} is left out: {why}"));
                    }
                    committed += 1;
                    continue;
                }
            };
            let scale = Scale::of(found, &files[found.id.file]);
            let own = scale
                .as_ref()
                .map(|s| dimensions.add_scale(s, &found.name, index, found.id));
            if scale.is_some_and(|s| !s.is_variable) {
                continue;
            }
            match variable_type(found, schema, types, GroupId(index)) {
                Ok(ty) => {
                    if is_rounded(&found.dataset.datatype) {
                        schema
                            .warnings
                            .push(rounded_numbers(&path(groups, index, &found.name)));
                    }
                    drafts.push(Draft {
                        found,
                        at,
                        name: variable_name(&found.name).to_owned(),
                        group: index,
                        ty,
                        dims: vec![None; found.dataset.dataspace.dims().len()],
                    });
                    scales.push(own);
                }
                Err(why) => schema
                    .warnings
                    .push(format!("{} is left out: {why}", path(groups, index, &found.name))),
            }
        }
    }
    keep_apart(&mut drafts);
    for (draft, own) in drafts.iter_mut().zip(scales) {
        let file = &files[draft.found.id.file];
        if let Err(error) = attach(draft, own, &dimensions, file) {
            // Dimensions that are not attached are found by their lengths.
            let path = path(groups, draft.group, &draft.found.name);
            damage.tolerate(hdf5_error(error).in_variable(&user_path(&path)))?;
        }
    }
    let mut by_group: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for (at, draft) in drafts.iter().enumerate() {
        by_group[draft.group].push(at);
    }
    for group in phony::group_order(&parents) {
        for at in &by_group[group] {
            let draft = &mut drafts[*at];
            if let Dataspace::Simple { dims, max_dims } = &draft.found.dataset.dataspace {
                phony::complete(&mut dimensions, group, &mut draft.dims, dims, max_dims);
            }
        }
    }
    Ok((drafts, dimensions))
}

/// If the variable's name without prefix is already taken in its group, uses the name of its link, which is
/// unique.
fn keep_apart(drafts: &mut [Draft]) {
    let mut taken: HashSet<(usize, String)> = drafts
        .iter()
        .filter(|d| d.name == d.found.name)
        .map(|d| (d.group, d.name.clone()))
        .collect();
    for draft in drafts.iter_mut().filter(|d| d.name != d.found.name) {
        if !taken.insert((draft.group, draft.name.clone())) {
            draft.name.clone_from(&draft.found.name);
        }
    }
}

/// The type of a dataset's elements, or the reason why it cannot be a variable.
fn variable_type(
    found: &FoundDataset,
    schema: &mut Schema,
    types: &mut TypeTable,
    group: GroupId,
) -> Result<Type, String> {
    let committed = found.dataset.committed.map(|address| ObjectId {
        file: found.id.file,
        address,
    });
    if types.reference_paths
        && matches!(found.dataset.layout, Layout::Virtual { .. })
        && has_references(&found.dataset.datatype)
    {
        return Err("its references are addresses in the sources of a virtual dataset".into());
    }
    let ty = types.of_dataset(schema, &found.dataset.datatype, committed, group)?;
    if found.dataset.dataspace == Dataspace::Null {
        return Err("netCDF has no null dataspace".into());
    }
    match storage::unreadable(&found.dataset.layout) {
        Some(why) => Err(why.into()),
        None => Ok(ty),
    }
}

/// Finds the dimensions of a variable. `own` is the dimension whose scale the variable is.
///
/// The variable's dimension ids are used if its group sees a dimension for each of them. Otherwise the
/// attached scales are used, from any group; of several scales for one dimension the last counts. A dimension
/// without a scale is found by its id in any group, if its length fits.
fn attach(
    draft: &mut Draft<'_>,
    own: Option<usize>,
    dimensions: &Dimensions,
    file: &OpenFile,
) -> ncutils_hdf5::Result<()> {
    let rank = draft.dims.len();
    if let (Some(own), 1) = (own, rank) {
        draft.dims[0] = Some(own);
        return Ok(());
    }
    let ids = scale::coordinates(draft.found, rank).unwrap_or_default();
    let by_id: Option<Vec<usize>> = ids
        .iter()
        .map(|id| dimensions.with_id(draft.group, *id))
        .collect();
    if let Some(found) = by_id.filter(|found| found.len() == rank) {
        draft.dims = found.into_iter().map(Some).collect();
        return Ok(());
    }
    let attached = scale::attached(draft.found, rank, file)?;
    for (dim, scales) in draft.dims.iter_mut().zip(attached) {
        *dim = scales
            .into_iter()
            .rev()
            .find_map(|scale| dimensions.of_scale(draft.group, scale));
    }
    if let (Some(first @ None), Some(own)) = (draft.dims.first_mut(), own) {
        *first = Some(own);
    }
    let lengths = draft.found.dataset.dataspace.dims();
    for ((dim, id), length) in draft.dims.iter_mut().zip(ids).zip(lengths) {
        if dim.is_none() {
            let fits =
                |at: &usize| dimensions.all()[*at].unlimited || dimensions.all()[*at].length == *length;
            *dim = dimensions.alone_with_id(id).filter(fits);
        }
    }
    Ok(())
}

/// Adds all dimensions in the order of their ids, which is netCDF's order. Returns the schema's ids by
/// position in `dimensions`.
///
/// A variable that is longer than a dimension of it is cut, as by netCDF-C, and a warning tells it.
fn add_dimensions(
    schema: &mut Schema,
    groups: &[FoundGroup],
    dimensions: &Dimensions,
    drafts: &[Draft<'_>],
) -> HashMap<usize, DimId> {
    let positions: Vec<Vec<usize>> = drafts
        .iter()
        .map(|d| d.dims.iter().flatten().copied().collect())
        .collect();
    let variables = positions
        .iter()
        .zip(drafts)
        .map(|(p, d)| (p.as_slice(), d.found.dataset.dataspace.dims()));
    let all = dimensions.all();
    let lengths = extent::lengths(all.iter().map(|d| (d.length, d.unlimited)), variables);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| all[*at].id);
    let mut ids = HashMap::with_capacity(all.len());
    for at in order {
        let found = &all[at];
        let id = schema.add_dim(Dimension {
            name: found.name.clone(),
            group: GroupId(found.group),
            length: lengths[at],
            unlimited: found.unlimited,
        });
        ids.insert(at, id);
    }
    for (draft, positions) in drafts.iter().zip(&positions) {
        for (at, own) in positions.iter().zip(draft.found.dataset.dataspace.dims()) {
            let (name, length) = (&all[*at].name, lengths[*at]);
            if *own > length {
                let path = path(groups, draft.group, &draft.found.name);
                schema.warnings.push(format!(
                    "{path} has {own} elements along {name}, which is {length} long: netCDF leaves out the others; nccopy keeps them in Zarr and with -k h5"
                ));
            }
        }
    }
    ids
}
