//! What a plugin may ask for during a call: the variable's chunks, the pipeline, and a place for errors.
//!
//! The functions in [`served`](crate::served) have no argument for it, so it is local to the thread.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use ncutils_core::filter::{ChunkType, NumberClass};
use ncutils_core::model::{Encoding, Endian};

use crate::exit_guard;

/// Most errors that are kept of one call. A plugin can push any number.
const MOST_ERRORS: usize = 8;

/// Class of a datatype, with HDF5's numbers (`H5T_class_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Integer = 0,
    Float = 1,
    String = 3,
    Opaque = 5,
    Vlen = 9,
}

/// A datatype, as plugins see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Datatype {
    pub class: Class,
    /// Size, in bytes.
    pub size: usize,
    pub big_endian: bool,
    pub signed: bool,
}

impl Datatype {
    /// The type of a chunk's elements.
    fn of(chunk: &ChunkType) -> Self {
        let class = match (chunk.number, chunk.encoding) {
            (Some(NumberClass::Float), _) => Class::Float,
            (Some(_), _) => Class::Integer,
            (None, Encoding::Numbers { .. }) => Class::String,
            (None, Encoding::Packed) => Class::Opaque,
            (None, _) => Class::Vlen,
        };
        Self {
            class,
            size: chunk.element_size,
            big_endian: chunk.byte_order() == Some(Endian::Big),
            signed: chunk.number == Some(NumberClass::Signed),
        }
    }
}

/// A filter of the pipeline that a plugin sees.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    pub id: i32,
    /// HDF5's flags: 1 for an optional filter.
    pub flags: u32,
    pub parameters: Vec<u32>,
}

/// What a plugin may ask for and change during a call.
#[derive(Debug)]
pub(crate) struct Call {
    pub datatype: Datatype,
    /// Shape of a chunk, in elements.
    pub shape: Vec<u64>,
    pub pipeline: Vec<Filter>,
    errors: Vec<String>,
}

impl Call {
    /// A call for chunks of type `chunk`.
    pub fn new(chunk: &ChunkType, pipeline: Vec<Filter>) -> Self {
        Self {
            datatype: Datatype::of(chunk),
            shape: chunk.shape.clone(),
            pipeline,
            errors: Vec::new(),
        }
    }

    /// The errors that the plugin pushed, in its order; `None` if there are none.
    pub fn told(&self) -> Option<String> {
        (!self.errors.is_empty()).then(|| self.errors.join(": "))
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// Held during each call of a plugin. libhdf5 calls one filter at a time, so plugins may rely on it, and so may the
/// libraries that two plugins share.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `work`, which calls a plugin. Its callbacks see `call`, which is returned with their changes.
pub(crate) fn during<R>(call: Call, work: impl FnOnce() -> R) -> (R, Call) {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    CURRENT.with(|current| *current.borrow_mut() = Some(call));
    let inside = exit_guard::enter();
    let result = work();
    drop(inside);
    let call = CURRENT.with(|current| current.borrow_mut().take());
    // The place was filled above, and nothing else takes from it.
    let call = call.unwrap_or_else(|| Call::new(&ChunkType::of_bytes(0), Vec::new()));
    (result, call)
}

/// Uses the current call; `None` outside of one, such as in a thread that a plugin started.
pub(crate) fn with<R>(ask: impl FnOnce(&mut Call) -> R) -> Option<R> {
    CURRENT
        .try_with(|current| current.try_borrow_mut().ok()?.as_mut().map(ask))
        .ok()
        .flatten()
}

/// Keeps the text of an error of the current call.
pub(crate) fn push_error(text: &str) {
    let text = text.trim();
    with(|call| {
        if call.errors.len() < MOST_ERRORS && !text.is_empty() {
            call.errors.push(text.to_owned());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_seen_during_it_and_nowhere_else() {
        assert!(with(|_| ()).is_none());
        let chunk = ChunkType::of_numbers(NumberClass::Signed, 2, Endian::Big, &[3, 4]);
        let (seen, call) = during(Call::new(&chunk, Vec::new()), || {
            push_error(" one\n");
            push_error("");
            push_error("two");
            std::thread::spawn(|| assert!(with(|_| ()).is_none()))
                .join()
                .unwrap();
            with(|call| (call.datatype, call.shape.clone()))
        });
        let datatype = Datatype {
            class: Class::Integer,
            size: 2,
            big_endian: true,
            signed: true,
        };
        assert_eq!(seen, Some((datatype, vec![3, 4])));
        assert_eq!(call.told().as_deref(), Some("one: two"));
        assert!(with(|_| ()).is_none());
    }
}
