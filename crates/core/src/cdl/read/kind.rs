//! Which kind of file a CDL text becomes.

use super::storage_attributes::StorageAttributes;
use crate::model::{Attribute, Kind, Schema, Type};

/// The least kind that can hold a dataset, as `ncgen` chooses it where neither an option nor `_Format` says: netCDF-4 for
/// strings, user types, groups, an unlimited dimension that is not first or not the only one, and storage attributes;
/// else CDF-5 for types that the classic model lacks; else classic.
pub fn least_kind(schema: &Schema, storage: &[StorageAttributes]) -> Kind {
    let attributes = |list: &[Attribute]| list.iter().map(|a| a.ty).collect::<Vec<_>>();
    let mut types: Vec<Type> = schema.vars.iter().map(|v| v.ty).collect();
    types.extend(schema.vars.iter().flat_map(|v| attributes(&v.attributes)));
    types.extend(schema.groups.iter().flat_map(|g| attributes(&g.attributes)));
    let later_unlimited = || {
        schema
            .vars
            .iter()
            .flat_map(|v| v.dims.iter().skip(1))
            .any(|d| schema.dim(*d).unlimited)
    };
    let netcdf4 = schema.groups.len() > 1
        || !schema.types.is_empty()
        || types.iter().any(|ty| matches!(ty, Type::String | Type::User(_)))
        || schema.dims.iter().filter(|d| d.unlimited).count() > 1
        || later_unlimited()
        || storage.iter().any(StorageAttributes::needs_hdf5);
    if netcdf4 {
        Kind::Netcdf4
    } else if types.iter().all(|ty| ty.is_classic()) {
        Kind::Classic
    } else {
        Kind::Data64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DimId, Dimension, Variable};

    fn schema(dims: &[bool], ty: Type) -> Schema {
        let mut schema = Schema::new(Kind::Netcdf4);
        for (at, unlimited) in dims.iter().enumerate() {
            schema.add_dim(Dimension {
                name: format!("d{at}"),
                group: Schema::ROOT,
                length: 2,
                unlimited: *unlimited,
            });
        }
        schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty,
            dims: (0..dims.len()).map(DimId).collect(),
            attributes: Vec::new(),
        });
        schema
    }

    #[test]
    fn each_thing_that_classic_lacks_raises_the_kind() {
        let plain = [StorageAttributes::default()];
        for (dims, ty, kind) in [
            (&[true, false][..], Type::Int, Kind::Classic),
            (&[true, false], Type::Int64, Kind::Data64),
            (&[], Type::UByte, Kind::Data64),
            (&[], Type::String, Kind::Netcdf4),
            (&[false, true], Type::Int, Kind::Netcdf4),
            (&[true, true], Type::Int, Kind::Netcdf4),
        ] {
            assert_eq!(least_kind(&schema(dims, ty), &plain), kind, "{dims:?} {ty:?}");
        }
        let deflated = [StorageAttributes {
            deflate_level: Some(1),
            ..Default::default()
        }];
        assert_eq!(least_kind(&schema(&[], Type::Int), &deflated), Kind::Netcdf4);
        let unfilled = [StorageAttributes {
            no_fill: Some(true),
            ..Default::default()
        }];
        assert_eq!(least_kind(&schema(&[], Type::Int), &unfilled), Kind::Classic);
        let mut grouped = schema(&[], Type::Int);
        grouped.add_group(Schema::ROOT, "g");
        assert_eq!(least_kind(&grouped, &plain), Kind::Netcdf4);
    }
}
