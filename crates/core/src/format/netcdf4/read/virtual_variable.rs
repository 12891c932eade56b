//! The virtual variables of a [`Netcdf4Reader`].

use ncutils_hdf5::MappedBox;

use super::data::stored::StoredData;
use super::netcdf4_reader::Netcdf4Reader;
use super::virtual_dataset::{VirtualStorage, VirtualVariable};
use crate::chunk::{Region, swap_units};
use crate::error::{Error, Result};
use crate::format::read_region::swap_unit;
use crate::model::{Values, VarId};

impl Netcdf4Reader {
    /// A virtual variable, and what is read of it.
    pub(super) fn virtual_variable(&self, var: VarId) -> Option<(&VirtualVariable, VirtualStorage<'_>)> {
        let stored = &self.variables[var.0].stored;
        let StoredData::Virtual(data) = &stored.data else {
            return None;
        };
        let target = VirtualStorage {
            schema: &self.schema,
            ty: self.schema.var(var).ty,
            layout: &stored.layout,
        };
        Some((data, target))
    }

    /// The boxes of other datasets that a virtual variable is made of, in the file's order. `None` for a variable that is not virtual,
    /// and for a mapping that is no box.
    pub(in crate::format) fn mapped_boxes(&self, var: VarId) -> Option<Vec<Option<MappedBox>>> {
        self.virtual_variable(var).map(|(data, _)| data.data.boxes())
    }

    /// Bytes of a virtual variable in C order and in the layout's byte order. Both ends lie between elements.
    pub(super) fn read_virtual_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let Some((data, target)) = self.virtual_variable(var) else {
            return Err(Error::Internal("a variable that is not virtual".into()));
        };
        let layout = target.layout;
        let element = layout.element_size.max(1);
        let (first, count) = (offset / element as u64, buf.len() / element);
        if !offset.is_multiple_of(element as u64) || buf.len() != count * element {
            return Err(Error::Internal("a range that ends within an element".into()));
        }
        let mut rest = &mut *buf;
        for region in Region::range(&layout.extent, first, count as u64) {
            let values = data.data.read(&target, &region)?;
            let Some((part, behind)) = rest.split_at_mut_checked(values.bytes.len()) else {
                return Err(Error::Internal("a range that reaches past the elements".into()));
            };
            part.copy_from_slice(&values.bytes);
            rest = behind;
        }
        match rest.is_empty() {
            true => {
                swap_units(buf, swap_unit(layout));
                Ok(())
            }
            false => Err(Error::Damaged("its storage ends before what is asked for".into())),
        }
    }

    /// The elements of a region of a virtual variable as far as they can be read. Calls `lost` for the others.
    pub(super) fn read_virtual_region_left(
        &self,
        var: VarId,
        region: &Region,
        lost: &mut dyn FnMut(Region, Error),
    ) -> Result<Values> {
        let Some((data, target)) = self.virtual_variable(var) else {
            return Err(Error::Internal("a variable that is not virtual".into()));
        };
        let mut tell = |region, error| {
            lost(region, self.named(var)(error));
            Ok(())
        };
        let read = data.data.read_left(&target, region, &mut tell);
        read.map_err(self.named(var))
    }
}
