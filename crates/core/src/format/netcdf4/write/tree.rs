//! The tree of HDF5 objects for a schema.
//!
//! Links are in the order in which netcdf-c must read them, which is also the order that it reports: a
//! group's types, the scales of dimensions without coordinate variable, variables, and child groups.
//! (Dimensions are ordered by their `_Netcdf4Dimid`.)

use crate::format::netcdf4::hdf5_error::SourceError;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ncutils_hdf5::{AttributeSpec, ObjectId, ObjectProperties, ObjectSource, ObjectSpec, ObjectSpecKind};

use super::datatypes::{Datatypes, homes, reading_order};
use super::dimensions::{
    Scales, class, dimension_list, name_of_dimension, name_of_variable, reference_list, scale_dataset,
};
use super::{attributes, dataset};
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::format::netcdf4::conventions::{
    CLASS, CLASSIC_MODEL, COORDINATES, DIMENSION_ID, DIMENSION_LIST, DIMENSION_SCALE, PROPERTIES,
    REFERENCE_LIST,
};
use crate::model::{Attribute, DimId, GroupId, Item, Kind, Schema, TypeId, VarId};

/// The HDF5 objects of a schema. Each is made on request, because all together take many times the memory of
/// the schema.
pub struct ObjectTree<'s> {
    schema: &'s Schema,
    plans: &'s [VariablePlan],
    types: Datatypes<'s>,
    scales: Scales,
    /// The links in each group.
    contents: Vec<Vec<(String, Object)>>,
    /// The item of the schema for each object.
    items: Vec<Object>,
    places: TreeObjects,
    /// The variables attached to each dimension's scale.
    attached: Vec<Option<Vec<(ObjectId, u32)>>>,
    /// The extents of variables that differ from their plans.
    longer: HashMap<VarId, Vec<u64>>,
}

/// The item of the schema that an object stores.
#[derive(Debug, Clone, Copy)]
pub enum Object {
    /// A group.
    Group(GroupId),
    /// A committed datatype.
    Type(TypeId),
    /// A dimension without coordinate variable.
    Scale(DimId),
    /// A variable.
    Var(VarId),
}

impl Object {
    /// The item of the schema.
    pub fn item(self) -> Item {
        match self {
            Self::Group(id) => Item::Group(id),
            Self::Type(id) => Item::Type(id),
            Self::Scale(id) => Item::Dimension(id),
            Self::Var(id) => Item::Variable(id),
        }
    }
}

/// Attributes that store a variable's dimensions in netCDF-4.
const RESERVED: [&str; 4] = [DIMENSION_LIST, REFERENCE_LIST, COORDINATES, DIMENSION_ID];

/// Attributes of the root group that describe the file itself. Each file has its own.
const OF_THE_FILE: [&str; 2] = [PROPERTIES, CLASSIC_MODEL];

/// Most attributes of an object.
const MAX_ATTRIBUTES: usize = u16::MAX as usize;

impl<'s> ObjectTree<'s> {
    /// Numbers the objects of a dataset.
    ///
    /// # Errors
    /// Names the item that HDF5 cannot hold.
    pub fn new(schema: &'s Schema, plans: &'s [VariablePlan]) -> Result<Self> {
        let scales = Scales::new(schema);
        let mut types = Datatypes::new(schema)?;
        let contents = contents(schema, &scales);
        let mut items = Vec::new();
        let mut places = TreeObjects {
            groups: vec![ObjectId(0); schema.groups.len()],
            scales: vec![ObjectId(0); schema.dims.len()],
            vars: vec![ObjectId(0); schema.vars.len()],
        };
        for group in reading_order(schema) {
            places.groups[group.0] = ObjectId(items.len());
            items.push(Object::Group(group));
            for (_, item) in &contents[group.0] {
                let object = ObjectId(items.len());
                match item {
                    Object::Group(_) => continue,
                    Object::Type(id) => types.set_object(*id, object),
                    Object::Scale(id) => places.scales[id.0] = object,
                    Object::Var(id) => places.vars[id.0] = object,
                }
                items.push(*item);
            }
        }
        for (i, dim) in places.scales.iter_mut().enumerate() {
            if let Some(var) = scales.coordinate(DimId(i)) {
                *dim = places.vars[var.0];
            }
        }
        Ok(Self {
            attached: attached(schema, &scales, &places),
            longer: longer_extents(schema, plans, &scales),
            schema,
            plans,
            types,
            scales,
            contents,
            items,
            places,
        })
    }

