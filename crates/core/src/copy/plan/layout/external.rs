//! Raw data in files of its own: what the output can hold of it.

use std::sync::Arc;

use crate::chunk::element_count;
use crate::error::{Request, Result};
use crate::model::{ExternalPart, Schema, VarId, VariableLayout};

/// The parts of a variable of the output whose storage is `layout`. A last part without a size gets one, unless the variable can
/// grow.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for a kind without such files, a type of varying length, dimensions that cannot
/// grow so, and sizes that are too small.
pub fn placed(
    parts: &[ExternalPart],
    schema: &Schema,
    var: VarId,
    layout: &VariableLayout,
) -> Result<Arc<[ExternalPart]>> {
    let refused = |why: String| Request::Chunks.error(why);
    let can = schema.kind.can();
    if !can.external_data {
        return Err(refused(format!(
            "external files hold data of netCDF-4 and HDF5, not of the kind {}; add -k nc4",
            can.name
        )));
    }
    let variable = schema.var(var);
    if schema.has_heap(variable.ty) {
        return Err(refused(
            "strings and other elements of varying length cannot be in external files".to_owned(),
        ));
    }
    let mut dims = variable.dims.iter().map(|dim| schema.dim(*dim));
    let grows = dims.next().is_some_and(|dim| dim.unlimited);
    if let Some(dim) = dims.find(|dim| dim.unlimited) {
        return Err(refused(format!(
            "the dimension {} is unlimited, and only the first dimension of data in external files can be; make it fixed with -u",
            dim.name
        )));
    }
    let bytes = element_count(&layout.extent).and_then(|n| n.checked_mul(layout.element_size as u64));
    let bytes = bytes.ok_or_else(|| refused("more data than 2^64 bytes".to_owned()))?;
    let mut parts: Vec<ExternalPart> = parts.to_vec();
    let sized = parts
        .iter()
        .try_fold(0u64, |sum, part| sum.checked_add(part.size.unwrap_or(0)));
    let sized = sized.ok_or_else(|| refused("more data than 2^64 bytes".to_owned()))?;
    let Some(last) = parts.last_mut() else {
        return Err(refused("the name of a file is missing".to_owned()));
    };
    match (last.size, grows) {
        (None, true) => {}
        (Some(_), true) => {
            return Err(refused(format!(
                "its first dimension is unlimited, so its last file {} must have no size",
                last.file
            )));
        }
        (Some(_), false) if sized < bytes => {
            return Err(refused(format!(
                "the sizes of its external files are {sized} bytes in all, and its data has {bytes}"
            )));
        }
        (Some(_), false) => {}
        (None, false) if sized >= bytes => {
            return Err(refused(format!(
                "nothing is left for its last file {}: its data has {bytes} bytes",
                last.file
            )));
        }
        (None, false) => last.size = Some(bytes - sized),
    }
    if last.offset.checked_add(last.size.unwrap_or(bytes)).is_none() {
        return Err(refused(format!("{} cannot have bytes past 2^64", last.file)));
    }
    Ok(parts.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dimension, Encoding, Kind, Type, Variable};

    fn part(file: &str, offset: u64, size: Option<u64>) -> ExternalPart {
        ExternalPart {
            file: file.to_owned(),
            offset,
            size,
        }
    }

    /// A variable of 3 × 2 elements of two bytes, unlimited where it is told.
    fn schema(kind: Kind, unlimited: [bool; 2], ty: Type) -> (Schema, VariableLayout) {
        let mut schema = Schema::new(kind);
        let lengths = [("time", 3), ("x", 2)].into_iter().zip(unlimited);
        let dims = lengths.map(|((name, length), unlimited)| Dimension {
            name: name.to_owned(),
            group: Schema::ROOT,
            length,
            unlimited,
        });
        let dims: Vec<_> = dims.map(|dim| schema.add_dim(dim)).collect();
        schema.add_var(Variable {
            name: "v".to_owned(),
            group: Schema::ROOT,
            ty,
            dims,
            attributes: vec![].into(),
        });
        let layout = VariableLayout::contiguous(vec![3, 2], 2, Encoding::Numbers { unit: 2 });
        (schema, layout)
    }

    #[test]
    fn parts_hold_all_elements() {
        let place = |parts: &[ExternalPart], unlimited| {
            let (schema, layout) = schema(Kind::Netcdf4, unlimited, Type::Short);
            placed(parts, &schema, VarId(0), &layout)
                .map(|parts| parts.to_vec())
                .map_err(|error| error.to_string())
        };
        let fixed = [false, false];
        assert_eq!(
            place(&[part("a", 5, None)], fixed).unwrap(),
            [part("a", 5, Some(12))]
        );
        let two = [part("a", 0, Some(5)), part("b", 0, None)];
        assert_eq!(place(&two, fixed).unwrap()[1], part("b", 0, Some(7)));
        assert_eq!(place(&two, [true, false]).unwrap(), two);
        let larger = [part("a", 0, Some(100))];
        assert_eq!(place(&larger, fixed).unwrap(), larger);
        for (parts, unlimited, why) in [
            (
                &[part("a", 0, Some(11))][..],
                fixed,
                "11 bytes in all, and its data has 12",
            ),
            (
                &[part("a", 0, Some(12)), part("b", 0, None)],
                fixed,
                "nothing is left",
            ),
            (&larger, [true, false], "must have no size"),
            (&two, [false, true], "dimension x is unlimited"),
            (&[part("a", u64::MAX - 5, None)], fixed, "past 2^64"),
            (
                &[part("a", 0, Some(u64::MAX)), part("b", 0, Some(1))],
                fixed,
                "2^64",
            ),
        ] {
            let error = place(parts, unlimited).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_in_other_files_is_refused() {
        for (kind, ty, why) in [
            (Kind::Data64, Type::Short, "not of the kind cdf5"),
            (Kind::Zarr3, Type::Short, "add -k nc4"),
            (Kind::Netcdf4, Type::String, "varying length"),
        ] {
            let (schema, layout) = schema(kind, [false; 2], ty);
            let error = placed(&[part("a", 0, None)], &schema, VarId(0), &layout).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
