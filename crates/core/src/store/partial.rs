//! Partial files that have a name, and what becomes of them when the process is told to end.
//!
//! A partial file is named here as long as it exists under its partial name. SIGINT, SIGTERM and SIGHUP remove all that
//! are named, then end the process as the signal would have done. A signal that was ignored when the process began
//! (`nohup`, background jobs) stays ignored.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static HANDLER: Once = Once::new();

/// A partial file's name. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct PartialName {
    path: PathBuf,
}

impl PartialName {
    /// Runs `make`, which creates the file at `path`, and remembers it if that succeeds.
    pub(super) fn create<T>(
        path: PathBuf,
        make: impl FnOnce(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        HANDLER.call_once(install);
        let mut named = named();
        let made = make(&path)?;
        named.push(path.clone());
        Ok((Self { path }, made))
    }

    /// Renames the file to `target`, after which it is partial no more.
    pub(super) fn rename(&self, target: &Path) -> io::Result<()> {
        let mut named = named();
        fs::rename(&self.path, target)?;
        named.retain(|p| *p != self.path);
        Ok(())
    }
}

impl Drop for PartialName {
    fn drop(&mut self) {
        let mut named = named();
        if let Some(at) = named.iter().position(|p| *p == self.path) {
            named.swap_remove(at);
            // A drop has no one to tell; the name itself says that the file is partial.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Lets a write past the limit on file sizes (`ulimit -f`) fail with an error that is told, instead of ending the process.
pub(super) fn survive_file_size_limit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without the handler the process ends there, and what was written is gone with it: nothing worse than no message.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    });
}

fn named() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn install() {
    let ignored = ignored_signals();
    let wanted = [SIGHUP, SIGINT, SIGTERM]
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a handler a signal still ends the process; it then leaves one file whose name says that it is partial.
    let Ok(mut signals) = Signals::new(wanted) else {
        return;
    };
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                end(signal);
            }
        });
}

/// Removes all partial files and ends the process. Holds the lock to the end, so that none is made or renamed after.
fn end(signal: c_int) {
    let named = named();
    for path in named.iter() {
        let _ = fs::remove_file(path);
    }
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal);
}

/// The signals that the process ignores, signal n as bit n − 1. Read from `/proc`, as the system call that tells is not
/// reachable from safe code; where there is no `/proc`, none.
fn ignored_signals() -> u64 {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        return 0;
    };
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drop_removes_the_file_and_rename_keeps_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("partial");
        let (name, _) = PartialName::create(path.clone(), |p| fs::File::create_new(p)).unwrap();
        assert!(path.exists());
        drop(name);
        assert!(!path.exists());

        let target = dir.path().join("whole");
        let (name, _) = PartialName::create(path.clone(), |p| fs::File::create_new(p)).unwrap();
        name.rename(&target).unwrap();
        drop(name);
        assert!(target.exists() && !path.exists());
    }

    #[test]
    fn what_could_not_be_made_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other");
        fs::write(&path, "someone else's").unwrap();
        assert!(PartialName::create(path.clone(), |p| fs::File::create_new(p)).is_err());
        assert!(path.exists());
    }

    /// Runs itself again as the process that is told to end.
    #[test]
    fn signals_remove_partial_files_and_end_the_process() {
        use std::os::unix::process::ExitStatusExt;
        use std::process::Command;
        use std::time::{Duration, Instant};

        const CHILD: &str = "NCUTILS_TEST_PARTIAL";
        let patience = Duration::from_secs(30);
        if let Some(path) = std::env::var_os(CHILD) {
            let _held = PartialName::create(path.into(), |p| fs::File::create_new(p)).unwrap();
            std::thread::sleep(2 * patience);
            panic!("no signal came");
        }

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("partial");
        let until = |what: &str, happened: &mut dyn FnMut() -> bool| {
            let start = Instant::now();
            while !happened() {
                assert!(start.elapsed() < patience, "{what}");
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        for (signal, ignored) in [
            (SIGINT, false),
            (SIGTERM, false),
            (SIGHUP, false),
            (SIGTERM, true),
        ] {
            let script = if ignored {
                "trap '' HUP; exec \"$@\""
            } else {
                "exec \"$@\""
            };
            // What this process was told to ignore, its children ignore too, and a shell cannot change it.
            if ignored_signals() >> (signal - 1) & 1 != 0 {
                continue;
            }
            let mut child = Command::new("sh")
                .args(["-c", script, "sh"])
                .arg(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "store::partial::tests::signals_remove_partial_files_and_end_the_process",
                ])
                .env(CHILD, &path)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            until("the partial file appears", &mut || path.exists());
            let pid = rustix::process::Pid::from_child(&child);
            let send = |signal: c_int| {
                let signal = rustix::process::Signal::from_named_raw(signal).unwrap();
                rustix::process::kill_process(pid, signal).unwrap();
            };
            if ignored {
                send(SIGHUP);
                std::thread::sleep(Duration::from_millis(50));
                assert!(path.exists(), "a signal that was ignored ended the process");
            }
            send(signal);
            let mut status = None;
            until("the process ends", &mut || {
                status = child.try_wait().unwrap();
                status.is_some()
            });
            assert_eq!(status.unwrap().signal(), Some(signal));
            assert!(!path.exists(), "signal {signal}");
        }
    }
}
