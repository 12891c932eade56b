//! Ends the program when a thread panics, which is a fault of the program.
//!
//! Release builds have no unwinding, so nothing is dropped after a panic. Partial files are therefore removed as at a signal.

use std::panic::{PanicHookInfo, set_hook};
use std::sync::mpsc;
use std::time::Duration;

use ncutils_core::message::tell;
use ncutils_core::store::{remove_partial_files, take_remains};

/// Exit status after a panic, the same as Rust's.
const STATUS: i32 = 101;

/// Longest wait for partial files to be removed: the thread that panicked may hold a lock that this needs.
const LONGEST: Duration = Duration::from_secs(5);

/// Installs a panic hook that prints one line, removes all partial files and ends the process. `name` is the program's name.
pub fn handle(name: &'static str) {
    set_hook(Box::new(move |panic| {
        tell(name, told(panic));
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            let none = remove_partial_files();
            for line in take_remains() {
                tell(name, line);
            }
            let _ = done.send(());
            // Until the process ends, no partial file is made.
            std::mem::forget(none);
        });
        let _ = is_done.recv_timeout(LONGEST);
        std::process::exit(STATUS);
    }));
}

/// The message: the place, the cause, and a request to report it.
fn told(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let cause = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(payload.downcast_ref().copied())
        .unwrap_or("no cause is known");
    let place = panic.location().map(|at| format!(" at {at}")).unwrap_or_default();
    format!("internal error{place}: {cause}; please report it, with the command")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncutils_core::store::DirectoryOutput;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    /// Runs itself again as the process that panics.
    #[test]
    fn a_panic_removes_partial_files_and_is_told_in_one_line() {
        const CHILD: &str = "NCUTILS_TEST_PANIC";
        if let Some(path) = std::env::var_os(CHILD) {
            handle("test");
            let _held = DirectoryOutput::create(Path::new(&path), &[]).unwrap();
            let _never = std::thread::spawn(|| panic!("two\nlines")).join();
            unreachable!("the process has ended");
        }

        let dir = tempfile::tempdir().unwrap();
        let ended = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "panics::tests::a_panic_removes_partial_files_and_is_told_in_one_line",
            ])
            .arg("--nocapture")
            .env(CHILD, dir.path().join("out.zarr"))
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(STATUS));
        assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains("two\\nlines; please report it"), "{told}");
    }
}
