//! HDF5's datatypes, H5T: the variable's type, and predefined types.

use std::ffi::c_int;

use super::handles::{datatype, native, predefined};
use crate::context::{Class, Datatype};

/// The failure of a function that returns a number.
const FAIL: c_int = -1;

fn number(handle: i64, of: impl FnOnce(Datatype) -> Option<c_int>) -> c_int {
    datatype(handle).and_then(of).unwrap_or(FAIL)
}

/// H5Tget_size: bytes of an element; 0 on failure.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_size(handle: i64) -> usize {
    datatype(handle).map_or(0, |found| found.size)
}

/// H5Tget_class.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_class(handle: i64) -> c_int {
    number(handle, |found| Some(found.class as c_int))
}

/// H5Tget_order: 0 for little-endian, 1 for big-endian, 4 for a type without order.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_order(handle: i64) -> c_int {
    const NONE: c_int = 4;
    number(handle, |found| {
        Some(match found.class {
            Class::Integer | Class::Float => c_int::from(found.big_endian),
            _ => NONE,
        })
    })
}

/// H5Tget_sign: 1 for a signed integer, 0 for an unsigned one.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_sign(handle: i64) -> c_int {
    number(handle, |found| {
        (found.class == Class::Integer).then_some(c_int::from(found.signed))
    })
}

/// H5Tget_super: fails, because no type that is given to plugins has a base type. An enum is given as its integers.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_super(_handle: i64) -> i64 {
    -1
}

/// H5Tget_native_type: the type with this machine's byte order.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_native_type(handle: i64, _direction: c_int) -> i64 {
    datatype(handle).map_or(-1, native)
}

/// H5Tget_precision: the significant bits, which are all bits; 0 on failure.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_precision(handle: i64) -> usize {
    datatype(handle).map_or(0, |found| found.size.saturating_mul(8))
}

/// H5Tget_offset: the first significant bit, which is bit 0.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tget_offset(handle: i64) -> c_int {
    number(handle, |_| Some(0))
}

/// H5Tequal.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tequal(a: i64, b: i64) -> c_int {
    match (datatype(a), datatype(b)) {
        (Some(a), Some(b)) => c_int::from(a == b),
        _ => FAIL,
    }
}

/// H5Tclose: does nothing. Handles need not be closed.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Tclose(_handle: i64) -> c_int {
    0
}

/// Defines the handles of predefined datatypes.
macro_rules! predefined_types {
    ($($name:ident = $class:ident $size:literal $order:ident $signed:literal;)*) => {
        $(
            /// The handle of a predefined datatype.
            // SAFETY: HDF5's name for an object of this type; no other object of this program has the name.
            #[unsafe(no_mangle)]
            pub static $name: i64 = predefined(Class::$class, $size, $order, $signed);
        )*
        /// Addresses of the handles, which keep them in the program.
        pub(super) static DATATYPES: &[&i64] = &[$(&$name),*];
    };
}

const LE: bool = false;
const BE: bool = true;
const NE: bool = cfg!(target_endian = "big");

