//! [`user_path`]: how messages name an object.

/// A path as users write it: without `/` for an item of the root group.
pub(in crate::format::netcdf4) fn user_path(path: &str) -> String {
    match path.strip_prefix('/') {
        Some(name) if !name.contains('/') => name.to_owned(),
        _ => path.to_owned(),
    }
}
