//! Turns a variable's plan into HDF5's layout, fill value and filters.

use ncutils_hdf5::{
    AllocationTime, ByteOrder, DatasetSpec, Dataspace, FillSpec, FillTime as HdfFillTime, Filter, LayoutSpec,
};

use super::datatypes::{Datatypes, byte_order};
use super::elements::ElementShape;
use super::external::segments;
use crate::chunk::{ChunkGrid, element_count, swap_units};
use crate::error::{Error, Result};
use crate::filter::registry::no_hdf5_form;
use crate::format::VariablePlan;
use crate::model::{self, Encoding, FillState, FillTime, Schema, Storage, Values, VarId, VariableLayout};

/// Largest fill value, in bytes. It is stored in an object header message, whose version, flags and size take
/// six bytes.
pub(super) const MAX_FILL_VALUE: usize = 65_535 - 6;

/// The dataset of a variable. `extent` is the plan's, or longer in the first dimension.
///
/// # Errors
/// If HDF5 cannot hold it.
pub fn dataset(
    schema: &Schema,
    types: &Datatypes<'_>,
    var: VarId,
    plan: &VariablePlan,
    extent: &[u64],
) -> Result<DatasetSpec> {
    let variable = schema.var(var);
    let layout = &plan.layout;
    let order = byte_order(plan);
    let size = element_count(extent)
        .and_then(|n| n.checked_mul(layout.element_size as u64))
        .ok_or_else(|| Error::Unsupported("more data than 2^64 bytes".to_owned()))?;
    let written = !plan.promised.is_nothing();
    let (hdf_layout, allocation_time) = match &layout.storage {
        _ if let Some(parts) = &plan.external => {
            (LayoutSpec::External(segments(parts)), AllocationTime::Late)
        }
        Storage::Compact if written || layout.encoding != Encoding::Structured => {
            (LayoutSpec::Compact { size }, AllocationTime::Early)
        }
        // Compact data always exists. A variable that reads as a fill value with heap data must stay
        // unallocated.
        Storage::Compact | Storage::Contiguous | Storage::Blocks { .. } => {
            let allocated = written && size > 0;
            (LayoutSpec::Contiguous { size, allocated }, AllocationTime::Late)
        }
        Storage::Chunked { shape } => {
            let layout = LayoutSpec::Chunked {
                shape: shape.clone(),
                chunk_count: plan.promised.chunks(),
            };
            (layout, AllocationTime::Incremental)
        }
    };
    let allocation_time = match layout.fill.allocation {
        Some(time) if !matches!(hdf_layout, LayoutSpec::Compact { .. }) => match time {
            model::AllocationTime::Early => AllocationTime::Early,
            model::AllocationTime::Late => AllocationTime::Late,
            model::AllocationTime::Incremental => AllocationTime::Incremental,
        },
        _ => allocation_time,
    };
    let filters = filters(layout)?;
    let dataspace = if variable.dims.is_empty() {
        Dataspace::Scalar
    } else {
        let max_dims = variable.dims.iter().zip(extent);
        Dataspace::Simple {
            dims: extent.to_vec(),
            max_dims: max_dims
                .map(|(d, length)| (!schema.dim(*d).unlimited).then_some(*length))
                .collect(),
        }
    };
    let has_holes = match &layout.storage {
        Storage::Compact => false,
        // External files are filled.
        Storage::Contiguous | Storage::Blocks { .. } => size > 0 && !written && plan.external.is_none(),
        Storage::Chunked { shape } => plan.promised.chunks() < ChunkGrid::new(extent, shape)?.len(),
    };
    let (fill, fill_time) = fill(schema, variable.ty, plan, order, has_holes)?;
    Ok(DatasetSpec {
        datatype: types.element(variable.ty, order)?,
        dataspace,
        layout: hdf_layout,
        allocation_time,
        fill_time,
        fill,
        filters,
    })
}

/// The filters of a layout, as HDF5 stores them.
///
/// # Errors
/// A codec that HDF5 has no id for.
pub fn filters(layout: &VariableLayout) -> Result<Vec<Filter>> {
    let filters = layout.filters.iter().map(|filter| {
        let id = filter.hdf5_id().ok_or_else(|| no_hdf5_form(filter))?;
        Ok(Filter {
            id: u16::try_from(id).map_err(|_| Error::Unsupported(format!("filter {id} in HDF5")))?,
            optional: filter.is_optional(),
            name: filter.name().to_owned(),
            parameters: filter.parameters().to_vec(),
        })
    });
    filters.collect()
}