predefined_types! {
    H5T_C_S1_g = String 1 LE false;
    H5T_FORTRAN_S1_g = String 1 LE false;
    H5T_IEEE_F32BE_g = Float 4 BE false;
    H5T_IEEE_F32LE_g = Float 4 LE false;
    H5T_IEEE_F64BE_g = Float 8 BE false;
    H5T_IEEE_F64LE_g = Float 8 LE false;
    H5T_NATIVE_B16_g = Opaque 2 NE false;
    H5T_NATIVE_B32_g = Opaque 4 NE false;
    H5T_NATIVE_B64_g = Opaque 8 NE false;
    H5T_NATIVE_B8_g = Opaque 1 NE false;
    H5T_NATIVE_DOUBLE_g = Float 8 NE false;
    H5T_NATIVE_FLOAT_g = Float 4 NE false;
    H5T_NATIVE_HADDR_g = Integer 8 NE false;
    H5T_NATIVE_HBOOL_g = Integer 1 NE false;
    H5T_NATIVE_HERR_g = Integer 4 NE true;
    H5T_NATIVE_HSIZE_g = Integer 8 NE false;
    H5T_NATIVE_HSSIZE_g = Integer 8 NE true;
    H5T_NATIVE_INT16_g = Integer 2 NE true;
    H5T_NATIVE_INT32_g = Integer 4 NE true;
    H5T_NATIVE_INT64_g = Integer 8 NE true;
    H5T_NATIVE_INT8_g = Integer 1 NE true;
    H5T_NATIVE_INT_FAST16_g = Integer 8 NE true;
    H5T_NATIVE_INT_FAST32_g = Integer 8 NE true;
    H5T_NATIVE_INT_FAST64_g = Integer 8 NE true;
    H5T_NATIVE_INT_FAST8_g = Integer 1 NE true;
    H5T_NATIVE_INT_LEAST16_g = Integer 2 NE true;
    H5T_NATIVE_INT_LEAST32_g = Integer 4 NE true;
    H5T_NATIVE_INT_LEAST64_g = Integer 8 NE true;
    H5T_NATIVE_INT_LEAST8_g = Integer 1 NE true;
    H5T_NATIVE_INT_g = Integer 4 NE true;
    H5T_NATIVE_LDOUBLE_g = Float 16 NE false;
    H5T_NATIVE_LLONG_g = Integer 8 NE true;
    H5T_NATIVE_LONG_g = Integer 8 NE true;
    H5T_NATIVE_OPAQUE_g = Opaque 1 NE false;
    H5T_NATIVE_SCHAR_g = Integer 1 NE true;
    H5T_NATIVE_SHORT_g = Integer 2 NE true;
    H5T_NATIVE_UCHAR_g = Integer 1 NE false;
    H5T_NATIVE_UINT16_g = Integer 2 NE false;
    H5T_NATIVE_UINT32_g = Integer 4 NE false;
    H5T_NATIVE_UINT64_g = Integer 8 NE false;
    H5T_NATIVE_UINT8_g = Integer 1 NE false;
    H5T_NATIVE_UINT_FAST16_g = Integer 8 NE false;
    H5T_NATIVE_UINT_FAST32_g = Integer 8 NE false;
    H5T_NATIVE_UINT_FAST64_g = Integer 8 NE false;
    H5T_NATIVE_UINT_FAST8_g = Integer 1 NE false;
    H5T_NATIVE_UINT_LEAST16_g = Integer 2 NE false;
    H5T_NATIVE_UINT_LEAST32_g = Integer 4 NE false;
    H5T_NATIVE_UINT_LEAST64_g = Integer 8 NE false;
    H5T_NATIVE_UINT_LEAST8_g = Integer 1 NE false;
    H5T_NATIVE_UINT_g = Integer 4 NE false;
    H5T_NATIVE_ULLONG_g = Integer 8 NE false;
    H5T_NATIVE_ULONG_g = Integer 8 NE false;
    H5T_NATIVE_USHORT_g = Integer 2 NE false;
    H5T_STD_B16BE_g = Opaque 2 BE false;
    H5T_STD_B16LE_g = Opaque 2 LE false;
    H5T_STD_B32BE_g = Opaque 4 BE false;
    H5T_STD_B32LE_g = Opaque 4 LE false;
    H5T_STD_B64BE_g = Opaque 8 BE false;
    H5T_STD_B64LE_g = Opaque 8 LE false;
    H5T_STD_B8BE_g = Opaque 1 BE false;
    H5T_STD_B8LE_g = Opaque 1 LE false;
    H5T_STD_I16BE_g = Integer 2 BE true;
    H5T_STD_I16LE_g = Integer 2 LE true;
    H5T_STD_I32BE_g = Integer 4 BE true;
    H5T_STD_I32LE_g = Integer 4 LE true;
    H5T_STD_I64BE_g = Integer 8 BE true;
    H5T_STD_I64LE_g = Integer 8 LE true;
    H5T_STD_I8BE_g = Integer 1 BE true;
    H5T_STD_I8LE_g = Integer 1 LE true;
    H5T_STD_REF_DSETREG_g = Opaque 12 NE false;
    H5T_STD_REF_OBJ_g = Opaque 8 NE false;
    H5T_STD_U16BE_g = Integer 2 BE false;
    H5T_STD_U16LE_g = Integer 2 LE false;
    H5T_STD_U32BE_g = Integer 4 BE false;
    H5T_STD_U32LE_g = Integer 4 LE false;
    H5T_STD_U64BE_g = Integer 8 BE false;
    H5T_STD_U64LE_g = Integer 8 LE false;
    H5T_STD_U8BE_g = Integer 1 BE false;
    H5T_STD_U8LE_g = Integer 1 LE false;
}
