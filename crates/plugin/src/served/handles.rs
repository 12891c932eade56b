//! The values of `hid_t` that plugins get: the objects of the current call, and predefined datatypes.

use crate::context::{self, Class, Datatype};

/// The dataset's creation property list.
pub(crate) const PROPERTIES: i64 = 0x0a00_0001;
/// The space of a chunk.
pub(crate) const SPACE: i64 = 0x0400_0001;
/// The variable's datatype.
pub(crate) const DATATYPE: i64 = 0x0300_0001;
/// Any id of the error interface.
pub(crate) const ERROR_ID: i64 = 0x0e00_0001;
/// The class of dataset creation property lists.
pub(crate) const PROPERTY_CLASS: i64 = 0x0900_0001;
/// This bit marks a datatype that is described by the handle itself.
const PREDEFINED: i64 = 1 << 40;
/// Largest size, in bytes, of a datatype that is described by its handle.
const LARGEST: usize = 0xffff;

/// The handle of a datatype of at most [`LARGEST`] bytes.
pub(crate) const fn predefined(class: Class, size: usize, big_endian: bool, signed: bool) -> i64 {
    PREDEFINED
        | (class as i64) << 24
        | (big_endian as i64) << 20
        | (signed as i64) << 16
        | (size & LARGEST) as i64
}

/// The datatype of a handle; `None` for a handle of something else.
pub(crate) fn datatype(handle: i64) -> Option<Datatype> {
    if handle == DATATYPE {
        return context::with(|call| call.datatype);
    }
    let class = match handle >> 24 & 0xff {
        0 => Class::Integer,
        1 => Class::Float,
        3 => Class::String,
        5 => Class::Opaque,
        9 => Class::Vlen,
        _ => return None,
    };
    (handle & PREDEFINED != 0).then_some(Datatype {
        class,
        size: (handle & LARGEST as i64) as usize,
        big_endian: handle >> 20 & 1 != 0,
        signed: handle >> 16 & 1 != 0,
    })
}

/// The handle of the datatype with this machine's byte order.
pub(crate) fn native(of: Datatype) -> i64 {
    match of.size <= LARGEST {
        true => predefined(of.class, of.size, cfg!(target_endian = "big"), of.signed),
        false => DATATYPE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predefined_types_are_described_by_their_handles() {
        for class in [Class::Integer, Class::Float, Class::String, Class::Opaque] {
            let given = Datatype {
                class,
                size: 8,
                big_endian: true,
                signed: class == Class::Integer,
            };
            let handle = predefined(class, 8, true, given.signed);
            assert_eq!(datatype(handle), Some(given));
            assert!(!datatype(native(given)).unwrap().big_endian);
        }
        for other in [0, -1, SPACE, PROPERTIES, ERROR_ID, DATATYPE] {
            assert_eq!(datatype(other), None);
        }
    }
}
