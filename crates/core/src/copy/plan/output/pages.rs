//! The pages in which the space of an HDF5 file is managed.

use crate::copy::plan::request::CopyOptions;
use crate::error::{Request, Result};
use crate::model::{Kind, Schema};

/// The pages, in bytes, that libhdf5 takes.
const SIZES: std::ops::RangeInclusive<u64> = 512..=1 << 30;

/// The size of the output's pages: what the options say, or else that of the input, where the kind has pages.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for a size that HDF5 does not have, and for a kind without pages.
pub fn asked(input: &Schema, options: &CopyOptions, kind: Kind) -> Result<Option<u64>> {
    let can = kind.can();
    match options.page_size {
        None => Ok(input.page_size.filter(|_| can.pages)),
        Some(_) if !can.pages => Err(Request::Pages.error(format!(
            "netCDF-4 and HDF5 have pages, the kind {} has not; add -k nc4",
            can.name
        ))),
        Some(0) => Ok(None),
        Some(size) if SIZES.contains(&size) => Ok(Some(size)),
        Some(size) => Err(Request::Pages.error(format!(
            "a page of {size} bytes; HDF5 has pages of 512 bytes to 1 GiB, or 0 for none"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_those_asked_for_or_the_inputs() {
        let mut input = Schema::new(Kind::Netcdf4);
        let size = |input: &Schema, page_size, kind| {
            let options = CopyOptions {
                page_size,
                ..CopyOptions::default()
            };
            asked(input, &options, kind).map_err(|error| error.to_string())
        };
        assert_eq!(size(&input, None, Kind::Netcdf4), Ok(None));
        assert_eq!(size(&input, Some(4096), Kind::Netcdf4Classic), Ok(Some(4096)));
        input.page_size = Some(512);
        assert_eq!(size(&input, None, Kind::Netcdf4), Ok(Some(512)));
        assert_eq!(size(&input, None, Kind::Classic), Ok(None));
        assert_eq!(size(&input, Some(0), Kind::Netcdf4), Ok(None));
        for (bytes, kind) in [
            (511, Kind::Netcdf4),
            ((1 << 30) + 1, Kind::Netcdf4),
            (4096, Kind::Data64),
        ] {
            assert!(size(&input, Some(bytes), kind).is_err());
        }
    }
}