    fn make(&self, item: Object) -> Result<ObjectSpec> {
        let schema = self.schema;
        Ok(match item {
            Object::Group(id) => {
                let links = self.contents[id.0].iter();
                let links =
                    links.map(|(name, item)| (name.clone(), self.places.object(*item, &self.types).into()));
                ObjectSpec {
                    kind: ObjectSpecKind::Group {
                        links: links.collect(),
                    },
                    attributes: group_attributes(schema, &self.types, id)?,
                    properties: ObjectProperties::default(),
                }
            }
            Object::Type(id) => ObjectSpec {
                kind: ObjectSpecKind::NamedDatatype(self.types.committed(id).clone()),
                attributes: Vec::new(),
                properties: ObjectProperties::default(),
            },
            Object::Scale(id) => ObjectSpec {
                kind: ObjectSpecKind::Dataset(scale_dataset(schema.dim(id))),
                properties: ObjectProperties::default(),
                attributes: {
                    let mut all = vec![
                        class(),
                        name_of_dimension(schema.dim(id).length),
                        self.scales.dimension_id(id),
                    ];
                    all.extend(self.attached[id.0].as_deref().map(reference_list));
                    all
                },
            },
            Object::Var(id) => {
                let extent = self.longer.get(&id).unwrap_or(&self.plans[id.0].layout.extent);
                variable(
                    schema,
                    self.plans,
                    &self.types,
                    &self.scales,
                    &self.places,
                    &self.attached,
                    extent,
                    id,
                )
                .map_err(|e| e.in_variable(&schema.var_path(id)))?
            }
        })
    }
}

/// The HDF5 objects of a dataset, some of which are its variables.
pub trait DatasetTree: ObjectSource<Error = SourceError> {
    /// The object of a variable.
    fn dataset(&self, var: VarId) -> ObjectId;

    /// True for another name of a dataset that an earlier variable is. Its data is not written a second time.
    fn is_other_name(&self, var: VarId) -> bool {
        let _ = var;
        false
    }
}

impl DatasetTree for ObjectTree<'_> {
    fn dataset(&self, var: VarId) -> ObjectId {
        self.places.vars[var.0]
    }
}

impl ObjectSource for ObjectTree<'_> {
    type Error = SourceError;

    fn object_count(&self) -> usize {
        self.items.len()
    }

    fn object(&self, id: ObjectId) -> Result<Cow<'_, ObjectSpec>, SourceError> {
        let item = self.items.get(id.0).copied();
        let item = item.ok_or_else(|| Error::Internal(format!("there is no object {}", id.0)))?;
        Ok(Cow::Owned(self.make(item)?))
    }
}

/// The objects of groups, dimensions and variables.
struct TreeObjects {
    groups: Vec<ObjectId>,
    /// The scale of each dimension, coordinate variable or not.
    scales: Vec<ObjectId>,
    vars: Vec<ObjectId>,
}

impl TreeObjects {
    fn object(&self, item: Object, types: &Datatypes<'_>) -> ObjectId {
        match item {
            Object::Group(id) => self.groups[id.0],
            Object::Type(id) => types.object(id),
            Object::Scale(id) => self.scales[id.0],
            Object::Var(id) => self.vars[id.0],
        }
    }
}

