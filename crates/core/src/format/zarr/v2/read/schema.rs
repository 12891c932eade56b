//! The schema of a hierarchy: dimensions, groups, variables, attributes, and how each variable is stored.

use std::collections::HashSet;

use super::array_metadata::ArrayMetadata;
use super::element_type::ElementType;
use super::hierarchy::{Array, Group, Hierarchy, NodeDocuments};
use crate::error::{Error, Result};
use crate::format::zarr::attributes;
use crate::format::zarr::dtype::DtypeError;
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::{ARRAY, ARRAY_DIMENSIONS, ATTRIBUTES, GROUP, Own, SCALAR, below};
use crate::format::zarr::read::{Built, Elements, NamedDimensions, StoredArray, UserTypes, fault};
use crate::format::zarr::time::{Time, lost_units, time_attributes, times_within};
use crate::model::{
    Attribute, Attributes, ChunkKeys, DimId, FILL_VALUE_ATTRIBUTE, Fill, FillTime, GroupId, Kind, MAX_NAME,
    Provenance, SLOT_SIZE, Schema, Type, Variable, VariableLayout,
};

/// Superblock version that netCDF-C reports for NCZarr 2.
const NCZARR_SUPERBLOCK: u32 = 2;

/// Builds the schema. Arrays of types that netCDF does not have are left out, with a warning. With `faults`, what is damaged
/// is told there, and left out.
///
/// # Errors
/// Names the key that is damaged, if nothing may be.
pub fn build(hierarchy: Hierarchy, mut faults: Option<&mut Vec<String>>) -> Result<Built> {
    let mut tolerate = |result: Result<()>| match (result, &mut faults) {
        (Err(error), Some(faults)) => {
            faults.push(fault(error));
            Ok(())
        }
        (result, _) => result,
    };
    let is_nczarr = hierarchy.groups.iter().any(|group| {
        group.documents.own(Own::Superblock).is_some() || group.documents.own(Own::Group).is_some()
    });
    let kind = if is_nczarr { Kind::Nczarr } else { Kind::Zarr2 };
    let mut builder = Builder {
        schema: Schema::new(kind),
        layouts: Vec::new(),
        arrays: Vec::new(),
        is_nczarr,
        named: NamedDimensions::default(),
        types: UserTypes::default(),
        other_bytes: hierarchy.other_bytes,
    };
    builder.schema.provenance = Some(Provenance {
        nc_properties: None,
        superblock_version: if is_nczarr { NCZARR_SUPERBLOCK } else { 0 },
        is_netcdf4: true,
    });
    builder.schema.warnings.extend(hierarchy.warnings);
    for group in &hierarchy.groups {
        tolerate(builder.add_group(group))?;
    }
    builder.expect_names(&hierarchy.arrays);
    for array in hierarchy.arrays {
        tolerate(builder.add_array(&array))?;
    }
    Ok(Built {
        schema: builder.schema,
        layouts: builder.layouts,
        arrays: builder.arrays,
    })
}

struct Builder {
    schema: Schema,
    layouts: Vec<VariableLayout>,
    arrays: Vec<StoredArray>,
    is_nczarr: bool,
    named: NamedDimensions,
    types: UserTypes,
    /// Paths of groups and arrays whose attributes have bytes that are no UTF-8.
    other_bytes: HashSet<String>,
}

impl Builder {
    fn add_group(&mut self, group: &Group) -> Result<()> {
        let id = match group.parent {
            None => Schema::ROOT,
            Some(parent) => self.schema.add_group(GroupId(parent), group.name.clone()),
        };
        if let Some(own) = group.documents.own(Own::Group) {
            self.add_dimensions(id, group, own)?;
        }
        let found = self.attributes(&group.path, &group.documents, None)?;
        if let (None, Some(provenance)) = (group.parent, &mut self.schema.provenance) {
            provenance.nc_properties = found.nc_properties;
        }
        self.schema.groups[id.0].attributes = Attributes::from(found.attributes).with_json(found.json);
        Ok(())
    }

    /// Adds the dimensions that netCDF's own keys list.
    fn add_dimensions(&mut self, id: GroupId, group: &Group, own: &Json) -> Result<()> {
        let wrong = |name: &str| {
            Error::Damaged(format!(
                "{}: the dimension {name} has no length",
                below(&group.path, ATTRIBUTES)
            ))
        };
        let dims = own.get("dimensions").or_else(|| own.get("dims"));
        for (name, value) in dims.and_then(Json::as_object).unwrap_or_default() {
            let length = match value {
                Json::Object(_) => value.get("size").and_then(Json::as_u64),
                _ => value.as_u64(),
            };
            let unlimited = value.get("unlimited").and_then(Json::as_u64).unwrap_or(0) != 0;
            let length = length.ok_or_else(|| wrong(name))?;
            if name.is_empty() || name.len() > MAX_NAME || name.contains('\0') {
                let shown: String = name.chars().take(40).collect();
                self.schema.warnings.push(format!(
                    "a dimension of group /{} is left out: {shown:?} of {} bytes is no name of netCDF's",
                    group.path,
                    name.len()
                ));
                continue;
            }
            self.named.add(&mut self.schema, id, name, length, unlimited);
        }
        Ok(())
    }

