//! Raw data in files of its own: `-c 'VAR:external=FILE[@OFFSET[+SIZE]][;FILE…]'`.

use std::path::{Component, Path};
use std::sync::Arc;

use super::chunk_spec::split_unescaped;
use crate::chunk::element_count;
use crate::error::{Request, Result};
use crate::model::{ExternalPart, Schema, VarId, VariableLayout, unescape};

/// Most parts of a variable. HDF5 counts them with 16 bits, and their message holds fewer.
const MOST_PARTS: usize = 2_000;

/// Reads `FILE[@OFFSET[+SIZE]][;FILE…]`. A backslash makes the next character part of a name.
///
/// # Errors
/// What was expected.
pub(super) fn parts(text: &str, argument: &str) -> Result<Vec<ExternalPart>> {
    let refused = |why: String| Request::Chunks.misspelled(format!("'{argument}'"), why);
    let texts = split_unescaped(text, ';');
    if texts.len() > MOST_PARTS {
        return Err(refused(format!(
            "{} files; a variable has at most {MOST_PARTS}",
            texts.len()
        )));
    }
    let last = texts.len() - 1;
    let mut parts = Vec::with_capacity(texts.len());
    for (at, text) in texts.into_iter().enumerate() {
        let part = part(text).map_err(refused)?;
        if part.size.is_none() && at < last {
            return Err(refused(format!(
                "only the last file can be without a size; expected {}@OFFSET+SIZE",
                part.file
            )));
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Reads `FILE[@OFFSET[+SIZE]]`. The error is what was expected.
fn part(text: &str) -> Result<ExternalPart, String> {
    let number = |digits: &str, what: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let number = is_number.then(|| digits.parse::<u64>().ok()).flatten();
        number
            .ok_or_else(|| format!(r"expected {what} in bytes, found '{digits}'; in a file's name, write \@"))
    };
    let (name, offset, size) = match split_unescaped(text, '@').as_slice() {
        [name] => (*name, 0, None),
        [name, place] => match place.split_once('+') {
            None => (*name, number(place, "an offset")?, None),
            Some((offset, size)) => (*name, number(offset, "an offset")?, Some(number(size, "a size")?)),
        },
        _ => return Err(r"more than one '@'; in a file's name, write \@".to_owned()),
    };
    let file = unescape(name);
    check_name(&file)?;
    match size {
        Some(0) => Err(format!("a size of 0 bytes in {file}")),
        Some(size) if offset.checked_add(size).is_none() => {
            Err(format!("{file} cannot have bytes past 2^64"))
        }
        size => Ok(ExternalPart { file, offset, size }),
    }
}

/// Checks that a file is below the output's folder, as far as its name tells. The error says what is wrong.
fn check_name(file: &str) -> Result<(), String> {
    if file.is_empty() {
        return Err("the name of a file is missing".to_owned());
    }
    let below = |part| matches!(part, Component::Normal(_));
    if !Path::new(file).components().all(below) || file.ends_with('/') || file.contains('\0') {
        return Err(format!(
            "'{file}' is not the name of a file below the output's folder: it must be relative, without '.' and '..'"
        ));
    }
    Ok(())
}

/// The parts of a variable of the output whose storage is `layout`. A last part without a size gets one, unless the variable can
/// grow.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for a kind without such files, a type of varying length, dimensions that cannot
/// grow so, and sizes that are too small.
pub(super) fn placed(
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

    fn read(text: &str) -> Result<Vec<ExternalPart>, String> {
        parts(text, "v:external=…").map_err(|error| error.to_string())
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(read("a.raw").unwrap(), [part("a.raw", 0, None)]);
        assert_eq!(read("d/a.raw@7").unwrap(), [part("d/a.raw", 7, None)]);
        assert_eq!(
            read("a@1+2;b@3").unwrap(),
            [part("a", 1, Some(2)), part("b", 3, None)]
        );
        assert_eq!(read(r"a\@\;\:b@4+5").unwrap(), [part("a@;:b", 4, Some(5))]);
        assert_eq!(read("a..b+1").unwrap(), [part("a..b+1", 0, None)]);
    }

    #[test]
    fn says_what_is_wrong() {
        for (bad, why) in [
            ("", "name of a file is missing"),
            ("a@0+4;", "name of a file is missing"),
            ("a;b", "only the last"),
            ("a@1;b", "only the last"),
            ("a@x", "expected an offset"),
            ("a@", "expected an offset"),
            ("a@-1", "expected an offset"),
            ("a@1+", "expected a size"),
            ("a@1++2", "expected a size"),
            ("a@1@2", "more than one '@'"),
            ("a@0+0", "size of 0"),
            ("a@18446744073709551615+1", "past 2^64"),
            ("a@18446744073709551616", "expected an offset"),
            ("/etc/passwd", "below the output's folder"),
            ("../a", "below the output's folder"),
            ("a/../b", "below the output's folder"),
            ("./a", "below the output's folder"),
            ("..", "below the output's folder"),
            ("a/", "below the output's folder"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
        assert!(
            read(&"a@0+1;".repeat(MOST_PARTS))
                .unwrap_err()
                .contains("at most")
        );
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