/// The links in each group, in order.
pub fn contents(schema: &Schema, scales: &Scales) -> Vec<Vec<(String, Object)>> {
    let homes = homes(schema);
    let mut incoming: Vec<Vec<TypeId>> = vec![Vec::new(); schema.groups.len()];
    for (i, (ty, home)) in schema.types.iter().zip(&homes).enumerate() {
        if ty.group != *home {
            incoming[home.0].push(TypeId(i));
        }
    }
    let of_group = |(i, group): (usize, &crate::model::Group)| {
        let mut types: Vec<TypeId> = group
            .types
            .iter()
            .copied()
            .filter(|t| homes[t.0] == GroupId(i))
            .collect();
        if !incoming[i].is_empty() {
            types.append(&mut incoming[i]);
            // A type comes after the types that are parts of it.
            types.sort_unstable();
        }
        let types = types
            .into_iter()
            .map(|t| (schema.user_type(t).name.clone(), Object::Type(t)));
        let alone = group.dims.iter().filter(|d| scales.coordinate(**d).is_none());
        let alone = alone.map(|d| (schema.dim(*d).name.clone(), Object::Scale(*d)));
        let vars = group
            .vars
            .iter()
            .map(|v| (scales.link_name(schema, *v), Object::Var(*v)));
        let children = group
            .children
            .iter()
            .map(|g| (schema.group(*g).name.clone(), Object::Group(*g)));
        types.chain(alone).chain(vars).chain(children).collect()
    };
    schema.groups.iter().enumerate().map(of_group).collect()
}

/// The variables attached to each dimension's scale; `None` if there are none.
fn attached(schema: &Schema, scales: &Scales, places: &TreeObjects) -> Vec<Option<Vec<(ObjectId, u32)>>> {
    let mut attached: Vec<Option<Vec<_>>> = vec![None; schema.dims.len()];
    for (i, var) in schema.vars.iter().enumerate() {
        if scales.scale_of(VarId(i)).is_some() {
            continue;
        }
        for (position, dim) in (0..).zip(&var.dims) {
            attached[dim.0]
                .get_or_insert_default()
                .push((places.vars[i], position));
        }
    }
    attached
}

/// The extents that differ from the plans. An unlimited dimension is as long as the longest variable on it.
/// If that is too short because variables were left out, its coordinate variable is extended. This renumbers
/// no chunk, because the dimension is the slowest of that variable.
fn longer_extents(schema: &Schema, plans: &[VariablePlan], scales: &Scales) -> HashMap<VarId, Vec<u64>> {
    let mut longest = vec![0; schema.dims.len()];
    for (var, plan) in schema.vars.iter().zip(plans) {
        for (dim, length) in var.dims.iter().zip(&plan.layout.extent) {
            longest[dim.0] = longest[dim.0].max(*length);
        }
    }
    let mut extents = HashMap::new();
    for (i, dim) in schema.dims.iter().enumerate() {
        if !dim.unlimited || longest[i] >= dim.length {
            continue;
        }
        if let Some(var) = scales.coordinate(DimId(i)) {
            let mut extent = plans[var.0].layout.extent.clone();
            if let Some(first) = extent.first_mut() {
                *first = dim.length;
            }
            extents.insert(var, extent);
        }
    }
    extents
}

fn group_attributes(schema: &Schema, types: &Datatypes<'_>, id: GroupId) -> Result<Vec<AttributeSpec>> {
    let mut all = Vec::new();
    if id == Schema::ROOT {
        let properties = concat!("version=2,ncutils=", env!("CARGO_PKG_VERSION"));
        all.push(attributes::text(PROPERTIES, properties));
        if schema.kind == Kind::Netcdf4Classic {
            all.push(attributes::scalar_int(CLASSIC_MODEL, 1));
        }
    }
    let own = schema.group(id).attributes.iter().enumerate();
    let own = own.filter(|(_, a)| id != Schema::ROOT || !OF_THE_FILE.contains(&a.name.as_str()));
    append(schema, types, &mut all, own).map_err(|(n, e)| {
        let name = &schema.group(id).attributes[n].name;
        let what = format!("attribute {name} of group {}", schema.group_path(id));
        named(e, &what).about(Item::GroupAttribute(id, n))
    })?;
    let own = schema.group(id).attributes.len();
    few_enough(all.len(), own).map_err(|(n, what)| {
        Error::Usage(format!("group {}: {what}", schema.group_path(id))).about(Item::GroupAttribute(id, n))
    })?;
    Ok(all)
}

