//! Notices that a plugin ends the program. Foreign code may call `exit(0)`, and the work would seem done.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of calls of plugins that are under way.
static CALLS: AtomicUsize = AtomicUsize::new(0);

const MESSAGE: &[u8] = b"a filter plugin ended the program; its work is not done\n";

/// A call of a plugin, as long as the value lives.
pub struct Inside(());

/// Begins a call of a plugin.
pub fn enter() -> Inside {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the function takes nothing, and calls nothing that an exit handler may not call.
        unsafe { libc::atexit(on_exit) };
    });
    CALLS.fetch_add(1, Ordering::SeqCst);
    Inside(())
}

impl Drop for Inside {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

extern "C" fn on_exit() {
    if CALLS.load(Ordering::SeqCst) > 0 {
        // SAFETY: the message's own bytes; `_exit` ends the process at once.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(1);
        }
    }
}
