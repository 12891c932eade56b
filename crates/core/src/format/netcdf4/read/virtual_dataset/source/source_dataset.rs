//! Opens the sources of virtual datasets, each as a reader of one variable.

use std::sync::Arc;

use ncutils_hdf5::{Class, Datatype};

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::read::data::stored::{StoredData, StoredVariable};
use crate::format::netcdf4::read::datatype::convert::Conversion;
use crate::format::netcdf4::read::datatype::number::Number;
use crate::format::netcdf4::read::datatype::presented::Presented;
use crate::format::netcdf4::read::layout::storage;
use crate::format::netcdf4::read::netcdf4_reader::Netcdf4Reader;
use crate::format::netcdf4::read::virtual_dataset::{
    SourceDataset, SourceReader, VirtualStorage, VirtualVariable, is_number,
};
use crate::model::{Attributes, Encoding, GroupId, Kind, Schema, SharedLayout, Type, Variable};

/// Opens a source for a virtual dataset with elements of `datatype`.
///
/// # Errors
/// Its elements cannot become those of the virtual dataset, or its header is damaged.
pub fn open(
    mut source: SourceDataset,
    target: &VirtualStorage<'_>,
    datatype: &Datatype,
    registry: &Registry,
) -> Result<SourceReader> {
    if let (true, Class::Enumeration { base, .. }) = (is_number(target.ty), &source.dataset.datatype.class) {
        // The numbers of an enumeration have its bytes.
        source.dataset.datatype = (**base).clone();
    }
    if let Some(presented) = Presented::of(&source.dataset.datatype) {
        source.dataset.datatype = presented.datatype;
    }
    let own = &source.dataset.datatype;
    let ty = type_of(own, target.ty, datatype)?;
    let mut schema = Schema::new(Kind::Netcdf4);
    if let Type::User(_) = ty {
        schema.types.clone_from(&target.schema.types);
    }
    schema.add_var(Variable {
        name: String::new(),
        group: GroupId(0),
        ty,
        dims: Vec::new(),
        attributes: Attributes::default(),
    });
    let file = source.file;
    let conversion = Conversion::compile(&schema, own, ty)?;
    let layout = storage::layout(&schema, &source.dataset, ty, &conversion, &file)?;
    let same_type = own == datatype;
    let structured = layout.encoding == Encoding::Structured;
    let stored = StoredVariable {
        file: 0,
        object: source.dataset.address,
        data: match source.mappings {
            Some(mappings) => StoredData::Virtual(Box::new(VirtualVariable::new(mappings))),
            None => StoredData::of(&Arc::new(source.dataset), &file),
        },
        layout: SharedLayout::from(layout),
        conversion: structured.then(|| Box::new(conversion)),
    };
    let reader = Netcdf4Reader::of(schema, vec![file], vec![stored], registry);
    Ok(SourceReader::new(Box::new(reader), ty, same_type))
}

/// The type as which elements of `own` are read, to become elements of the type `to`, stored as `datatype`.
fn type_of(own: &Datatype, to: Type, datatype: &Datatype) -> Result<Type> {
    let numeric =
        |datatype: &Datatype| matches!(datatype.class, Class::FixedPoint { .. } | Class::FloatingPoint(_));
    let text = |datatype: &Datatype| matches!(datatype.class, Class::String { .. });
    match (numeric(own), is_number(to)) {
        (true, true) => Ok(Number::of(own).map_err(Error::Unsupported)?.ty()),
        _ if own == datatype => Ok(to),
        _ if text(own) && text(datatype) && (to != Type::Char || own.size == 1) => Ok(to),
        _ => Err(not_convertible(own)),
    }
}

fn not_convertible(own: &Datatype) -> Error {
    Error::Usage(format!(
        "its elements, of {} bytes and of another type, cannot become those of the virtual variable",
        own.size
    ))
}
