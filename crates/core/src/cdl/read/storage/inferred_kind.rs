//! The kind of file that a CDL text becomes: asked for by an option, named by `_Format`, or the least that can hold it.

use super::attributes::StorageAttributes;
use crate::cdl::read::declaration::foreign_names::names_at_fault;
use crate::copy::plan::{Unheld, unheld};
use crate::error::Result;
use crate::model::{Item, Kind, Schema, VarId};

/// The kind of the output file: `asked` (an option), else `format` (the text's `_Format`), else the least kind that
/// can hold the dataset.
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) naming an item that the kind cannot hold.
pub fn infer(
    schema: &Schema,
    storage: &[StorageAttributes],
    format: Option<Kind>,
    asked: Option<Kind>,
) -> Result<Kind> {
    let kind = asked.or(format).unwrap_or_else(|| least_kind(schema, storage));
    let attribute = || {
        let (at, (name, is_done)) = storage
            .iter()
            .enumerate()
            .find_map(|(at, asked)| Some((at, asked.beyond(kind.can())?)))?;
        let what = format!("variable {} has {name}", schema.vars.get(at)?.name);
        let item = Item::StorageAttribute(VarId(at), name);
        Some(Unheld::new(kind, item, what, is_done))
    };
    match unheld(schema, kind).or_else(attribute) {
        Some(found) => Err(found.error()),
        None => Ok(kind),
    }
}

/// The least kind that can hold a dataset, which `ncgen` takes without an option or `_Format`:
///
/// - netCDF-4 for strings, user types, groups, storage attributes, an unlimited dimension that is not the first or not
///   the only one, and names that netCDF-C cannot create, which only HDF5 files of other programs have;
/// - else CDF-5 for types that the classic model lacks, or dimensions too long for it;
/// - else classic.
pub fn least_kind(schema: &Schema, storage: &[StorageAttributes]) -> Kind {
    let stored = storage.iter().any(StorageAttributes::any);
    let longest = schema.dims.iter().map(|dim| dim.length).max().unwrap_or(0);
    let holds = |kind: &Kind| {
        let can = kind.can();
        (can.storage_attributes || !stored)
            && longest <= can.longest_dimension
            && unheld(schema, *kind).is_none()
    };
    let found = [Kind::Classic, Kind::Data64].into_iter().find(holds);
    found
        .filter(|_| names_at_fault(schema).is_empty())
        .unwrap_or(Kind::Netcdf4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DimId, Dimension, Type, Variable};

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
            attributes: Vec::new().into(),
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
        assert_eq!(least_kind(&schema(&[], Type::Int), &unfilled), Kind::Netcdf4);
        let mut foreign = schema(&[], Type::Int);
        foreign.vars[0].name = "+v".into();
        assert_eq!(least_kind(&foreign, &plain), Kind::Netcdf4);
        let mut grouped = schema(&[], Type::Int);
        grouped.add_group(Schema::ROOT, "g");
        assert_eq!(least_kind(&grouped, &plain), Kind::Netcdf4);
    }

    #[test]
    fn the_option_beats_the_attribute_and_must_hold_all() {
        let plain = [StorageAttributes::default()];
        let int = schema(&[true], Type::Int);
        for (format, asked, kind) in [
            (None, None, Kind::Classic),
            (Some(Kind::Netcdf4), None, Kind::Netcdf4),
            (Some(Kind::Netcdf4), Some(Kind::Data64), Kind::Data64),
        ] {
            assert_eq!(infer(&int, &plain, format, asked).unwrap(), kind);
        }
        let refused = |schema: &Schema, storage: &[StorageAttributes], format, asked| {
            infer(schema, storage, format, asked).unwrap_err().to_string()
        };
        let text = schema(&[], Type::String);
        let error = refused(&text, &plain, None, Some(Kind::Data64));
        assert!(error.contains("variable v is of type string"), "{error}");
        let error = refused(
            &schema(&[true, true], Type::Int),
            &plain,
            Some(Kind::Classic),
            None,
        );
        assert!(error.contains("d0 and d1") && !error.contains("-u "), "{error}");
        let shuffled = [StorageAttributes {
            shuffle: Some(true),
            ..Default::default()
        }];
        let error = refused(&int, &shuffled, None, Some(Kind::Classic));
        assert!(error.contains("variable v has _Shuffle"), "{error}");
        assert!(infer(&int, &shuffled, None, Some(Kind::Netcdf4Classic)).is_ok());
    }

    #[test]
    fn long_dimensions_need_the_fifth_version() {
        let mut long = schema(&[], Type::Byte);
        long.add_dim(Dimension {
            name: "long".into(),
            group: Schema::ROOT,
            length: i32::MAX as u64 - 2,
            unlimited: false,
        });
        assert_eq!(least_kind(&long, &[StorageAttributes::default()]), Kind::Data64);
    }
}
