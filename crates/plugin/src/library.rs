//! [`Library`]: one shared library, and the classes of filters and codecs that it has.

use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Once;

use crate::filter_class::FilterClass;
use crate::zarr_class::ZarrClass;
use crate::{SUPPORTED, exit_guard, served};

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
        if !path.is_file() {
            return Err("it is no file".to_owned());
        }
        let _inside = exit_guard::enter();
        served::keep();
        load_libm();
        // Not RTLD_DEEPBIND: the plugin's calls of HDF5 must find this program's functions. Lazy binding lets a plugin
        // miss functions that it never calls.
        let library = Handle::open(path, libc::RTLD_LAZY | libc::RTLD_LOCAL)?;
        Ok(Self {
            filter: filter(&library)?,
            codecs: codecs(&library),
        })
    }
}

/// What `dlopen` returned. It is never closed.
struct Handle(NonNull<c_void>);

impl Handle {
    /// Opens a library.
    ///
    /// # Errors
    /// The loader's message, without the path in front of it.
    fn open(path: &Path, flags: c_int) -> Result<Self, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| "its path has a zero byte")?;
        // SAFETY: a string of C. Opening a library runs its initializers; the user put it where plugins are looked for.
        let opened = NonNull::new(unsafe { libc::dlopen(name.as_ptr(), flags) });
        opened.map(Self).ok_or_else(|| {
            // SAFETY: the message is null, or a string of C that stays until this thread's next call of the loader.
            let message = unsafe {
                let message = libc::dlerror();
                match message.is_null() {
                    true => "the loader gives no reason".into(),
                    false => CStr::from_ptr(message).to_string_lossy(),
                }
            };
            let front = format!("{}: ", path.display());
            message.strip_prefix(&front).unwrap_or(&message).to_owned()
        })
    }

    /// The function `name`.
    ///
    /// # Safety
    /// `T` is the type of a function pointer, and a function of this name has the type.
    unsafe fn function<T: Copy>(&self, name: &CStr) -> Option<T> {
        const { assert!(size_of::<T>() == size_of::<*mut c_void>()) };
        // SAFETY: an open library, and a string of C.
        let found = NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })?;
        // SAFETY: the caller knows that this is a function of type `T`, which has the size of a pointer.
        Some(unsafe { std::mem::transmute_copy(&found.as_ptr()) })
    }
}

fn filter(library: &Handle) -> Result<Option<FilterClass>, String> {
    // SAFETY: the types of these functions in H5PLextern.h.
    let found: (Option<GetType>, Option<GetInfo>) = unsafe {
        (
            library.function(c"H5PLget_plugin_type"),
            library.function(c"H5PLget_plugin_info"),
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

fn codecs(library: &Handle) -> Vec<ZarrClass> {
    let mut found: Vec<ZarrClass> = Vec::new();
    // SAFETY: the types of these functions in netcdf_filter_build.h. They return static objects.
    unsafe {
        if let Some(get) = library.function::<GetInfo>(c"NCZ_get_codec_info") {
            found.extend(ZarrClass::read(get()));
        }
        if let Some(get) = library.function::<GetInfo>(c"NCZ_codec_info_defaults") {
            found.extend(ZarrClass::read_list(get()));
        }
    }
    found
}

/// Loads the C library's mathematics for all plugins. Some use it, and do not say so.
fn load_libm() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without it, a plugin that needs it is not loaded, and the loader says why.
        let _ = Handle::open(Path::new("libm.so.6"), libc::RTLD_LAZY | libc::RTLD_GLOBAL);
    });
}
