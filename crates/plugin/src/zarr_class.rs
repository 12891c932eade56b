//! [`ZarrClass`]: a codec with NCZarr's plugin interface (NCZ_codec_t of netcdf_filter_build.h). It translates between
//! the JSON of a codec and the parameters of an HDF5 filter.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::Once;

use ncutils_core::filter::ChunkType;

use crate::context::{self, Call};
use crate::served::netcdf::{NCID, VARID};

/// The version of `RawClass`: `NCZ_CODEC_CLASS_VER`.
const CLASS_VERSION: c_int = 1;
/// A codec that translates to HDF5's parameters: `NCZ_CODEC_HDF5`.
const SORT_HDF5: c_int = 1;
/// Most parameters that are taken of a codec.
const MOST_PARAMETERS: usize = 0xffff;
/// Most codecs of one library.
const MOST_CLASSES: usize = 256;

type Setup = unsafe extern "C" fn();
type ToHdf5 = unsafe extern "C" fn(*const c_char, *mut usize, *mut *mut c_uint) -> c_int;
type FromHdf5 = unsafe extern "C" fn(usize, *const c_uint, *mut *mut c_char) -> c_int;
type Modify =
    unsafe extern "C" fn(c_int, c_int, *mut usize, *mut *mut c_uint, *mut usize, *mut *mut c_uint) -> c_int;

/// `NCZ_codec_t`.
#[repr(C)]
struct RawClass {
    version: c_int,
    sort: c_int,
    id: *const c_char,
    hdf5_id: c_uint,
    initialize: Option<Setup>,
    finalize: Option<Setup>,
    to_hdf5: Option<ToHdf5>,
    from_hdf5: Option<FromHdf5>,
    modify: Option<Modify>,
}

/// A codec of a plugin.
#[derive(Debug)]
pub(crate) struct ZarrClass {
    /// Its id in Zarr v2.
    pub name: String,
    /// Its name in Zarr v3, as numcodecs has it.
    pub name_v3: String,
    /// The HDF5 filter that encodes and decodes.
    pub hdf5_id: u32,
    initialize: Option<Setup>,
    initialized: Once,
    to_hdf5: Option<ToHdf5>,
    from_hdf5: Option<FromHdf5>,
    modify: Option<Modify>,
}

impl ZarrClass {
    /// Reads one class; `None` if it is of another kind.
    ///
    /// # Safety
    /// `class` is null or a class of a plugin, which lives as long as the process.
    pub unsafe fn read(class: *const c_void) -> Option<Self> {
        // SAFETY: the caller gives null or a class; all kinds begin with version and sort.
        let [version, sort] = *unsafe { class.cast::<[c_int; 2]>().as_ref() }?;
        if (version, sort) != (CLASS_VERSION, SORT_HDF5) {
            return None;
        }
        // SAFETY: it is not null, and of this kind.
        let class = unsafe { &*class.cast::<RawClass>() };
        if class.id.is_null() {
            return None;
        }
        // SAFETY: a class has a string of C for its name.
        let name = unsafe { CStr::from_ptr(class.id) }.to_str().ok()?;
        Some(Self {
            name: name.to_owned(),
            name_v3: format!("numcodecs.{name}"),
            hdf5_id: class.hdf5_id,
            initialize: class.initialize,
            initialized: Once::new(),
            to_hdf5: class.to_hdf5,
            from_hdf5: class.from_hdf5,
            modify: class.modify,
        })
    }

    /// Reads a list of classes that ends with null.
    ///
    /// # Safety
    /// `list` is null or a list of classes of a plugin, which lives as long as the process.
    pub unsafe fn read_list(list: *const c_void) -> Vec<Self> {
        let mut found = Vec::new();
        let mut at = list.cast::<*const c_void>();
        for _ in 0..MOST_CLASSES {
            // SAFETY: the caller gives null or a list; this is not past its end, because the end was not seen.
            let class = match unsafe { at.as_ref() } {
                Some(class) if !class.is_null() => *class,
                _ => break,
            };
            // SAFETY: an element of the list is a class.
            found.extend(unsafe { Self::read(class) });
            at = at.wrapping_add(1);
        }
        found
    }

