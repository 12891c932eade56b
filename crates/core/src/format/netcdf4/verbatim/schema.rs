//! Datasets as variables: those whose elements hold no addresses, for the engine, and those whose elements do.
//!
//! Each has dimensions of its own, and a type that tells no more than the engine needs: a number, or opaque bytes. Addresses are
//! opaque bytes, which lead into the input.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::HashMap;
use std::sync::Arc;

use ncutils_hdf5::{
    ByteOrder, Class, Dataset, Dataspace, Datatype, Fill as StoredFill, Layout, ObjectId, ObjectKind,
};

use super::addressed::elements::VerbatimShape;
use super::hierarchy::Hierarchy;
use crate::error::Result;
use crate::filter::Registry;
use crate::format::netcdf4::read::{Netcdf4Reader, OpenFile, StoredData, StoredVariable, codec_specs};
use crate::model::{
    Attribute, Attributes, Dimension, Encoding, Endian, Fill, GroupId, Kind, Schema, SharedLayout, Storage,
    Type, TypeClass, UserType, Values, VarId, Variable, VariableLayout,
};

/// A reader of the variables for the engine, and one of those with addresses. Each item gets its variable.
///
/// # Errors
/// A dataset is damaged, or has elements that cannot be copied.
pub(super) fn readers(
    file: OpenFile,
    other: OpenFile,
    hierarchy: &mut Hierarchy,
    registry: &Registry,
) -> Result<(Netcdf4Reader, Netcdf4Reader)> {
    let page_size = file.file.page_size();
    let (mut found, mut addressed) = (OpaqueSchema::new(), OpaqueSchema::new());
    for n in 0..hierarchy.items.len() {
        let item = &hierarchy.items[n];
        let Some((group, name)) = hierarchy.link(item) else {
            continue;
        };
        if item.kind == ObjectKind::Group {
            // A group is found before what it holds.
            for found in [&mut found, &mut addressed] {
                let around = found.groups.get(&group).copied().unwrap_or(Schema::ROOT);
                let id = found.schema.add_group(around, &name);
                found.groups.insert(ObjectId(n), id);
            }
            continue;
        }
        if item.kind != ObjectKind::Dataset {
            continue;
        }
        let object = file.file.object(item.address).map_err(hdf5_error)?;
        let dataset = file.file.dataset(&object).map_err(hdf5_error)?;
        let shape = VerbatimShape::new(&dataset.datatype, file.file.offset_size());
        let shape = shape.map_err(|error| error.in_variable(&hierarchy.path(item)))?;
        // Without elements, without storage of its own: the header is all there is.
        let stored_here = match dataset.layout {
            Layout::Compact(_) | Layout::Contiguous { .. } | Layout::Chunked(_) => true,
            Layout::External(_) => file.external_files.is_some(),
            _ => false,
        };
        if !stored_here || dataset.dataspace.count().is_none_or(|count| count == 0) {
            continue;
        }
        if shape.has_addresses() {
            hierarchy.items[n].addressed = Some(addressed.add(group, name, dataset, &file));
            continue;
        }
        let (is_scale, quantized) = (item.is_scale, item.quantized.clone());
        let var = found.add(group, name, dataset, &file);
        found.tell_of_quantization(var, is_scale, quantized);
        hierarchy.items[n].var = Some(var);
    }
    found.schema.page_size = page_size;
    let reader =
        |found: OpaqueSchema, file| Netcdf4Reader::of(found.schema, vec![file], found.stored, registry);
    Ok((reader(found, file), reader(addressed, other)))
}

struct OpaqueSchema {
    schema: Schema,
    /// The groups by the numbers of their objects, but for the root.
    groups: HashMap<ObjectId, GroupId>,
    /// The types of opaque elements, by their size.
    opaque: HashMap<u32, Type>,
    stored: Vec<StoredVariable>,
}

impl OpaqueSchema {
    fn new() -> Self {
        Self {
            schema: Schema::new(Kind::Netcdf4),
            groups: HashMap::new(),
            opaque: HashMap::new(),
            stored: Vec::new(),
        }
    }