    fn attributes(
        &mut self,
        path: &str,
        documents: &NodeDocuments,
        variable: Option<Type>,
    ) -> Result<attributes::ReadAttributes> {
        let Some(document) = &documents.attributes else {
            return Ok(attributes::ReadAttributes::default());
        };
        let members = document.as_object();
        let members =
            members.ok_or_else(|| Error::Damaged(format!("{} is no object", below(path, ATTRIBUTES))))?;
        let types = documents.own(Own::Types).and_then(|own| own.get("types"));
        let owner = match (path, variable) {
            (path, Some(_)) => format!("variable {path}"),
            ("", None) => "the root group".to_owned(),
            (path, None) => format!("group {path}"),
        };
        let warnings = &mut self.schema.warnings;
        let mut found = attributes::read(members, types, variable, &owner, warnings);
        if !self.is_nczarr {
            // NCZarr has types beside the JSON.
            found = found.with_json(members);
        }
        if self.other_bytes.contains(path) {
            found.restore_bytes();
        }
        Ok(found)
    }

    /// Notes the names that arrays give to dimensions.
    fn expect_names(&mut self, arrays: &[Array]) {
        for array in arrays {
            if let Some(Json::Array(names)) = array_dimensions(array)
                && let Some(shape) = array.documents.metadata.as_ref().and_then(|m| m.get("shape"))
                && let Some(shape) = shape.as_array()
                && shape.len() == names.len()
            {
                for (name, length) in names.iter().zip(shape) {
                    if let (Some(name), Some(length)) = (name.as_str(), length.as_u64()) {
                        self.named.expect(GroupId(array.group), name, length);
                    }
                }
            }
        }
    }

