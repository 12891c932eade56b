//! Counts the bytes of an HDF5 file: chunks by their indexes, other data by its layout, and the rest.

use std::collections::HashMap;

use super::data::stored::StoredData;
use super::netcdf4_reader::Netcdf4Reader;
use crate::error::Result;
use crate::format::netcdf4::hdf5_error::hdf5_error;
use crate::format::{Space, SpaceSurvey, VariableSpace};
use crate::model::VarId;

impl SpaceSurvey for Netcdf4Reader {
    fn space(&self) -> Result<Space> {
        let mut known = HashMap::new();
        let variables = (0..self.variables.len()).map(|n| {
            let var = VarId(n);
            let stored = &self.variables[n].stored;
            let mut of = self.bytes_of(var)?;
            // Data in a file behind an external link is none of this file.
            if stored.file != 0 {
                (of.stored, of.is_elsewhere) = (Some(0), true);
            }
            // A dataset may be a variable twice, by two links.
            of.same_as = known.get(&(stored.file, stored.object)).copied();
            known.entry((stored.file, stored.object)).or_insert(var);
            Ok(of)
        });
        let mut space = Space {
            variables: variables.collect::<Result<_>>()?,
            ..Space::default()
        };
        let input = &self.files[0];
        // Over a network, elements that may refer to other bytes are not read, and what is unused then stays unknown.
        let reads_data = !input.source.requests().ahead;
        let count = input.file.count_space(reads_data).map_err(hdf5_error)?;
        space.total = Some(input.size);
        if let Some(count) = count {
            let own = space.data().unwrap_or(0);
            let unused = count
                .lost
                .saturating_add(count.free)
                .saturating_add(input.file.trailing_bytes());
            space.others = Some(count.data.saturating_sub(own));
            space.unused = Some(unused);
            let used = own.max(count.data).saturating_add(unused);
            space.metadata = Some(input.size.saturating_sub(used));
        }
        Ok(space)
    }
}

impl Netcdf4Reader {
    fn bytes_of(&self, var: VarId) -> Result<VariableSpace> {
        Ok(match &self.variables[var.0].stored.data {
            StoredData::None => VariableSpace::one_piece(0),
            StoredData::Compact(data) => VariableSpace::one_piece(data.len() as u64),
            StoredData::Contiguous { size, .. } => VariableSpace::one_piece(*size),
            StoredData::Chunked(_) => {
                let table = self.chunks(var)?;
                let mut size = 0u64;
                for chunk in table.iter() {
                    let chunk = chunk.map_err(|e| self.named(var)(hdf5_error(e)))?;
                    size = size.saturating_add(chunk.size);
                }
                VariableSpace {
                    chunks: Some(table.len() as u64),
                    ..VariableSpace::one_piece(size)
                }
            }
            StoredData::External(_) | StoredData::Virtual(_) => VariableSpace {
                is_elsewhere: true,
                ..VariableSpace::one_piece(0)
            },
        })
    }
}