    fn add(&mut self, group: ObjectId, name: String, dataset: Dataset, file: &OpenFile) -> VarId {
        let group = self.groups.get(&group).copied().unwrap_or(Schema::ROOT);
        let (ty, endian) = match number(&dataset.datatype) {
            Some(number) => number,
            None => (self.opaque(dataset.datatype.size), Endian::Little),
        };
        let dims = match &dataset.dataspace {
            Dataspace::Simple { dims, max_dims } => dims.iter().zip(max_dims),
            _ => [].iter().zip(&[]),
        };
        let dims = dims.map(|(length, max)| {
            let name = format!("phony_dim_{}", self.schema.dims.len());
            self.schema.add_dim(Dimension {
                name,
                group,
                length: *length,
                unlimited: *max != Some(*length),
            })
        });
        let dims = dims.collect();
        let layout = self.layout(&dataset, ty, endian);
        self.stored.push(StoredVariable {
            file: 0,
            object: dataset.address,
            layout: SharedLayout::from(layout),
            data: StoredData::of(&Arc::new(dataset), file),
            conversion: None,
        });
        self.schema.add_var(Variable {
            name,
            group,
            ty,
            dims,
            attributes: Attributes::default(),
        })
    }

    /// Tells what the choice of variables to quantize asks: which are coordinates, and which were quantized before.
    fn tell_of_quantization(&mut self, var: VarId, is_scale: bool, quantized: Option<Attribute>) {
        let variable = &mut self.schema.vars[var.0];
        variable.attributes.extend(quantized);
        if let ([dim], true) = (&variable.dims[..], is_scale) {
            self.schema.dims[dim.0].name.clone_from(&variable.name);
        }
    }

    fn layout(&self, dataset: &Dataset, ty: Type, endian: Endian) -> VariableLayout {
        let (size, encoding) = self.schema.storage_encoding(ty);
        let mut layout = VariableLayout::contiguous(dataset.dataspace.dims().to_vec(), size, encoding);
        layout.storage = match &dataset.layout {
            Layout::Compact(_) => Storage::Compact,
            Layout::Chunked(chunked) => Storage::Chunked {
                shape: chunked.shape.clone(),
            },
            _ => Storage::Contiguous,
        };
        layout.endian = endian;
        layout.filters = codec_specs(&dataset.filters);
        let value = match &dataset.fill.value {
            StoredFill::Defined(bytes) => {
                let mut bytes = bytes.clone();
                if endian == Endian::Big && matches!(encoding, Encoding::Numbers { .. }) {
                    bytes.reverse();
                }
                Some(Values::from_bytes(bytes))
            }
            _ => None,
        };
        layout.fill = Fill {
            explicit: value.is_some(),
            no_fill: value.is_none(),
            value,
            ..Fill::default()
        };
        layout
    }

    fn opaque(&mut self, size: u32) -> Type {
        let schema = &mut self.schema;
        *self.opaque.entry(size).or_insert_with(|| {
            Type::User(schema.add_type(UserType {
                name: format!("bytes_{size}"),
                group: Schema::ROOT,
                class: TypeClass::Opaque { size: size as usize },
            }))
        })
    }
}

/// The type of plain numbers, and their byte order.
fn number(datatype: &Datatype) -> Option<(Type, Endian)> {
    let order = |order: ByteOrder| match order {
        ByteOrder::Big => Endian::Big,
        _ => Endian::Little,
    };
    match &datatype.class {
        Class::FixedPoint {
            order: bytes, signed, ..
        } if *datatype == Datatype::integer(datatype.size, *signed, *bytes) => {
            let ty = match (datatype.size, signed) {
                (1, true) => Type::Byte,
                (1, false) => Type::UByte,
                (2, true) => Type::Short,
                (2, false) => Type::UShort,
                (4, true) => Type::Int,
                (4, false) => Type::UInt,
                (8, true) => Type::Int64,
                (8, false) => Type::UInt64,
                _ => return None,
            };
            Some((ty, order(*bytes)))
        }
        Class::FloatingPoint(float) if *datatype == Datatype::ieee(datatype.size, float.order) => {
            let ty = match (datatype.size, float.order) {
                (_, ByteOrder::Vax) => return None,
                (4, _) => Type::Float,
                (8, _) => Type::Double,
                _ => return None,
            };
            Some((ty, order(float.order)))
        }
        _ => None,
    }
}
