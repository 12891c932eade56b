//! The filters built in, by id.

use super::{
    Filter, bzip2::Bzip2, deflate::Deflate, fletcher32::Fletcher32, nbit::Nbit, shuffle::Shuffle, szip::Szip,
    zstd::Zstd,
};
use crate::error::{Error, Result};

/// All filters built in, by ascending id.
pub static FILTERS: [&dyn Filter; 7] = [&Deflate, &Shuffle, &Fletcher32, &Szip, &Nbit, &Bzip2, &Zstd];

/// The filter registered as `id`, if it is built in.
pub fn find(id: u32) -> Option<&'static dyn Filter> {
    FILTERS.iter().copied().find(|filter| filter.id() == id)
}

/// The filter registered as `id`. `name` is what the file calls it, for the message; may be empty.
///
/// # Errors
/// [`Error::UnknownFilter`].
pub fn get(id: u32, name: &str) -> Result<&'static dyn Filter> {
    find(id).ok_or_else(|| Error::UnknownFilter {
        id,
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_found() {
        for filter in FILTERS {
            assert_eq!(find(filter.id()).unwrap().name(), filter.name());
        }
        assert!(FILTERS.windows(2).all(|pair| pair[0].id() < pair[1].id()));
        assert!(matches!(
            get(32001, "blosc"),
            Err(Error::UnknownFilter { id: 32001, .. })
        ));
    }
}
