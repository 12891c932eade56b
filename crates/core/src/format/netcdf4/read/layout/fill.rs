//! Fill values: the values of elements that were never written.

use ncutils_hdf5::{Fill as StoredFill, FillTime as StoredTime, FillValue};

use crate::error::Result;
use crate::format::netcdf4::read::datatype::convert::{Conversion, Heap};
use crate::model::{Fill, FillTime, Values};

/// The fill value of a dataset. As in netCDF-C, a dataset without a defined value has none (`no_fill`),
/// whatever its fill time.
pub fn convert(stored: &FillValue, conversion: &Conversion, heap: &Heap<'_>) -> Result<Fill> {
    let value = match &stored.value {
        StoredFill::Defined(bytes) if bytes.len() == conversion.file_size => {
            let mut values = Values::default();
            conversion.run(bytes, 1, heap, &mut values)?;
            Some(values)
        }
        _ => None,
    };
    Ok(Fill {
        explicit: value.is_some(),
        no_fill: value.is_none(),
        value,
        time: match stored.fill_time {
            StoredTime::Alloc => FillTime::Alloc,
            StoredTime::Never => FillTime::Never,
            StoredTime::IfSet => FillTime::IfSet,
        },
    })
}
