//! The schema of a hierarchy: dimensions, groups, variables, attributes, and how each variable is stored.

use std::collections::{HashMap, HashSet};

use super::super::super::attributes;
use super::super::super::json::Json;
use super::super::super::keys::{NODE, below};
use super::super::super::options::ZarrOptions;
use super::super::super::read::{
    Built, Elements, NamedDimensions, StoredArray, Unit, UserTypes, count_numbers,
};
use super::super::super::time::{lost_units, time_attributes};
use super::super::codec_chain::{Flat, Serializer};
use super::super::data_type::DataType;
use super::super::fill_value;
use super::super::node_error::NodeError;
use super::super::number_words::words_as_numbers;
use super::super::own_facts::OwnFacts;
use super::hierarchy::{Hierarchy, Node};
use super::netcdf_type::netcdf_type;
use super::node::{self, ArrayMetadata};
use crate::error::Result;
use crate::model::{
    Attribute, Attributes, Endian, FILL_VALUE_ATTRIBUTE, Fill, FillTime, GroupId, Kind, Provenance,
    SLOT_SIZE, Schema, Type, TypeClass, Variable, VariableLayout,
};

/// Builds the schema. Nodes of which netCDF has no like are left out, with a warning. Damaged ones are left out, too, and
/// are faults of the schema.
///
/// # Errors
/// Names the key if the root itself is damaged.
pub fn build(hierarchy: Hierarchy, options: ZarrOptions) -> Result<Built> {
    let mut builder = Builder {
        schema: Schema::new(Kind::Zarr3),
        layouts: Vec::new(),
        arrays: Vec::new(),
        groups: HashMap::new(),
        named: NamedDimensions::default(),
        types: UserTypes::default(),
        options,
        facts: None,
        paths: HashMap::new(),
        other_bytes: hierarchy.other_bytes,
    };
    builder.schema.provenance = Some(Provenance {
        nc_properties: None,
        superblock_version: 0,
        is_netcdf4: true,
    });
    let facts = hierarchy
        .groups
        .first()
        .map(|root| node::attributes(&root.document));
    builder.facts = facts.and_then(OwnFacts::find);
    builder.schema.warnings.extend(hierarchy.warnings);
    for (path, error) in &hierarchy.faults {
        builder.leave_out("node", path, error.clone());
    }
    for (n, group) in hierarchy.groups.iter().enumerate() {
        builder.add_group(n, group);
    }
    let mut parsed = Vec::with_capacity(hierarchy.arrays.len());
    for array in hierarchy.arrays {
        match ArrayMetadata::parse(&array.document) {
            Ok(metadata) => {
                builder.expect_names(&array, &metadata);
                parsed.push((array, metadata));
            }
            Err(error) if array.path.is_empty() => return Err(error.of_root()),
            Err(error) => builder.leave_out("variable", &array.path, error),
        }
    }
    for (array, metadata) in parsed {
        match builder.add_array(&array, metadata) {
            Ok(()) => {}
            Err(error) if array.path.is_empty() => return Err(error.of_root()),
            Err(error) => builder.leave_out("variable", &array.path, error),
        }
    }
    if let Some(facts) = &builder.facts {
        facts.apply(&mut builder.schema, &mut builder.layouts);
    }
    builder.read_lists_of_numbers();
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
    /// The groups of the schema by their positions in the hierarchy.
    groups: HashMap<usize, GroupId>,
    named: NamedDimensions,
    types: UserTypes,
    options: ZarrOptions,
    /// NetCDF's own facts.
    facts: Option<OwnFacts>,
    /// The groups by their paths, with a leading `/`.
    paths: HashMap<String, GroupId>,
    /// Paths of groups and arrays whose documents have bytes that are no UTF-8.
    other_bytes: HashSet<String>,
}

impl Builder {
    /// Reads bytes as the numbers that the facts tell them to be.
    fn read_lists_of_numbers(&mut self) {
        let arrays = self.arrays.iter_mut().zip(&mut self.layouts);
        for (var, (array, layout)) in self.schema.vars.iter().zip(arrays) {
            if let Type::User(id) = var.ty
                && let TypeClass::Vlen { base } = self.schema.user_type(id).class
                && array.elements == Elements::VlenBytes
            {
                let size = base.atomic_size();
                array.elements = Elements::VlenNumbers(size);
                let fill = layout.fill.value.as_mut();
                if fill.is_some_and(|fill| !count_numbers(&mut fill.bytes, size)) {
                    layout.fill.value = None;
                }
            }
        }
    }

    fn leave_out(&mut self, what: &str, path: &str, error: NodeError) {
        let name = match path {
            "" => "the root".to_owned(),
            path => format!("{what} {path}"),
        };
        match error {
            NodeError::Unheld(why) => self.schema.warnings.push(format!("{name} is left out: it {why}")),
            NodeError::Damaged(why) => self.schema.faults.push(format!("{} {why}", below(path, NODE))),
        }
    }

    fn group(&self, node: &Node) -> GroupId {
        let parent = node.parent.and_then(|parent| self.groups.get(&parent));
        parent.copied().unwrap_or(Schema::ROOT)
    }

