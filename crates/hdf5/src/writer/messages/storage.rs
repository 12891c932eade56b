//! The messages of datasets: Dataspace (specification section IV.A.2.b, version 2), Fill Value (IV.A.2.f, version 3),
//! Data Layout (IV.A.2.i, version 3), Filter Pipeline (IV.A.2.l, version 2).

use crate::writer::bytes::{PutBytes, UNDEFINED};
use crate::{AllocationTime, Dataspace, Error, FillTime, Filter, Result};

/// The Dataspace message.
pub(crate) fn dataspace(space: &Dataspace) -> Result<Vec<u8>> {
    let Dataspace::Simple { dims, max_dims } = space else {
        let kind = if *space == Dataspace::Scalar { 0 } else { 2 };
        return Ok(vec![2, 0, 0, kind]);
    };
    let rank = u8::try_from(dims.len())
        .ok()
        .filter(|rank| *rank <= 32 && dims.len() == max_dims.len())
        .ok_or_else(|| Error::CannotWrite("a dataspace of more than 32 dimensions".into()))?;
    let fixed = dims.iter().zip(max_dims).all(|(now, max)| Some(*now) == *max);
    // Flag 0: maximum lengths follow. Type 1: simple.
    let mut out = vec![2, rank, u8::from(!fixed), 1];
    for length in dims {
        out.put_u64(*length);
    }
    if !fixed {
        for length in max_dims {
            out.put_u64(length.unwrap_or(UNDEFINED));
        }
    }
    Ok(out)
}

/// The Fill Value message. `value` is `None` for undefined, empty for the library's default, else one element.
pub(crate) fn fill_value(allocation: AllocationTime, time: FillTime, value: Option<&[u8]>) -> Vec<u8> {
    let allocation = match allocation {
        AllocationTime::Early => 1,
        AllocationTime::Late => 2,
        AllocationTime::Incremental => 3,
    };
    let time = match time {
        FillTime::Alloc => 0,
        FillTime::Never => 1,
        FillTime::IfSet => 2,
    };
    let state = match value {
        None => 1 << 4,
        Some([]) => 0,
        Some(_) => 1 << 5,
    };
    let mut out = vec![3, allocation | time << 2 | state];
    if let Some(value) = value.filter(|v| !v.is_empty()) {
        out.put_u32(value.len() as u32);
        out.put(value);
    }
    out
}

/// Storage of a dataset's data.
pub(crate) enum Storage<'a> {
    /// In the message itself.
    Compact(&'a [u8]),
    /// At an address, or `None` if nothing is allocated; size in bytes.
    Contiguous(Option<u64>, u64),
    /// In chunks: their shape, the size of an element, and the address of the version 1 B-tree.
    Chunked(&'a [u64], u32, Option<u64>),
    /// In other datasets: collection and index of the global heap object with the mappings.
    Virtual(Option<[u8; 12]>),
}

/// The Data Layout message.
pub(crate) fn layout(storage: &Storage<'_>) -> Result<Vec<u8>> {
    // Version 4 is for virtual storage.
    let mut out = vec![if matches!(storage, Storage::Virtual(_)) {
        4
    } else {
        3
    }];
    match storage {
        Storage::Virtual(object) => {
            out.put_u8(3);
            match object {
                Some(object) => out.put(object),
                None => {
                    out.put_u64(UNDEFINED);
                    out.put_u32(0);
                }
            }
        }
        Storage::Compact(data) => {
            let size = u16::try_from(data.len())
                .map_err(|_| Error::CannotWrite(format!("{} bytes in compact storage", data.len())))?;
            out.put_u8(0);
            out.put_u16(size);
            out.put(data);
        }
        Storage::Contiguous(address, size) => {
            out.put_u8(1);
            out.put_u64(address.unwrap_or(UNDEFINED));
            out.put_u64(*size);
        }
        Storage::Chunked(shape, element_size, index) => {
            out.put_u8(2);
            out.put_u8(shape.len() as u8 + 1);
            out.put_u64(index.unwrap_or(UNDEFINED));
            for length in *shape {
                out.put_u32(u32::try_from(*length).map_err(|_| {
                    Error::CannotWrite(format!("a chunk {length} elements long: the limit is 4294967295"))
                })?);
            }
            out.put_u32(*element_size);
        }
    }
    Ok(out)
}

/// The Filter Pipeline message. `filters` are in the order of encoding.
pub(crate) fn filter_pipeline(filters: &[Filter]) -> Result<Vec<u8>> {
    let too_many = |what: &str| Error::CannotWrite(format!("too many {what} of a filter pipeline"));
    let count = u8::try_from(filters.len())
        .ok()
        .filter(|count| *count <= 32)
        .ok_or_else(|| too_many("filters"))?;
    let mut out = vec![2, count];
    for filter in filters {
        out.put_u16(filter.id);
        // In this version, the library's own filters have no name.
        let named = filter.id >= 256;
        let name = if named && !filter.name.is_empty() {
            [filter.name.as_bytes(), b"\0"].concat()
        } else {
            Vec::new()
        };
        if named {
            out.put_u16(u16::try_from(name.len()).map_err(|_| too_many("letters in a name"))?);
        }
        out.put_u16(u16::from(filter.optional));
        out.put_u16(u16::try_from(filter.parameters.len()).map_err(|_| too_many("parameters"))?);
        out.put(&name);
        for parameter in &filter.parameters {
            out.put_u32(*parameter);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dataspaces() {
        assert_eq!(dataspace(&Dataspace::Scalar).unwrap(), [2, 0, 0, 0]);
        assert_eq!(dataspace(&Dataspace::Null).unwrap(), [2, 0, 0, 2]);
        assert_eq!(
            dataspace(&Dataspace::fixed(&[3])).unwrap(),
            [2, 1, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0]
        );
        let growing = Dataspace::Simple {
            dims: vec![5],
            max_dims: vec![None],
        };
        assert_eq!(dataspace(&growing).unwrap()[2], 1);
        assert_eq!(dataspace(&growing).unwrap()[12..], [0xff; 8]);
    }

    /// As netcdf-c's file has it: late, if set, four bytes.
    #[test]
    fn fill_values() {
        let value = fill_value(AllocationTime::Late, FillTime::IfSet, Some(&[1, 2, 3, 4]));
        assert_eq!(value, [3, 0x2a, 4, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(
            fill_value(AllocationTime::Early, FillTime::Alloc, Some(&[])),
            [3, 1]
        );
        assert_eq!(
            fill_value(AllocationTime::Incremental, FillTime::Never, None),
            [3, 0x17]
        );
    }

    #[test]
    fn names_stand_only_with_registered_filters() {
        let filter = |id, name: &str| Filter {
            id,
            optional: true,
            name: name.into(),
            parameters: vec![7],
        };
        let bytes = filter_pipeline(&[filter(1, "deflate"), filter(307, "bz")]).unwrap();
        assert_eq!(
            bytes,
            [
                2, 2, 1, 0, 1, 0, 1, 0, 7, 0, 0, 0, 0x33, 1, 3, 0, 1, 0, 1, 0, b'b', b'z', 0, 7, 0, 0, 0
            ]
        );
    }

    #[test]
    fn chunks_name_the_element_size_last() {
        let bytes = layout(&Storage::Chunked(&[2, 3], 4, None)).unwrap();
        assert_eq!(bytes[..3], [3, 2, 3]);
        assert_eq!(bytes[11..], [2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
        assert!(layout(&Storage::Compact(&vec![0; 65_536])).is_err());
    }
}
