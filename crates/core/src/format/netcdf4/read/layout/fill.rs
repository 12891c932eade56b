//! Fill values: what reads where a dataset was never written.

use ncutils_hdf5::{Fill as StoredFill, FillTime as StoredTime, FillValue};

use crate::error::Result;
use crate::format::netcdf4::read::datatype::convert::{Conversion, Heap};
use crate::model::{Fill, FillTime, Values};

/// The fill value of a dataset. As netCDF-C has it, there is none (`no_fill`) unless the file defines a value, whatever the
/// fill time.
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
