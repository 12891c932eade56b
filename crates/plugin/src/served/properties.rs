//! HDF5's property lists, H5P: the chunk shape and the pipeline of a variable.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::slice;

use super::handles::{PROPERTIES, PROPERTY_CLASS};
use super::spaces::write_shape;
use crate::context::{self, Filter};

const FAIL: c_int = -1;

/// What a filter can do: `H5Z_FILTER_CONFIG_ENCODE_ENABLED` and `H5Z_FILTER_CONFIG_DECODE_ENABLED`.
const ENCODES_AND_DECODES: c_uint = 3;

/// Most parameters of one filter: HDF5 stores their count in 16 bits.
const MOST_PARAMETERS: usize = 0xffff;

/// The class of dataset creation property lists.
// SAFETY: HDF5's name for an object of this type; no other object of this program has the name.
#[unsafe(no_mangle)]
pub static H5P_CLS_DATASET_CREATE_ID_g: i64 = PROPERTY_CLASS;

/// Where a caller wants the description of a filter. Each pointer may be null.
struct Wanted {
    flags: *mut c_uint,
    /// In: the room in `parameters`. Out: the number of the filter's parameters.
    count: *mut usize,
    parameters: *mut c_uint,
    name: *mut c_char,
    name_room: usize,
    configuration: *mut c_uint,
}

impl Wanted {
    /// Writes the description of `filter`.
    ///
    /// # Safety
    /// Each pointer is null or may be written to, as H5Pget_filter_by_id2 says.
    unsafe fn write(&self, filter: &Filter) -> c_int {
        // SAFETY: the caller gives pointers that are null or may be written to, and sets `count` to the room in
        // `parameters`. What they point to may hold no value yet, so no reference to it is made.
        unsafe {
            if !self.flags.is_null() {
                self.flags.write(filter.flags);
            }
            if !self.count.is_null() {
                if !self.parameters.is_null() {
                    let fits = filter.parameters.len().min(self.count.read());
                    self.parameters
                        .copy_from_nonoverlapping(filter.parameters.as_ptr(), fits);
                }
                self.count.write(filter.parameters.len());
            }
            if !self.name.is_null() && self.name_room > 0 {
                self.name.write(0);
            }
            if !self.configuration.is_null() {
                self.configuration.write(ENCODES_AND_DECODES);
            }
        }
        0
    }
}

/// Uses the pipeline of `list`.
fn pipeline<R>(list: i64, with: impl FnOnce(&mut Vec<Filter>) -> Option<R>) -> Option<R> {
    if list != PROPERTIES {
        return None;
    }
    context::with(|call| with(&mut call.pipeline)).flatten()
}

/// H5Pget_filter_by_id1: flags and parameters of a filter.
///
/// # Safety
/// As in HDF5: pointers are null or may be written to, and `count` tells the room in `parameters`.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Pget_filter_by_id1(
    list: i64,
    id: c_int,
    flags: *mut c_uint,
    count: *mut usize,
    parameters: *mut c_uint,
    name_room: usize,
    name: *mut c_char,
) -> c_int {
    let configuration = std::ptr::null_mut();
    // SAFETY: the caller keeps this function's contract, which is the same.
    unsafe { H5Pget_filter_by_id2(list, id, flags, count, parameters, name_room, name, configuration) }
}

/// H5Pget_filter_by_id2: flags and parameters of a filter.
///
/// # Safety
/// As in HDF5: pointers are null or may be written to, and `count` tells the room in `parameters`.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Pget_filter_by_id2(
    list: i64,
    id: c_int,
    flags: *mut c_uint,
    count: *mut usize,
    parameters: *mut c_uint,
    name_room: usize,
    name: *mut c_char,
    configuration: *mut c_uint,
) -> c_int {
    let wanted = Wanted {
        flags,
        count,
        parameters,
        name,
        name_room,
        configuration,
    };
    pipeline(list, |filters| {
        let filter = filters.iter().find(|filter| filter.id == id)?;
        // SAFETY: the caller keeps this function's contract.
        Some(unsafe { wanted.write(filter) })
    })
    .unwrap_or(FAIL)
}

/// H5Pget_filter2: id, flags and parameters of the filter at `position`.
///
/// # Safety
/// As in HDF5: pointers are null or may be written to, and `count` tells the room in `parameters`.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Pget_filter2(
    list: i64,
    position: c_uint,
    flags: *mut c_uint,
    count: *mut usize,
    parameters: *mut c_uint,
    name_room: usize,
    name: *mut c_char,
    configuration: *mut c_uint,
) -> c_int {
    let wanted = Wanted {
        flags,
        count,
        parameters,
        name,
        name_room,
        configuration,
    };
    pipeline(list, |filters| {
        let filter = filters.get(position as usize)?;
        // SAFETY: the caller keeps this function's contract.
        unsafe { wanted.write(filter) };
        Some(filter.id)
    })
    .unwrap_or(FAIL)
}

/// H5Pget_nfilters: the length of the pipeline.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Pget_nfilters(list: i64) -> c_int {
    pipeline(list, |filters| c_int::try_from(filters.len()).ok()).unwrap_or(FAIL)
}

/// The parameters at `from`; `None` if there are too many.
///
/// # Safety
/// `from` is null or has `count` parameters.
unsafe fn given(from: *const c_uint, count: usize) -> Option<Vec<u32>> {
    if from.is_null() || count == 0 {
        return (count == 0).then(Vec::new);
    }
    // SAFETY: the caller gives `count` parameters.
    (count <= MOST_PARAMETERS).then(|| unsafe { slice::from_raw_parts(from, count) }.to_vec())
}

