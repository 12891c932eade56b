//! [`FilterClass`]: a filter with HDF5's plugin interface (H5Z_class2_t of H5Zpublic.h).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use ncutils_core::filter::ChunkType;

use crate::context::{self, Call, Filter};
use crate::served::handles::{DATATYPE, PROPERTIES, SPACE};

/// The version of `RawClass`: `H5Z_CLASS_T_VERS`.
const CLASS_VERSION: c_int = 1;
/// HDF5's flag for a filter that may be skipped: `H5Z_FLAG_OPTIONAL`.
pub(crate) const OPTIONAL: c_uint = 1;
/// HDF5's flag for decoding: `H5Z_FLAG_REVERSE`.
pub(crate) const REVERSE: c_uint = 0x100;
/// Zero bytes behind a filter's input. Some decoders (zfp) read words past the end.
const PADDING: usize = 64;
/// Longest name that is kept, in bytes.
const LONGEST_NAME: usize = 60;

/// A callback that is given the variable's property list, type and chunk space.
type Apply = unsafe extern "C" fn(i64, i64, i64) -> c_int;

/// A callback that encodes or decodes: flags, parameters, bytes of input, size of the buffer, buffer.
type FilterFunction =
    unsafe extern "C" fn(c_uint, usize, *const c_uint, usize, *mut usize, *mut *mut c_void) -> usize;

/// `H5Z_class2_t`.
#[repr(C)]
struct RawClass {
    version: c_int,
    id: c_int,
    encoder_present: c_uint,
    decoder_present: c_uint,
    name: *const c_char,
    can_apply: Option<Apply>,
    set_local: Option<Apply>,
    filter: Option<FilterFunction>,
}

/// A filter of a plugin.
#[derive(Debug)]
pub(crate) struct FilterClass {
    pub id: u32,
    pub name: String,
    pub encodes: bool,
    pub decodes: bool,
    can_apply: Option<Apply>,
    set_local: Option<Apply>,
    run: FilterFunction,
}

impl FilterClass {
    /// Reads what `H5PLget_plugin_info` returned.
    ///
    /// # Errors
    /// The reason that this is no filter that can be called.
    ///
    /// # Safety
    /// `class` is null or a class of a plugin, which lives as long as the process.
    pub unsafe fn read(class: *const c_void) -> Result<Self, String> {
        // SAFETY: the caller gives null or a class; all versions begin with the version.
        let version = unsafe { class.cast::<c_int>().as_ref() };
        match version {
            Some(&CLASS_VERSION) => {}
            Some(version) => return Err(format!("its filter class has version {version} instead of 1")),
            None => return Err("it has no filter class".to_owned()),
        }
        // SAFETY: it is not null, and of this version.
        let class = unsafe { &*class.cast::<RawClass>() };
        let id = u32::try_from(class.id)
            .ok()
            .filter(|id| (1..=0xffff).contains(id));
        let id = id.ok_or_else(|| format!("its filter has the id {}", class.id))?;
        Ok(Self {
            id,
            // SAFETY: a class of a plugin has a name, or null.
            name: unsafe { name(class.name) },
            encodes: class.encoder_present != 0,
            decodes: class.decoder_present != 0,
            can_apply: class.can_apply,
            set_local: class.set_local,
            run: class.filter.ok_or("its filter has no function")?,
        })
    }

    /// True if stored parameters are computed from the type and shape of chunks.
    pub fn sets_local(&self) -> bool {
        self.set_local.is_some()
    }

    /// The parameters that are stored if a user gives the `visible` ones.
    ///
    /// # Errors
    /// The reason that the filter cannot be applied to such chunks, or the plugin's errors.
    pub fn working(&self, visible: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
        if let Some(can_apply) = self.can_apply {
            // SAFETY: the plugin's function, with handles that the served functions know.
            let (result, call) = self.during(visible, chunk, || unsafe {
                can_apply(PROPERTIES, DATATYPE, SPACE)
            });
            match result {
                1.. => {}
                0 => return Err(told(&call, "it cannot be applied to such chunks")),
                ..0 => {
                    return Err(told(
                        &call,
                        "it cannot tell whether it can be applied to such chunks",
                    ));
                }
            }
        }
        let Some(set_local) = self.set_local else {
            return Ok(visible.to_vec());
        };
        // SAFETY: as above.
        let (result, call) = self.during(visible, chunk, || unsafe {
            set_local(PROPERTIES, DATATYPE, SPACE)
        });
        if result < 0 {
            return Err(told(&call, "it rejects these parameters or such chunks"));
        }
        let own = call.pipeline.into_iter().find(|f| f.id as u32 == self.id);
        Ok(own.map(|filter| filter.parameters).unwrap_or_default())
    }