    fn add_group(&mut self, n: usize, group: &Node) {
        let id = match group.parent {
            None => Schema::ROOT,
            Some(_) => self.schema.add_group(self.group(group), group.name.clone()),
        };
        self.groups.insert(n, id);
        self.paths.insert(format!("/{}", group.path), id);
        let owner = match &*group.path {
            "" => "the root group".to_owned(),
            path => format!("group {path}"),
        };
        let members = node::attributes(&group.document);
        let members = &words_as_numbers(members)[..];
        let types = self
            .facts
            .as_ref()
            .and_then(|facts| facts.group_attributes(&group.path));
        let found = attributes::read(members, types.as_ref(), None, &owner, &mut self.schema.warnings);
        let mut found = found.with_json(members);
        if self.other_bytes.contains(&group.path) {
            found.restore_bytes();
        }
        if let (None, Some(provenance)) = (group.parent, &mut self.schema.provenance) {
            provenance.nc_properties = found.nc_properties;
        }
        self.schema.groups[id.0].attributes = Attributes::from(found.attributes).with_json(found.json);
    }

    /// Notes the names that an array gives to dimensions.
    fn expect_names(&mut self, array: &Node, metadata: &ArrayMetadata) {
        if self.told_dimensions(array, metadata).is_some() {
            return;
        }
        let group = self.group(array);
        for (name, length) in metadata.dimension_names.iter().flatten().zip(&metadata.shape) {
            if let Some(name) = name {
                self.named.expect(group, name, *length);
            }
        }
    }

    /// The groups and names of an array's dimensions, if the facts tell their paths and the array has these names.
    fn told_dimensions(&self, array: &Node, metadata: &ArrayMetadata) -> Option<Vec<(GroupId, String)>> {
        let paths = self.facts.as_ref()?.variable_dimensions(&array.path)?;
        let names = metadata.dimension_names.as_ref()?;
        let told = paths.iter().zip(names).map(|(path, own)| {
            let (group, name) = path.rsplit_once('/')?;
            let group = match group {
                "" => "/",
                group => group,
            };
            let is_own = own.as_deref() == Some(name);
            is_own.then_some((*self.paths.get(group)?, name.to_owned()))
        });
        let told: Vec<_> = told.collect::<Option<_>>()?;
        (told.len() == names.len() && paths.len() == names.len() && names.len() == metadata.shape.len())
            .then_some(told)
    }

    fn add_array(&mut self, array: &Node, metadata: ArrayMetadata) -> Result<(), NodeError> {
        let told = self.told_dimensions(array, &metadata);
        let ArrayMetadata {
            shape,
            chunk_shape,
            data_type,
            keys,
            fill_value,
            codecs,
            dimension_names,
        } = metadata;
        let group = self.group(array);
        let flat = codecs.flatten(&chunk_shape)?;
        let fill = fill_value::read(&fill_value, &data_type)?;
        let told: Option<Vec<_>> = told.and_then(|told| {
            let dims = told.iter().zip(&shape);
            dims.map(|((group, name), length)| self.named.of_length(&mut self.schema, *group, name, *length))
                .collect()
        });
        let dims = match (&dimension_names, told) {
            (_, Some(told)) => Ok(told),
            (Some(names), None) => {
                let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
                self.named.by_names(&mut self.schema, group, &names, &shape)
            }
            (None, None) => Err(format!("is not {} names", shape.len())),
        };
        let dims = dims.unwrap_or_else(|why| {
            self.schema.warnings.push(format!(
                "variable {}: dimension_names {why}; its dimensions have no names",
                array.path
            ));
            let dims = shape
                .iter()
                .map(|length| self.named.anonymous(&mut self.schema, *length));
            dims.collect()
        });
        let ty = netcdf_type(&mut self.types, &mut self.schema, group, &array.name, &data_type);
        let attributes = self.attributes(array, ty, &data_type, &fill);
        let explicit = attributes.iter().any(|a| a.name == FILL_VALUE_ATTRIBUTE);
        let id = self.schema.add_var(Variable {
            name: array.name.clone(),
            group,
            ty,
            dims,
            attributes,
        });
        let elements = elements(&data_type, &flat.serializer);
        let (size, encoding) = self.schema.storage_encoding(self.schema.var(id).ty);
        let size = data_type.size().unwrap_or(size);
        let Flat {
            chunk_shape: inner,
            levels,
            codecs,
            array_codecs,
            serializer,
        } = flat;
        // A codec may make numbers of several bytes of single bytes.
        let has_order = data_type.unit() > 1 || array_codecs > 0;
        let element_codec = serializer.spec(has_order);
        let endian = match serializer {
            Serializer::Bytes(endian) if has_order => endian,
            _ => Endian::Little,
        };
        let mut layout = VariableLayout::contiguous(shape, size, elements.encoding(encoding))
            .in_chunks(inner)
            .with_endian(endian)
            .with_fill(Fill {
                value: Some(fill),
                explicit,
                no_fill: false,
                time: FillTime::IfSet,
                ..Fill::default()
            });
        layout.filters = codecs;
        layout.array_codecs = Some(array_codecs);
        layout.chunk_keys = keys;
        if let Some(outer) = levels.first() {
            layout.shard = Some(chunk_shape);
            layout.shard_index = outer.index_location;
        }
        if let Elements::Text(size) = elements {
            layout.string_length = Some(size as u64);
        }
        if matches!(elements, Elements::Text(_) | Elements::Vlen | Elements::VlenBytes) {
            layout.element_size = SLOT_SIZE;
        }
        self.layouts.push(layout);
        self.arrays.push(StoredArray {
            path: array.path.clone(),
            keys: Some(keys),
            levels,
            elements,
            element_codec,
        });
        Ok(())
    }

