//! The positions of variables' elements in a file.

use crate::chunk::element_count;
use crate::format::{RecordLayout, RecordSlab};
use crate::model::{Schema, VarId};

use super::version::padded;

/// The position of one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariablePosition {
    /// Offset of its first element in the file, in bytes.
    pub begin: u64,
    /// Bytes of the variable's data; for a record variable, within one record.
    pub slab: u64,
    /// True if its first dimension is the record dimension.
    pub record: bool,
}

/// Sizes that all variables of a file share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Number of records.
    pub records: u64,
    /// Bytes from the start of one record to the next; 0 without record variables.
    pub record_size: u64,
    /// Number of record variables. A single one is not padded.
    pub record_variables: usize,
}

/// A part of a variable that is contiguous in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContiguousExtent {
    /// Offset in the file, in bytes.
    pub at: u64,
    /// Length in bytes.
    pub length: u64,
    /// True if it ends where the variable's slab ends, so that padding follows.
    pub ends_slab: bool,
}

impl Geometry {
    /// Bytes of all of a variable's data. Cannot overflow, because decoding and layout check every geometry.
    pub fn total(&self, place: &VariablePosition) -> u64 {
        if place.record {
            self.records.saturating_mul(place.slab)
        } else {
            place.slab
        }
    }

    /// Position after the last byte of a variable's data; 0 for a variable without data.
    pub fn end(&self, place: &VariablePosition) -> u64 {
        match self.total(place).checked_sub(1) {
            None => 0,
            Some(last) => self.piece(place, last, 1).at.saturating_add(1),
        }
    }

    /// Bytes of padding after each slab of a variable.
    pub fn padding(&self, place: &VariablePosition) -> u64 {
        if place.record && self.record_variables == 1 {
            return 0;
        }
        place.slab.wrapping_neg() % 4
    }

    /// True if consecutive records of a variable are not adjacent in the file.
    pub fn interleaved(&self, place: &VariablePosition) -> bool {
        place.record && place.slab != self.record_size
    }

    /// Offset of the first record in the file; `None` without record variables.
    pub fn first_record(&self, places: &[VariablePosition]) -> Option<u64> {
        places.iter().filter(|p| p.record).map(|p| p.begin).min()
    }

    /// The layout of interleaved records. `None` if there are no records, or fewer than two slabs with data.
    /// Also `None` if anything but padding lies between slabs, against the specification.
    pub fn interleaving(&self, places: &[VariablePosition]) -> Option<RecordLayout> {
        let first = self.first_record(places)?;
        let mut slabs: Vec<_> = places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.record && place.slab > 0)
            .map(|(n, place)| RecordSlab {
                var: VarId(n),
                offset: place.begin - first,
                length: place.slab,
            })
            .collect();
        if self.records == 0 || slabs.len() < 2 {
            return None;
        }
        slabs.sort_by_key(|slab| slab.offset);
        let end = slabs.iter().try_fold(0u64, |end, slab| {
            (slab.offset == end)
                .then_some(slab.length)
                .and_then(padded)?
                .checked_add(end)
        });
        (end == Some(self.record_size)).then_some(RecordLayout {
            records: self.records,
            record_size: self.record_size,
            slabs,
        })
    }

    /// The longest piece of a variable's data from byte `offset` on, at most `limit` bytes. Empty at the end.
    pub fn piece(&self, place: &VariablePosition, offset: u64, limit: u64) -> ContiguousExtent {
        if !self.interleaved(place) {
            let length = limit.min(self.total(place).saturating_sub(offset));
            return ContiguousExtent {
                at: place.begin + offset,
                length,
                ends_slab: offset + length == self.total(place),
            };
        }
        let (record, within) = (offset / place.slab.max(1), offset % place.slab.max(1));
        let length = limit.min(place.slab - within);
        ContiguousExtent {
            at: place.begin + record * self.record_size + within,
            length,
            ends_slab: within + length == place.slab,
        }
    }
}

/// For each of [`Schema::vars`]: the bytes of its data (in one record for a record variable), and true for a
/// record variable. `Err` holds the position of a variable whose size overflows 63 bits.
pub fn slabs(schema: &Schema) -> Result<Vec<(u64, bool)>, usize> {
    let slab = |var: &crate::model::Variable| {
        let record = var.dims.first().is_some_and(|d| schema.dim(*d).unlimited);
        let lengths: Vec<u64> = var.dims[usize::from(record)..]
            .iter()
            .map(|d| schema.dim(*d).length)
            .collect();
        let bytes = element_count(&lengths)?.checked_mul(schema.type_size(var.ty) as u64)?;
        padded(bytes).filter(|n| i64::try_from(*n).is_ok())?;
        Some((bytes, record))
    };
    schema
        .vars
        .iter()
        .enumerate()
        .map(|(i, var)| slab(var).ok_or(i))
        .collect()
}

/// Bytes from the start of one record to the next, and the number of record variables. `None` on overflow.
pub fn record_size(slabs: &[(u64, bool)]) -> Option<(u64, usize)> {
    let mut records = slabs.iter().filter(|s| s.1).map(|s| s.0);
    match (records.next(), records.next()) {
        (None, _) => Some((0, 0)),
        (Some(only), None) => Some((only, 1)),
        _ => {
            let all = || slabs.iter().filter(|s| s.1);
            let size = all().try_fold(0u64, |sum, s| sum.checked_add(padded(s.0)?))?;
            Some((size, all().count()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_interleaved_records() {
        let geometry = Geometry {
            records: 3,
            record_size: 12,
            record_variables: 2,
        };
        let place = VariablePosition {
            begin: 100,
            slab: 6,
            record: true,
        };
        let piece = |at, length, ends_slab| ContiguousExtent {
            at,
            length,
            ends_slab,
        };
        assert_eq!(geometry.piece(&place, 0, 100), piece(100, 6, true));
        assert_eq!(geometry.piece(&place, 8, 3), piece(114, 3, false));
        assert_eq!(geometry.piece(&place, 16, 100), piece(128, 2, true));
        assert_eq!(geometry.padding(&place), 2);
        assert_eq!(geometry.total(&place), 18);
    }

    #[test]
    fn a_single_record_variable_is_not_padded() {
        assert_eq!(record_size(&[(3, true), (7, false)]), Some((3, 1)));
        assert_eq!(record_size(&[(3, true), (7, false), (6, true)]), Some((12, 2)));
        assert_eq!(record_size(&[(7, false)]), Some((0, 0)));
        assert_eq!(record_size(&[(u64::MAX - 7, true), (8, true)]), None);
        let geometry = Geometry {
            records: 5,
            record_size: 3,
            record_variables: 1,
        };
        let place = VariablePosition {
            begin: 100,
            slab: 3,
            record: true,
        };
        assert_eq!(geometry.padding(&place), 0);
        let all = geometry.piece(&place, 1, 100);
        assert_eq!((all.at, all.length, all.ends_slab), (101, 14, true));
    }
}
