//! Datasets of other kinds, copied to Zarr and back.

use super::*;
use ncutils_core::model::{Type, VarId};

/// Checks that a dataset is the same in a kind of Zarr and back again, but for the lines that `differs` takes.
fn through(name: &str, kind: Kind, differs: impl Fn(&str) -> bool) {
    let source = testdata(name);
    let keys = to_keys(&*source, &to(kind), 2);
    let zarr = open(&keys).unwrap();
    let back = to_netcdf4(&*zarr);
    let lines = |reader: &dyn Reader| -> Vec<String> {
        let lines = text(reader).lines().map(str::to_owned).collect::<Vec<_>>();
        let same = |line: &String| !line.contains(":_Format = ") && !differs(line);
        lines.into_iter().filter(same).collect()
    };
    let before = lines(&*source);
    for (what, reader) in [("Zarr", &*zarr), ("netCDF-4", &*back)] {
        let after = lines(reader);
        let first = before.iter().zip(&after).find(|(a, b)| a != b);
        assert_eq!(first, None, "{name} in {what}");
        assert_eq!(before.len(), after.len(), "{name} in {what}");
    }
}

#[test]
fn nczarr_keeps_numbers_text_groups_and_dimensions() {
    for name in [
        "classic/cdf1.nc",
        "classic/cdf5.nc",
        "netcdf4/nc_groups.nc",
        "netcdf4/nc_fill.nc",
        "netcdf4/nc_dimension_names.nc",
    ] {
        // No string and an empty one are one.
        through(name, Kind::Nczarr, |line| line.starts_with(" str = "));
    }
}

#[test]
fn the_same_keys_with_any_number_of_threads() {
    let source = testdata("sample.nc");
    for kind in [Kind::Nczarr, Kind::Zarr2] {
        let one = to_keys(&*source, &to(kind), 1);
        let four = to_keys(&*source, &to(kind), 4);
        let keys = one.list("").unwrap();
        assert!(!keys.is_empty());
        assert_eq!(keys, four.list("").unwrap());
        for key in keys {
            let (a, b) = (one.get(&key, GetRange::Whole), four.get(&key, GetRange::Whole));
            assert_eq!(a.unwrap(), b.unwrap(), "{key}");
        }
    }
}

#[test]
fn a_hierarchy_is_written_as_netcdf_c_and_zarr_python_read_it() {
    let source = testdata("netcdf4/nc_groups.nc");
    let keys = to_keys(&*source, &to(Kind::Zarr2), 1);
    assert_eq!(document(&keys, ".zgroup"), "{\"zarr_format\": 2}");
    assert!(document(&keys, ".zmetadata").contains("\"zarr_consolidated_format\": 1"));
    let nczarr = to_keys(&*source, &to(Kind::Nczarr), 1);
    assert!(nczarr.get(".zmetadata", GetRange::Whole).unwrap().is_none());
    assert!(document(&nczarr, ".zattrs").contains("\"_nczarr_superblock\": {\"version\": \"2.0.0\"}"));
}

#[test]
fn user_defined_types_are_refused_by_the_variable() {
    let source = testdata("netcdf4/nc_user_types.nc");
    let schema = source.schema();
    let var = (0..schema.vars.len())
        .map(VarId)
        .find(|var| matches!(schema.var(*var).ty, Type::User(_)));
    let path = schema.var_path(var.unwrap());
    for kind in [Kind::Nczarr, Kind::Zarr2] {
        let error = plan(&*source, &to(kind)).unwrap_err().to_string();
        let says = format!("variable {path} is of the user-defined type ");
        assert!(error.contains(&says), "{error}");
    }
    // The writer itself refuses what no plan has checked.
    let error = format::zarr::check(schema).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("variable {path} has the user-defined type ")),
        "{error}"
    );
}