    /// The attributes of an array. `_FillValue` is spelled as xarray spells it, and times get their units.
    fn attributes(
        &mut self,
        array: &Node,
        ty: Type,
        data_type: &DataType,
        fill: &crate::model::Values,
    ) -> Attributes {
        let owner = format!("variable {}", array.path);
        let members = node::attributes(&array.document);
        let members = &words_as_numbers(members)[..];
        let is_fill = |(name, _): &&(String, Json)| name == FILL_VALUE_ATTRIBUTE;
        let fill_attribute = members
            .iter()
            .find(is_fill)
            .and_then(|(_, value)| attributes::read_fill_value(value, ty));
        let own: Vec<(String, Json)> = match fill_attribute {
            Some(_) => members
                .iter()
                .filter(|member| !is_fill(member))
                .cloned()
                .collect(),
            None => members.to_vec(),
        };
        // xarray says so of bytes of a fixed length. Strings of netCDF are always UTF-8, and xarray fails where they say it.
        let is_told = |name: &str, value: &Json| {
            name == "_Encoding"
                && value
                    .as_str()
                    .is_some_and(|value| value.eq_ignore_ascii_case("utf-8"))
        };
        let own: Vec<(String, Json)> = match data_type {
            DataType::Text(_) => own
                .into_iter()
                .filter(|(name, value)| !is_told(name, value))
                .collect(),
            _ => own,
        };
        let types = self
            .facts
            .as_ref()
            .and_then(|facts| facts.variable_attributes(&array.path));
        let found = attributes::read(&own, types.as_ref(), Some(ty), &owner, &mut self.schema.warnings);
        let mut found = found.with_json(&own);
        if self.other_bytes.contains(&array.path) {
            found.restore_bytes();
        }
        let mut attributes = found.attributes;
        let masks = self.options.fill_is_missing && !matches!(ty, Type::User(_));
        let value = match (fill_attribute, masks) {
            (Some(value), _) => Some(value),
            (None, true) if attributes.iter().all(|a| a.name != FILL_VALUE_ATTRIBUTE) => Some(fill.clone()),
            (None, _) => None,
        };
        if let Some(values) = value {
            let attribute = Attribute {
                name: FILL_VALUE_ATTRIBUTE.to_owned(),
                ty,
                length: 1,
                values,
            };
            let place = members.iter().position(|member| is_fill(&member));
            attributes.insert(place.unwrap_or(0).min(attributes.len()), attribute);
        }
        if let DataType::Time(time) = data_type {
            for attribute in time_attributes(time) {
                if attributes.iter().all(|own| own.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
        let lost = lost_units(&array.path, data_type.times());
        self.schema.warnings.extend(lost);
        Attributes::from(attributes).with_json(found.json)
    }
}

/// How the elements of a data type are stored.
fn elements(data_type: &DataType, serializer: &Serializer) -> Elements {
    let endian = match serializer {
        Serializer::Bytes(endian) => *endian,
        _ => Endian::Little,
    };
    match data_type {
        DataType::Number(_) | DataType::Bool | DataType::Char | DataType::Raw(_) | DataType::Time(_) => {
            Elements::Plain
        }
        DataType::Half => Elements::Half(endian),
        DataType::BFloat16 => Elements::BFloat16(endian),
        DataType::Text(size) => Elements::Text(*size),
        DataType::Wide(characters) => Elements::Wide(*characters, endian),
        DataType::String => Elements::Vlen,
        DataType::Bytes => Elements::VlenBytes,
        DataType::Complex(_) | DataType::Struct(_) => match endian {
            Endian::Little => Elements::Plain,
            Endian::Big => {
                let mut units = Vec::new();
                push_units(data_type, &mut units);
                Elements::Fields(units.into())
            }
        },
    }
}

/// Adds the big-endian numbers that an element consists of.
fn push_units(data_type: &DataType, units: &mut Vec<Unit>) {
    match data_type {
        DataType::Struct(fields) => {
            for (_, field) in fields {
                push_units(field, units);
            }
        }
        DataType::Complex(part) => units.push(Unit::Reversed(2, part.atomic_size())),
        DataType::Text(size) | DataType::Raw(size) => units.push(Unit::Bytes(*size)),
        other => units.push(Unit::Reversed(1, other.unit())),
    }
}