    /// Encodes or decodes `input` into `out`, as `flags` say. An output above `limit` bytes is an error. The plugin
    /// itself may take any memory.
    ///
    /// # Errors
    /// The plugin's errors; an output that is too long.
    pub fn run(
        &self,
        flags: c_uint,
        parameters: &[u32],
        chunk: &ChunkType,
        input: &[u8],
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let mut buffer = Buffer::copy_of(input)?;
        let run = self.run;
        let (count, call) = self.during(parameters, chunk, || {
            // SAFETY: the plugin's function. The buffer is of the C library, has at least the size given, and belongs
            // to the plugin during the call, which may free it and put another in its place.
            unsafe {
                run(
                    flags,
                    parameters.len(),
                    parameters.as_ptr(),
                    input.len(),
                    &raw mut buffer.size,
                    &raw mut buffer.start,
                )
            }
        });
        if count == 0 {
            return Err(told(&call, "it fails and gives no reason"));
        }
        if count > limit {
            return Err(format!("more than the {limit} bytes expected"));
        }
        out.clear();
        out.extend_from_slice(buffer.first(count)?);
        Ok(())
    }

    /// Calls the plugin. Its callbacks see a pipeline of this filter alone.
    fn during<R>(&self, parameters: &[u32], chunk: &ChunkType, work: impl FnOnce() -> R) -> (R, Call) {
        let filter = Filter {
            id: self.id as i32,
            flags: OPTIONAL,
            parameters: parameters.to_vec(),
        };
        context::during(Call::new(chunk, vec![filter]), work)
    }
}

/// What the plugin pushed as errors, or `otherwise`.
fn told(call: &Call, otherwise: &str) -> String {
    call.told().unwrap_or_else(|| otherwise.to_owned())
}

/// The name of a class, without the address that some add after a semicolon.
///
/// # Safety
/// `name` is null or a string of C.
unsafe fn name(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: the caller gives a string of C.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let short = name.split(';').next().unwrap_or_default().trim();
    let visible = short.chars().filter(|c| !c.is_control());
    visible.take(LONGEST_NAME).collect()
}

/// A buffer of the C library, which plugins may free.
struct Buffer {
    start: *mut c_void,
    /// Its size, in bytes, as plugins see it.
    size: usize,
}

impl Buffer {
    fn copy_of(input: &[u8]) -> Result<Self, String> {
        let no_memory = || "not enough memory".to_owned();
        let room = input.len().checked_add(PADDING).ok_or_else(no_memory)?;
        // SAFETY: any size may be asked for.
        let start = unsafe { libc::malloc(room) };
        if start.is_null() {
            return Err(no_memory());
        }
        // SAFETY: the new buffer has room for the input and the padding.
        unsafe {
            std::ptr::copy_nonoverlapping(input.as_ptr(), start.cast(), input.len());
            std::ptr::write_bytes(start.cast::<u8>().add(input.len()), 0, PADDING);
        }
        Ok(Self {
            start,
            size: input.len(),
        })
    }

    /// The first `count` bytes.
    ///
    /// # Errors
    /// The buffer is smaller.
    fn first(&self, count: usize) -> Result<&[u8], String> {
        // SAFETY: the plugin leaves a buffer of the C library or null. Plugins do not always keep `size` up to date,
        // so the C library is asked.
        let size = unsafe { libc::malloc_usable_size(self.start) };
        if self.start.is_null() || count > size {
            return Err(format!(
                "it says that it made {count} bytes in a buffer of {size}"
            ));
        }
        // SAFETY: the buffer has that many bytes, and nothing changes them while it is borrowed.
        Ok(unsafe { std::slice::from_raw_parts(self.start.cast(), count) })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: a buffer of the C library that nobody else has, or null.
        unsafe { libc::free(self.start) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> RawClass {
        unsafe extern "C" fn nothing(
            _: c_uint,
            _: usize,
            _: *const c_uint,
            _: usize,
            _: *mut usize,
            _: *mut *mut c_void,
        ) -> usize {
            0
        }
        RawClass {
            version: 1,
            id: 40000,
            encoder_present: 1,
            decoder_present: 0,
            name: c"a\nfilter; see there".as_ptr(),
            can_apply: None,
            set_local: None,
            filter: Some(nothing),
        }
    }

    fn read(class: &RawClass) -> Result<FilterClass, String> {
        // SAFETY: a class that outlives the call.
        unsafe { FilterClass::read(std::ptr::from_ref(class).cast()) }
    }

    #[test]
    fn classes_are_checked() {
        let class = read(&raw()).unwrap();
        assert_eq!((class.id, class.name.as_str()), (40000, "afilter"));
        assert!(class.encodes && !class.decodes && !class.sets_local());
        let refused = |change: fn(&mut RawClass)| {
            let mut class = raw();
            change(&mut class);
            read(&class).unwrap_err()
        };
        assert!(refused(|class| class.version = 2).contains("version 2"));
        assert!(refused(|class| class.id = -1).contains("id -1"));
        assert!(refused(|class| class.filter = None).contains("no function"));
        // SAFETY: null is allowed.
        assert!(unsafe { FilterClass::read(std::ptr::null()) }.is_err());
    }

    #[test]
    fn a_failure_is_an_error() {
        let class = read(&raw()).unwrap();
        let chunk = ChunkType::of_bytes(3);
        let mut out = vec![1];
        let why = class.run(0, &[], &chunk, b"abc", 10, &mut out).unwrap_err();
        assert_eq!(why, "it fails and gives no reason");
        assert_eq!(class.working(&[1, 2], &chunk).unwrap(), [1, 2]);
    }
}
