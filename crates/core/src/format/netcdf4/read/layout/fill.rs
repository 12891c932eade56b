//! Fill values: the values of elements that were never written.

use ncutils_hdf5::{
    AllocationTime as StoredAllocation, Fill as StoredFill, FillTime as StoredTime, FillValue, Layout,
};

use crate::error::Result;
use crate::format::netcdf4::read::datatype::convert::{Conversion, Heap};
use crate::model::{AllocationTime, Fill, FillState, FillTime, Values};

/// The fill value of a dataset. As in netCDF-C, a dataset without a defined value has none (`no_fill`),
/// whatever its fill time.
pub fn convert(
    stored: &FillValue,
    layout: &Layout,
    conversion: &Conversion,
    heap: &Heap<'_>,
) -> Result<Fill> {
    let value = match &stored.value {
        StoredFill::Defined(bytes) if bytes.len() == conversion.file_size => {
            let mut values = Values::default();
            conversion.run(bytes, 1, heap, &mut values)?;
            Some(values)
        }
        _ => None,
    };
    let is_defined = value.is_some();
    Ok(Fill {
        explicit: is_defined,
        no_fill: !is_defined,
        value,
        time: match stored.fill_time {
            StoredTime::Alloc => FillTime::Alloc,
            StoredTime::Never => FillTime::Never,
            StoredTime::IfSet => FillTime::IfSet,
        },
        allocation: (stored.allocation_time != default_allocation(layout)).then_some(
            match stored.allocation_time {
                StoredAllocation::Early => AllocationTime::Early,
                StoredAllocation::Late => AllocationTime::Late,
                StoredAllocation::Incremental => AllocationTime::Incremental,
            },
        ),
        state: match &stored.value {
            StoredFill::Undefined => FillState::Undefined,
            StoredFill::Default => FillState::Default,
            StoredFill::Defined(_) => FillState::Defined,
        },
        empty_text: !is_defined && conversion.has_text(),
    })
}

/// The time at which libhdf5 allocates space unless it is told otherwise.
fn default_allocation(layout: &Layout) -> StoredAllocation {
    match layout {
        Layout::Compact(_) => StoredAllocation::Early,
        Layout::Chunked(_) | Layout::Virtual { .. } => StoredAllocation::Incremental,
        _ => StoredAllocation::Late,
    }
}
