//! [`DecodeMemory`]: how much memory decoded chunks may take.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ncutils_model::error::{Alternative, Error, Result};

use super::room::LARGE;

/// The limit, in bytes, of a registry that was given no other.
const DEFAULT_LIMIT: usize = 1 << 30;

/// Most bytes that a decoded chunk may take, and the bytes that large chunks take at present. The shape of a chunk is
/// hostile until it is compared with this: a few stored bytes can ask for any amount of memory.
#[derive(Debug)]
pub struct DecodeMemory {
    limit: usize,
    used: Mutex<usize>,
    freed: Condvar,
}

/// The memory of one large decoded chunk, until it is dropped.
#[derive(Debug, Default)]
pub struct HeldMemory(Option<(Arc<DecodeMemory>, usize)>);

impl Default for DecodeMemory {
    fn default() -> Self {
        Self::new(DEFAULT_LIMIT)
    }
}

impl DecodeMemory {
    /// Nothing is used of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            used: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    /// Most bytes that one decoded chunk may take.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Refuses a chunk of `size` bytes that is larger than the limit.
    ///
    /// # Errors
    /// [`Error::Alternative`], which names both.
    pub fn check(&self, size: usize) -> Result<()> {
        match size > self.limit {
            true => Err(too_much(size, self.limit)),
            false => Ok(()),
        }
    }

    /// Waits until a chunk of `size` bytes has room beside the large chunks that others hold. A chunk alone always has
    /// room. Small chunks are not counted.
    ///
    /// # Errors
    /// Those of [`DecodeMemory::check`].
    pub fn hold(self: &Arc<Self>, size: usize) -> Result<HeldMemory> {
        self.check(size)?;
        if size < LARGE {
            return Ok(HeldMemory(None));
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used > 0 && used.saturating_add(size) > self.limit {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used += size;
        Ok(HeldMemory(Some((Arc::clone(self), size))))
    }
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        if let Some((memory, size)) = &self.0 {
            *memory.used.lock().unwrap_or_else(PoisonError::into_inner) -= size;
            memory.freed.notify_all();
        }
    }
}

/// The refusal of a chunk of `size` bytes where `limit` are allowed.
fn too_much(size: usize, limit: usize) -> Error {
    Error::Alternative {
        why: format!("it takes {size} bytes when it is decoded, and {limit} bytes are allowed"),
        alternative: Alternative::MoreMemory,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_chunk_beyond_the_limit_is_refused() {
        let memory = Arc::new(DecodeMemory::new(100));
        assert!(memory.hold(100).is_ok());
        let error = memory.hold(101).unwrap_err().to_string();
        assert!(
            error.contains("101 bytes") && error.contains("100 bytes"),
            "{error}"
        );
    }

    #[test]
    fn a_large_chunk_waits_for_another() {
        let memory = Arc::new(DecodeMemory::new(2 * LARGE));
        let first = memory.hold(2 * LARGE).unwrap();
        // A small one does not.
        memory.hold(LARGE - 1).unwrap();
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            let memory = &memory;
            scope.spawn(move || tell.send(memory.hold(LARGE).is_ok()).unwrap());
            assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
            drop(first);
            assert!(told.recv().unwrap());
        });
        assert_eq!(*memory.used.lock().unwrap(), 0);
    }
}