    /// The visible parameters of the HDF5 filter that a codec's JSON describes.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn parameters(&self, json: &str, chunk: &ChunkType) -> Result<Vec<u32>, String> {
        let to_hdf5 = self.to_hdf5.ok_or("it does not read JSON")?;
        let json = CString::new(json).map_err(|_| "its JSON has a zero byte")?;
        self.during(chunk, || {
            let (mut count, mut parameters) = (0, std::ptr::null_mut());
            // SAFETY: the plugin's function, with a string of C and places for its answer.
            let status = unsafe { to_hdf5(json.as_ptr(), &raw mut count, &raw mut parameters) };
            // SAFETY: the answer is a list of `count` parameters that the caller frees.
            let parameters = unsafe { take(count, parameters) };
            checked(status).and(parameters)
        })
    }

    /// The JSON that describes parameters of the HDF5 filter.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn json(&self, parameters: &[u32], chunk: &ChunkType) -> Result<String, String> {
        let from_hdf5 = self.from_hdf5.ok_or("it does not make JSON")?;
        self.during(chunk, || {
            let mut text = std::ptr::null_mut();
            // SAFETY: the plugin's function, with the parameters and a place for its answer.
            let status = unsafe { from_hdf5(parameters.len(), parameters.as_ptr(), &raw mut text) };
            checked(status)?;
            if text.is_null() {
                return Err("it made no JSON".to_owned());
            }
            // SAFETY: the answer is a string of C that the caller frees.
            let json = unsafe {
                let json = CStr::from_ptr(text).to_string_lossy().into_owned();
                libc::free(text.cast());
                json
            };
            Ok(json)
        })
    }

    /// The parameters with which the filter is called, for chunks of type `chunk`.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn working(&self, visible: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
        let Some(modify) = self.modify else {
            return Ok(visible.to_vec());
        };
        self.during(chunk, || {
            let (mut count, mut working_count) = (visible.len(), 0);
            let mut working = std::ptr::null_mut();
            // SAFETY: any size may be asked for.
            let mut given: *mut c_uint = unsafe { libc::calloc(count.max(1), size_of::<c_uint>()) }.cast();
            if given.is_null() {
                return Err("not enough memory".to_owned());
            }
            // SAFETY: the new list has room for the parameters. The plugin may put another in its place.
            let status = unsafe {
                std::ptr::copy_nonoverlapping(visible.as_ptr(), given, count);
                modify(
                    NCID,
                    VARID,
                    &raw mut count,
                    &raw mut given,
                    &raw mut working_count,
                    &raw mut working,
                )
            };
            // SAFETY: both lists belong to the caller now.
            let (given, working) = unsafe { (take(count, given), take(working_count, working)) };
            checked(status)?;
            match working? {
                working if working.is_empty() => given,
                working => Ok(working),
            }
        })
    }

    /// Calls the plugin, which is initialized first. It is never finalized, because it is never unloaded.
    fn during<R>(&self, chunk: &ChunkType, work: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
        let work = || {
            self.initialized.call_once(|| {
                if let Some(initialize) = self.initialize {
                    // SAFETY: the plugin's function, called once before all others.
                    unsafe { initialize() }
                }
            });
            work()
        };
        let (result, call) = context::during(Call::new(chunk, Vec::new()), work);
        result.map_err(|why| call.told().unwrap_or(why))
    }
}

/// An error for a status of netCDF-C that is not 0.
fn checked(status: c_int) -> Result<(), String> {
    match status {
        0 => Ok(()),
        status => Err(format!("it fails with netCDF's error {status}")),
    }
}

/// Copies a list that a plugin made, and frees it.
///
/// # Safety
/// `list` is null, or a list of `count` parameters in memory of the C library that belongs to the caller.
unsafe fn take(count: usize, list: *mut c_uint) -> Result<Vec<u32>, String> {
    if list.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: the caller gives a list of `count` parameters, which is not used after it is freed here.
    unsafe {
        let found = match count {
            ..=MOST_PARAMETERS => Ok(std::slice::from_raw_parts(list, count).to_vec()),
            _ => Err(format!("it gives {count} parameters")),
        };
        libc::free(list.cast());
        found
    }
}