/// The fill value, and when it is written.
///
/// As in netcdf-c, a variable without its own fill value stores netCDF's default for its type (zeros for user
/// types). A variable in no-fill mode has HDF5's default and is never filled. If such a variable has holes,
/// libhdf5 returns whatever its buffer held. So a variable with holes is filled after all, unless the plan
/// or the HDF5 file that it comes from says otherwise. Zeros that are too large for a fill value message are left to HDF5's default, which is
/// zeros too.
fn fill(
    schema: &Schema,
    ty: crate::model::Type,
    plan: &VariablePlan,
    order: ByteOrder,
    has_holes: bool,
) -> Result<(FillSpec, HdfFillTime)> {
    let fill = &plan.layout.fill;
    let time = match fill.time {
        FillTime::Alloc => HdfFillTime::Alloc,
        FillTime::Never => HdfFillTime::Never,
        FillTime::IfSet => HdfFillTime::IfSet,
    };
    let defined = |value: Option<&Values>| -> Result<FillSpec> {
        let zeros = value.is_none_or(|value| value.is_zero() && !schema.has_heap(ty));
        if zeros && plan.layout.element_size > MAX_FILL_VALUE {
            return Ok(FillSpec::Default);
        }
        let zeros = Values::from_bytes(vec![0; plan.layout.element_size]);
        let mut data = match value {
            None => ncutils_hdf5::Data::plain(zeros.bytes),
            Some(value) if value.bytes.len() != plan.layout.element_size => {
                return Err(Error::Damaged(format!(
                    "a fill value of {} bytes for elements of {}",
                    value.bytes.len(),
                    plan.layout.element_size
                )));
            }
            Some(value) => ElementShape::new(schema, ty).to_data(value)?,
        };
        if order == ByteOrder::Big {
            swap_units(&mut data.bytes, plan.layout.element_size);
        }
        Ok(FillSpec::Defined(Box::new(data)))
    };
    let value = fill.value.as_ref();
    let has_holes = has_holes && fill.state == FillState::Unknown;
    if fill.no_fill && !fill.explicit {
        if time == HdfFillTime::Never && has_holes && !plan.promised.is_nothing() && !plan.keeps_no_fill {
            // The value that a no-fill variable has elsewhere in this program.
            return Ok((defined(None)?, HdfFillTime::IfSet));
        }
        return Ok(match fill.state {
            // libhdf5 refuses to write an undefined value, so nothing else has this time.
            FillState::Undefined if time != HdfFillTime::Alloc => (FillSpec::Undefined, time),
            _ => (FillSpec::Default, time),
        });
    }
    if time == HdfFillTime::Never && has_holes {
        return Ok((defined(value)?, HdfFillTime::IfSet));
    }
    Ok((defined(value)?, time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::VariablePlan;
    use crate::model::{Endian, Fill, Kind, Type};

    fn plan(fill: Fill) -> VariablePlan {
        VariablePlan::with_pipeline(
            VariableLayout {
                endian: Endian::Big,
                fill,
                ..VariableLayout::contiguous(vec![], 4, Encoding::Numbers { unit: 4 })
            },
            crate::filter::Pipeline::empty(),
            crate::format::Promised::Bytes(4),
        )
    }

    fn of(fill: Fill, has_holes: bool) -> (Option<Vec<u8>>, HdfFillTime) {
        of_plan(&plan(fill), has_holes)
    }

    fn of_plan(plan: &VariablePlan, has_holes: bool) -> (Option<Vec<u8>>, HdfFillTime) {
        let schema = Schema::new(Kind::Netcdf4);
        let order = byte_order(plan);
        let (spec, time) = super::fill(&schema, Type::Int, plan, order, has_holes).unwrap();
        match spec {
            FillSpec::Defined(data) => (Some(data.bytes), time),
            _ => (None, time),
        }
    }

    #[test]
    fn fill_values_follow_the_variables_byte_order() {
        let fill = Fill {
            value: Some(Values::from_bytes(vec![1, 0, 0, 0])),
            explicit: true,
            no_fill: false,
            time: FillTime::Alloc,
            ..Fill::default()
        };
        assert_eq!(of(fill, false), (Some(vec![0, 0, 0, 1]), HdfFillTime::Alloc));
    }

    #[test]
    fn no_fill_with_holes_is_filled_unless_nothing_was_written() {
        let fill = Fill {
            value: None,
            explicit: false,
            no_fill: true,
            time: FillTime::Never,
            ..Fill::default()
        };
        assert_eq!(of(fill.clone(), false), (None, HdfFillTime::Never));
        assert_eq!(of(fill.clone(), true), (Some(vec![0; 4]), HdfFillTime::IfSet));
        let kept = VariablePlan {
            keeps_no_fill: true,
            skips_fill: false,
            ..plan(fill)
        };
        assert_eq!(of_plan(&kept, true), (None, HdfFillTime::Never));
    }

    #[test]
    fn zeros_that_no_message_holds_are_left_out() {
        let mut large = plan(Fill::default());
        large.layout.endian = Endian::Little;
        for (size, stored) in [(MAX_FILL_VALUE, true), (MAX_FILL_VALUE + 1, false)] {
            large.layout.element_size = size;
            let (value, time) = of_plan(&large, true);
            assert_eq!(value, stored.then(|| vec![0; size]));
            assert_eq!(time, HdfFillTime::IfSet);
        }
        large.layout.fill.value = Some(Values::from_bytes(vec![0; MAX_FILL_VALUE + 1]));
        assert_eq!(of_plan(&large, true).0, None);
    }
}
