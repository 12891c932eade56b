//! Removes partial files when a signal ends the program.
//!
//! SIGINT, SIGTERM and SIGHUP remove all partial files, and what was written to remote stores, then end the process as the signal's default action would. A
//! signal that was ignored when the process began (`nohup`, background jobs) stays ignored.

use std::ffi::c_int;
use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};
use std::time::Duration;

use ncutils_core::message::tell;
use ncutils_core::store::{remove_partial_files, take_remains};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Signals within this time of the first are taken for the same.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// Installs the handlers. Programs that write files must call it before creating one. `name` is the program's, for messages.
pub fn handle(name: &'static str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The default action of SIGXFSZ (`ulimit -f`) kills the process. The output would still be safe, but the user
        // would see no message. With a handler the write fails, and that is told.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        remove_files_at_end(name);
    });
}

fn remove_files_at_end(name: &'static str) {
    let ignored = ignored_signals();
    let wanted = [SIGHUP, SIGINT, SIGTERM]
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a handler, a signal still ends the process, and leaves a file with a name that marks it as partial.
    let Ok(mut signals) = Signals::new(wanted) else {
        return;
    };
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                end(name, signal);
            }
        });
}

/// Removes all partial files, gives up outputs on remote stores, and ends the process. No file is created or completed
/// after that. A signal that comes a second later ends the process at once, as a store may be slow to answer. Sooner ones count as the
/// same: `timeout` sends two.
fn end(name: &str, signal: c_int) {
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(ONE_SIGNAL);
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let _ = signal_hook::flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true)));
        }
    });
    let _none = remove_partial_files();
    for line in take_remains() {
        tell(name, line);
    }
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal);
}

/// Ends the process as SIGTERM does.
pub fn raise() {
    let _ = signal_hook::low_level::raise(SIGTERM);
}

/// The signals that the process ignores, signal n as bit n − 1. They are read from `/proc`, because safe code cannot
/// make the system call. 0 without `/proc`.
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
    use ncutils_core::store::DirectoryOutput;
    use std::io::{self, BufRead, BufReader, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// Runs itself again as the process that is told to end.
    #[test]
    fn signals_remove_partial_files_and_end_the_process() {
        const CHILD: &str = "NCUTILS_TEST_PARTIAL";
        const READY: &str = "the folder is made";
        if let Some(path) = std::env::var_os(CHILD) {
            handle("test");
            let _held = DirectoryOutput::create(Path::new(&path), &[]).unwrap();
            writeln!(io::stderr(), "{READY}").unwrap();
            // Until the signal comes, or the parent ends without one.
            io::stdin().lines().count();
            panic!("no signal came");
        }

        let dir = tempfile::tempdir().unwrap();
        let partial = || fs::read_dir(dir.path()).unwrap().next().is_some();
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
                    "signals::tests::signals_remove_partial_files_and_end_the_process",
                ])
                .env(CHILD, dir.path().join("d"))
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
            assert!(told.any(|line| line.unwrap() == READY) && partial());
            let pid = rustix::process::Pid::from_child(&child);
            let send = |signal: c_int| {
                let signal = rustix::process::Signal::from_named_raw(signal).unwrap();
                rustix::process::kill_process(pid, signal).unwrap();
            };
            if ignored {
                // The process ends by the second signal, not by this one.
                send(SIGHUP);
            }
            send(signal);
            // `wait` would close the standard input, which ends the process too.
            let stdin = child.stdin.take();
            let status = child.wait().unwrap();
            drop(stdin);
            assert_eq!(status.signal(), Some(signal));
            assert!(!partial(), "signal {signal}");
        }
    }
}