    fn add_array(&mut self, array: &Array) -> Result<()> {
        let key = below(&array.path, ARRAY);
        if array.documents.is_also_group {
            self.schema.warnings.push(format!(
                "{key} and {} are both there: variable {} is read, and what lies below it as in a group is left out",
                below(&array.path, GROUP),
                array.name
            ));
        }
        let damaged = |what: String| Error::Damaged(format!("{key} {what}"));
        let document = array.documents.metadata.as_ref().unwrap_or(&Json::Null);
        let mut metadata = ArrayMetadata::parse(document).map_err(damaged)?;
        let own = array.documents.own(Own::Array);
        let flavor = array.documents.flavor();
        let element = match ElementType::of(&metadata, flavor) {
            Ok(element) => element,
            Err(DtypeError::Unheld(why)) => {
                self.schema
                    .warnings
                    .push(format!("variable {} is left out: it {why}", array.path));
                return Ok(());
            }
            Err(DtypeError::Damaged(why)) => return Err(damaged(format!("is damaged: {why}"))),
        };
        if is_scalar(array, own, &metadata.shape) {
            metadata.shape.clear();
            metadata.chunks.clear();
        }
        let fill = metadata
            .fill_value
            .as_ref()
            .map(|json| element.fill(json, flavor))
            .transpose()
            .map_err(|why| damaged(format!("is damaged: {why}")))?
            .flatten();
        let dims = self.dimensions(array, own, &metadata.shape)?;
        let group = GroupId(array.group);
        let ty = element.ty(&mut self.schema, &mut self.types, group, &array.name);
        let found = self.attributes(&array.path, &array.documents, Some(ty))?;
        let mut attributes = found.attributes;
        if let Some(time) = metadata.dtype.as_str().and_then(Time::parse) {
            for attribute in time_attributes(&time) {
                if attributes.iter().all(|own| own.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
        let lost = lost_units(&array.path, times_within(&metadata.dtype));
        self.schema.warnings.extend(lost);
        let explicit = attributes.iter().any(|a| a.name == FILL_VALUE_ATTRIBUTE);
        let provenance = self.schema.provenance.as_ref();
        let by_netcdf = provenance.is_some_and(|found| found.nc_properties.is_some());
        let by_xarray = !self.is_nczarr && !by_netcdf && array_dimensions(array).is_some();
        if let (Some(value), false, true) = (&fill, explicit, by_xarray) {
            attributes.insert(
                0,
                Attribute {
                    name: FILL_VALUE_ATTRIBUTE.to_owned(),
                    ty,
                    length: 1,
                    values: value.clone(),
                },
            );
        }
        let explicit = explicit || by_xarray && fill.is_some();
        let id = self.schema.add_var(Variable {
            name: array.name.clone(),
            group,
            ty,
            dims,
            attributes: Attributes::from(attributes).with_json(found.json),
        });
        let elements = element.elements();
        let (_, encoding) = self.schema.storage_encoding(self.schema.var(id).ty);
        let encoding = elements.encoding(encoding);
        let mut layout = VariableLayout::contiguous(metadata.shape, element.size(), encoding)
            .in_chunks(metadata.chunks)
            .with_endian(element.endian())
            .with_fill(Fill {
                no_fill: fill.is_none(),
                value: fill,
                explicit,
                time: FillTime::IfSet,
                ..Fill::default()
            });
        layout.filters = metadata.codecs;
        if let Elements::Text(size) = elements {
            layout.string_length = Some(size as u64);
        }
        if matches!(elements, Elements::Text(_)) || elements.is_vlen() {
            layout.element_size = SLOT_SIZE;
        }
        self.layouts.push(layout);
        self.arrays.push(StoredArray {
            path: array.path.clone(),
            keys: metadata.separator.map(|separator| ChunkKeys {
                separator,
                ..ChunkKeys::V2
            }),
            levels: Vec::new(),
            elements,
            element_codec: metadata.element_codec,
        });
        Ok(())
    }

    /// The dimensions of an array of this shape: by their paths, by their names, or without names.
    fn dimensions(&mut self, array: &Array, own: Option<&Json>, shape: &[u64]) -> Result<Vec<DimId>> {
        if shape.is_empty() {
            return Ok(Vec::new());
        }
        let references = own.and_then(|own| own.get("dimension_references").or_else(|| own.get("dimrefs")));
        if let Some(references) = references.and_then(Json::as_array)
            && let Some(dims) = self.referred(references, shape)
        {
            return Ok(dims);
        }
        if let Some(names) = array_dimensions(array) {
            let names = names.as_array().map(|list| list.iter().map(Json::as_str));
            let names: Vec<_> = names.into_iter().flatten().filter(Option::is_some).collect();
            let dims = match names.len() == shape.len() {
                true => self
                    .named
                    .by_names(&mut self.schema, GroupId(array.group), &names, shape),
                false => Err(format!("is not {} names", shape.len())),
            };
            match dims {
                Ok(dims) => return Ok(dims),
                Err(why) => self.schema.warnings.push(format!(
                    "variable {}: {ARRAY_DIMENSIONS} {why}; its dimensions have no names",
                    array.path
                )),
            }
        }
        let dims = shape
            .iter()
            .map(|length| self.named.anonymous(&mut self.schema, *length));
        Ok(dims.collect())
    }

    /// The dimensions with these paths, if all exist with these lengths.
    fn referred(&self, references: &[Json], shape: &[u64]) -> Option<Vec<DimId>> {
        if references.len() != shape.len() {
            return None;
        }
        let dim = |(reference, length): (&Json, &u64)| {
            let (group, name) = reference
                .as_str()?
                .strip_prefix('/')?
                .rsplit_once('/')
                .unwrap_or(("", reference.as_str()?.strip_prefix('/')?));
            let group = self.group_at(group)?;
            let dim = self.named.get(group, name)?;
            let found = self.schema.dim(dim);
            (found.length == *length || found.unlimited && *length <= found.length).then_some(dim)
        };
        references.iter().zip(shape).map(dim).collect()
    }

    /// The group with this path, without slashes around it.
    fn group_at(&self, path: &str) -> Option<GroupId> {
        path.split('/')
            .filter(|name| !name.is_empty())
            .try_fold(Schema::ROOT, |at, name| {
                let children = self.schema.group(at).children.iter().copied();
                children
                    .into_iter()
                    .find(|child| self.schema.group(*child).name == name)
            })
    }
}

fn array_dimensions(array: &Array) -> Option<&Json> {
    array.documents.attributes.as_ref()?.get(ARRAY_DIMENSIONS)
}

/// True if an array of one element stands for a scalar. netCDF-C has marked scalars in three ways.
fn is_scalar(array: &Array, own: Option<&Json>, shape: &[u64]) -> bool {
    if shape != [1] {
        return false;
    }
    let marked = own.is_some_and(|own| {
        let scalar = own.get("scalar").and_then(Json::as_u64) == Some(1);
        scalar || own.get("storage").and_then(Json::as_str) == Some("scalar")
    });
    let named = array_dimensions(array).and_then(Json::as_array);
    marked || named.is_some_and(|names| names.len() == 1 && names[0].as_str() == Some(SCALAR))
}