/// Checks that an object can have `count` attributes, of which `own` are the dataset's. HDF5 numbers
/// attributes with 16 bits. The error contains the position of the first attribute that is too many.
fn few_enough(count: usize, own: usize) -> Result<(), (usize, String)> {
    let over = count.saturating_sub(MAX_ATTRIBUTES);
    if over == 0 {
        return Ok(());
    }
    let most = own.saturating_sub(over);
    let what =
        format!("{own} attributes; netCDF-4 holds at most {most} here, beside those that it needs itself");
    Err((most.min(own.saturating_sub(1)), what))
}

fn variable(
    schema: &Schema,
    plans: &[VariablePlan],
    types: &Datatypes<'_>,
    scales: &Scales,
    places: &TreeObjects,
    attached: &[Option<Vec<(ObjectId, u32)>>],
    extent: &[u64],
    id: VarId,
) -> Result<ObjectSpec> {
    let var = schema.var(id);
    let scale_of = scales.scale_of(id);
    let mut all = Vec::new();
    if let Some(dim) = scale_of {
        all.extend([class(), name_of_variable(&var.name), scales.dimension_id(dim)]);
    }
    if !var.dims.is_empty() {
        all.push(scales.coordinate_ids(&var.dims));
    }
    for (n, attribute) in var.attributes.iter().enumerate() {
        let makes_a_scale =
            attribute.name == CLASS && attribute.values.bytes.starts_with(DIMENSION_SCALE.as_bytes());
        if RESERVED.contains(&attribute.name.as_str()) || makes_a_scale {
            return Err(Error::Usage(format!(
                "attribute {}: netCDF-4 keeps dimensions under this name; leave it out or rename it",
                attribute.name
            ))
            .about(Item::VariableAttribute(id, n)));
        }
    }
    append(schema, types, &mut all, var.attributes.iter().enumerate()).map_err(|(n, e)| {
        let what = format!("attribute {}", var.attributes[n].name);
        named(e, &what).about(Item::VariableAttribute(id, n))
    })?;
    match scale_of {
        Some(dim) => all.extend(attached[dim.0].as_deref().map(reference_list)),
        None if var.dims.is_empty() => {}
        None => {
            let scales: Vec<_> = var.dims.iter().map(|d| places.scales[d.0]).collect();
            all.push(dimension_list(&scales));
        }
    }
    few_enough(all.len(), var.attributes.len())
        .map_err(|(n, what)| Error::Usage(what).about(Item::VariableAttribute(id, n)))?;
    Ok(ObjectSpec {
        kind: ObjectSpecKind::Dataset(dataset::dataset(schema, types, id, &plans[id.0], extent)?),
        attributes: all,
        properties: ObjectProperties::default(),
    })
}

/// Adds attributes, given with their positions in their owner's list. An error contains the position too.
fn append<'s>(
    schema: &Schema,
    types: &Datatypes<'_>,
    all: &mut Vec<AttributeSpec>,
    own: impl Iterator<Item = (usize, &'s Attribute)>,
) -> Result<(), (usize, Error)> {
    let mut names: HashSet<String> = all.iter().map(|a| a.name.clone()).collect();
    for (n, attribute) in own {
        let name = attribute.name.as_str();
        if !names.insert(name.to_owned()) {
            let why = "there is another of this name, maybe netCDF-4's own; leave it out or rename it";
            return Err((n, Error::Usage(why.to_owned())));
        }
        all.push(attributes::attribute(schema, types, attribute).map_err(|e| (n, e))?);
    }
    Ok(())
}

fn named(error: Error, what: &str) -> Error {
    match error {
        Error::Unsupported(why) => Error::Unsupported(format!("{what}: {why}")),
        Error::Damaged(why) => Error::Damaged(format!("{what}: {why}")),
        e => Error::Usage(format!("{what}: {e}")),
    }
}
