//! [`Library`]: one shared library, and the classes of filters and codecs that it has.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Once;

use libloading::os::unix::{self, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL};

use crate::filter_class::FilterClass;
use crate::zarr_class::ZarrClass;
use crate::{SUPPORTED, served};

/// The value of `H5PLget_plugin_type` for a filter: `H5PL_TYPE_FILTER`.
const TYPE_FILTER: c_int = 0;

type GetType = unsafe extern "C" fn() -> c_int;
type GetInfo = unsafe extern "C" fn() -> *const c_void;

/// An open shared library. It is never closed: it may have started threads, or registered functions for the exit.
#[derive(Debug)]
pub(crate) struct Library {
    /// Its filter, if it is a plugin of HDF5.
    pub filter: Option<FilterClass>,
    /// Its codecs, if it is a plugin of NCZarr.
    pub codecs: Vec<ZarrClass>,
}

impl Library {
    /// Opens a library. One that is no plugin has neither filter nor codecs.
    ///
    /// # Errors
    /// The loader's message, or the reason that its filter cannot be called.
    pub fn open(path: &Path) -> Result<Self, String> {
        if !SUPPORTED {
            return Err("this program is linked statically and cannot load plugins".to_owned());
        }
        served::keep();
        load_libm();
        // Not RTLD_DEEPBIND: the plugin's calls of HDF5 must find this program's functions. Lazy binding lets a plugin
        // miss functions that it never calls.
        // SAFETY: opening a library runs its initializers. The user put it where plugins are looked for.
        let opened = unsafe { unix::Library::open(Some(path), RTLD_LAZY | RTLD_LOCAL) };
        let library = ManuallyDrop::new(opened.map_err(|error| loader_message(&error, path))?);
        Ok(Self {
            filter: filter(&library)?,
            codecs: codecs(&library),
        })
    }
}

/// The function `name` of a library.
///
/// # Safety
/// A function of this name has the type `T`.
unsafe fn function<T: Copy>(library: &unix::Library, name: &[u8]) -> Option<T> {
    // SAFETY: the caller knows the function's type. The library is never closed.
    unsafe { library.get::<T>(name) }.ok().map(|found| *found)
}

fn filter(library: &unix::Library) -> Result<Option<FilterClass>, String> {
    // SAFETY: the types of these functions in H5PLextern.h.
    let found: (Option<GetType>, Option<GetInfo>) = unsafe {
        (
            function(library, b"H5PLget_plugin_type\0"),
            function(library, b"H5PLget_plugin_info\0"),
        )
    };
    let (Some(get_type), Some(get_info)) = found else {
        return Ok(None);
    };
    // SAFETY: functions of a plugin, without arguments.
    if unsafe { get_type() } != TYPE_FILTER {
        return Ok(None);
    }
    // SAFETY: a plugin of this type returns its filter class, a static object.
    unsafe { FilterClass::read(get_info()) }.map(Some)
}

fn codecs(library: &unix::Library) -> Vec<ZarrClass> {
    let mut found: Vec<ZarrClass> = Vec::new();
    // SAFETY: the types of these functions in netcdf_filter_build.h. They return static objects.
    unsafe {
        if let Some(get) = function::<GetInfo>(library, b"NCZ_get_codec_info\0") {
            found.extend(ZarrClass::read(get()));
        }
        if let Some(get) = function::<GetInfo>(library, b"NCZ_codec_info_defaults\0") {
            found.extend(ZarrClass::read_list(get()));
        }
    }
    found
}

/// Loads the C library's mathematics for all plugins. Some use it, and do not say so.
fn load_libm() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a library of the system. Without it, a plugin that needs it is not loaded, and says so.
        let libm = unsafe { unix::Library::open(Some("libm.so.6"), RTLD_LAZY | RTLD_GLOBAL) };
        std::mem::forget(libm);
    });
}

/// The message of `dlopen`, as in "libhdf5.so.103: cannot open shared object file: No such file or directory".
/// The path in front of it is removed.
fn loader_message(error: &libloading::Error, path: &Path) -> String {
    let message = match error {
        libloading::Error::DlOpen { desc } => format!("{desc:?}"),
        other => other.to_string(),
    };
    let message = message.trim_matches('"');
    let path = format!("{}: ", path.display());
    message.strip_prefix(&path).unwrap_or(message).to_owned()
}
