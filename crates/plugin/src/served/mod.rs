//! The functions and objects of libhdf5 and netCDF-C that plugins use, under the names by which plugins find them.
//!
//! The functions answer for the call that the thread is in (see [`context`](crate::context)). Names and signatures are
//! those of HDF5's reference manual, for versions whose `hid_t` has 64 bits (1.10 and later).

#![allow(non_snake_case, non_upper_case_globals)]

mod datatypes;
mod errors;
pub(crate) mod handles;
mod memory;
pub(crate) mod netcdf;
mod properties;
mod spaces;

/// Addresses of functions, as plugins find them by name.
macro_rules! functions {
    ($($module:ident: $($name:ident)*;)*) => {
        /// Names of the functions that plugins find in a program.
        const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        /// Addresses of the functions. The linker drops what no code of the program uses, so the loader uses this.
        fn addresses() -> usize {
            let functions: &[*const ()] = &[$($($module::$name as *const ()),*),*];
            std::hint::black_box(functions).len()
        }
    };
}

functions! {
    datatypes: H5Tget_size H5Tget_class H5Tget_order H5Tget_sign H5Tget_super H5Tget_native_type H5Tget_precision
        H5Tget_offset H5Tequal H5Tclose;
    spaces: H5Sget_simple_extent_dims H5Sget_simple_extent_ndims H5Sget_simple_extent_npoints H5Sis_simple H5Sclose;
    properties: H5Pget_filter_by_id1 H5Pget_filter_by_id2 H5Pget_filter2 H5Pget_nfilters H5Pmodify_filter
        H5Pset_filter H5Premove_filter H5Pget_chunk H5Pexist H5Pisa_class H5Pget;
    memory: H5allocate_memory H5resize_memory H5free_memory H5open H5Zregister H5Zunregister;
    errors: H5Epush1 H5Epush2 H5Eprint2;
    netcdf: nc_inq_var nc_inq_type nc_inq_var_chunking nc_inq_var_endian nc_inq_dimlen ncaux_h5filterspec_fix8;
}

/// Keeps all served functions and objects in the program, although no other code uses them.
pub(crate) fn keep() -> usize {
    let objects = [errors::ERROR_IDS, datatypes::DATATYPES];
    addresses()
        + std::hint::black_box(objects).len()
        + usize::from(properties::H5P_CLS_DATASET_CREATE_ID_g != 0)
}

/// Names of the functions and of some objects that a program must export for plugins.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    let objects = [
        "H5E_CANTFILTER_g",
        "H5E_ERR_CLS_g",
        "H5T_NATIVE_INT_g",
        "H5T_STD_U32LE_g",
    ];
    NAMES.iter().copied().chain(objects)
}