/// H5Pmodify_filter: gives a filter other flags and parameters.
///
/// # Safety
/// As in HDF5: `parameters` has `count` parameters.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Pmodify_filter(
    list: i64,
    id: c_int,
    flags: c_uint,
    count: usize,
    parameters: *const c_uint,
) -> c_int {
    // SAFETY: the caller keeps this function's contract.
    let Some(parameters) = (unsafe { given(parameters, count) }) else {
        return FAIL;
    };
    pipeline(list, |filters| {
        let filter = filters.iter_mut().find(|filter| filter.id == id)?;
        *filter = Filter {
            id,
            flags,
            parameters,
        };
        Some(0)
    })
    .unwrap_or(FAIL)
}

/// H5Pset_filter: adds a filter at the end of the pipeline.
///
/// # Safety
/// As in HDF5: `parameters` has `count` parameters.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Pset_filter(
    list: i64,
    id: c_int,
    flags: c_uint,
    count: usize,
    parameters: *const c_uint,
) -> c_int {
    const MOST_FILTERS: usize = 32;
    // SAFETY: the caller keeps this function's contract.
    let Some(parameters) = (unsafe { given(parameters, count) }) else {
        return FAIL;
    };
    pipeline(list, |filters| {
        (filters.len() < MOST_FILTERS).then(|| {
            filters.push(Filter {
                id,
                flags,
                parameters,
            })
        })?;
        Some(0)
    })
    .unwrap_or(FAIL)
}

/// H5Premove_filter: removes a filter, or all for id 0.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Premove_filter(list: i64, id: c_int) -> c_int {
    pipeline(list, |filters| {
        filters.retain(|filter| id != 0 && filter.id != id);
        Some(0)
    })
    .unwrap_or(FAIL)
}

/// H5Pget_chunk: the shape of a chunk. Returns the rank.
///
/// # Safety
/// As in HDF5: `lengths` has room for `room` lengths.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn H5Pget_chunk(list: i64, room: c_int, lengths: *mut u64) -> c_int {
    match usize::try_from(room) {
        // SAFETY: the caller keeps this function's contract.
        Ok(room) if list == PROPERTIES => unsafe { write_shape(lengths, room) },
        _ => FAIL,
    }
}

/// H5Pexist: false, because the list has no properties of plugins.
// SAFETY: HDF5's name and signature of this function, which reads nothing through `_name`.
#[unsafe(no_mangle)]
pub extern "C" fn H5Pexist(list: i64, _name: *const c_char) -> c_int {
    if list == PROPERTIES { 0 } else { FAIL }
}

/// H5Pisa_class: true for the list of the current call and the class of such lists.
// SAFETY: HDF5's name and signature of this function.
#[unsafe(no_mangle)]
pub extern "C" fn H5Pisa_class(list: i64, class: i64) -> c_int {
    c_int::from(list == PROPERTIES && class == PROPERTY_CLASS)
}

/// H5Pget: fails, because the list has no properties of plugins.
// SAFETY: HDF5's name and signature of this function, which uses no pointer.
#[unsafe(no_mangle)]
pub extern "C" fn H5Pget(_list: i64, _name: *const c_char, _value: *mut c_void) -> c_int {
    FAIL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Call;
    use ncutils_core::filter::ChunkType;
    use std::ptr::null_mut;

    /// Id, flags and parameters of the filter at `position`, with room for `room` parameters.
    fn at(position: c_uint, room: usize) -> (c_int, c_uint, usize, Vec<u32>) {
        let (mut flags, mut count, mut parameters) = (0, room, vec![99; room]);
        // SAFETY: the pointers are valid, and `count` tells the room.
        let id = unsafe {
            let to = parameters.as_mut_ptr();
            H5Pget_filter2(
                PROPERTIES,
                position,
                &mut flags,
                &mut count,
                to,
                0,
                null_mut(),
                null_mut(),
            )
        };
        (id, flags, count, parameters)
    }

    #[test]
    fn a_pipeline_is_read_and_changed() {
        let filter = Filter {
            id: 7,
            flags: 1,
            parameters: vec![1, 2, 3],
        };
        let call = Call::new(&ChunkType::of_bytes(5), vec![filter]);
        let ((), call) = context::during(call, || {
            assert_eq!(at(0, 2), (7, 1, 3, vec![1, 2]));
            assert_eq!(at(0, 4), (7, 1, 3, vec![1, 2, 3, 99]));
            assert_eq!(at(1, 1).0, FAIL);
            let given = [4, 5];
            // SAFETY: two parameters are given.
            unsafe {
                assert_eq!(H5Pset_filter(PROPERTIES, 8, 0, 2, given.as_ptr()), 0);
                assert_eq!(H5Pmodify_filter(PROPERTIES, 7, 0, 1, given.as_ptr()), 0);
                assert_eq!(H5Pmodify_filter(PROPERTIES, 9, 0, 1, given.as_ptr()), FAIL);
                assert_eq!(H5Pmodify_filter(PROPERTIES, 7, 0, 1, std::ptr::null()), FAIL);
                assert_eq!(H5Pset_filter(PROPERTIES + 1, 8, 0, 2, given.as_ptr()), FAIL);
            }
            assert_eq!(H5Pget_nfilters(PROPERTIES), 2);
            assert_eq!(at(1, 2), (8, 0, 2, vec![4, 5]));
            assert_eq!(H5Premove_filter(PROPERTIES, 8), 0);
        });
        let [only] = &call.pipeline[..] else {
            panic!("{call:?}");
        };
        assert_eq!((only.id, only.flags, &only.parameters[..]), (7, 0, &[4][..]));
        assert_eq!(H5Pget_nfilters(PROPERTIES), FAIL);
    }
}
