//! [`Environment`]: variables, files and commands that settings of remote stores come from.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Largest size of a configuration file, and of the output of a command, in bytes.
const LARGEST_TEXT: u64 = 1 << 20;

/// Longest time for a command to print its output. A user may have to type a code meanwhile.
const LONGEST_RUN: Duration = Duration::from_secs(120);

/// A configuration file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigurationFile {
    /// The whole file.
    pub text: String,
    /// True if the user who runs the program owns the file.
    pub is_own: bool,
}

/// The surroundings of a process. Tests bring their own.
pub trait Environment {
    /// The value of a variable; `None` if it is not set or no text.
    fn variable(&self, name: &str) -> Option<String>;

    /// The user's home folder.
    fn home(&self) -> Option<PathBuf>;

    /// The current folder.
    fn current_folder(&self) -> Option<PathBuf>;

    /// Reads a configuration file.
    ///
    /// # Errors
    /// `NotFound` if there is none; a file of more than 1 MiB; one that is not UTF-8.
    fn read(&self, path: &Path) -> io::Result<ConfigurationFile>;

    /// Runs a program without a shell, and returns what it prints. Its messages go to the user's terminal.
    ///
    /// # Errors
    /// A program that cannot be run, fails, or prints more than 1 MiB. The error's text follows the program's name.
    fn run(&self, program: &str, arguments: &[String]) -> io::Result<String>;
}

impl dyn Environment + '_ {
    /// The value of a variable that is set and not empty.
    pub fn filled(&self, name: &str) -> Option<String> {
        self.variable(name).filter(|value| !value.is_empty())
    }

    /// True if a variable is `true` or `1`, in any case of letters.
    pub fn is_true(&self, name: &str) -> bool {
        self.variable(name)
            .is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }
}

/// The real surroundings.
#[derive(Debug, Clone, Copy)]
pub struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
    }

    fn current_folder(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    fn read(&self, path: &Path) -> io::Result<ConfigurationFile> {
        // A pipe in a configuration file's place would block the program.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
        }
        let file = std::fs::File::open(path)?;
        // The owner of the open file, since the name may lead elsewhere a moment later.
        let is_own = file.metadata()?.uid() == rustix::process::geteuid().as_raw();
        let text = limited_text(file)?;
        Ok(ConfigurationFile { text, is_own })
    }

    fn run(&self, program: &str, arguments: &[String]) -> io::Result<String> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| io::Error::new(e.kind(), format!("cannot be run: {e}")))?;
        let (done, waits) = mpsc::channel::<()>();
        let pid = rustix::process::Pid::from_child(&child);
        let watch = thread::spawn(move || {
            // The process is not waited for before this thread has ended, so the number is still its own.
            let is_late = waits.recv_timeout(LONGEST_RUN) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
            is_late
        });
        let text = child.stdout.take().map_or(Ok(String::new()), limited_text);
        if text.is_err() {
            let _ = child.kill();
        }
        drop(done);
        let is_late = watch.join().unwrap_or(false);
        let status = child.wait()?;
        if is_late {
            return Err(io::Error::other(format!(
                "did not end within {} s",
                LONGEST_RUN.as_secs()
            )));
        }
        let text = text.map_err(|e| io::Error::new(e.kind(), format!("printed what cannot be read: {e}")))?;
        match status.success() {
            true => Ok(text),
            false => Err(io::Error::other(format!("failed: {status}"))),
        }
    }
}

fn limited_text(from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(LARGEST_TEXT + 1).read_to_end(&mut bytes)?;
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidData, why);
    if bytes.len() as u64 > LARGEST_TEXT {
        return Err(invalid("more than 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| invalid("not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_limited_texts() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            ProcessEnvironment.read(&path)
        };
        let file = at("config", b"a=b").unwrap();
        assert_eq!((file.text.as_str(), file.is_own), ("a=b", true));
        assert!(at("large", &vec![b'x'; 1 << 20]).is_ok());
        assert!(at("larger", &vec![b'x'; (1 << 20) + 1]).is_err());
        assert!(at("raw", b"\xff").is_err());
        assert!(ProcessEnvironment.read(dir.path()).is_err());
        let none = ProcessEnvironment.read(&dir.path().join("none")).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn commands_run_without_a_shell() {
        let run = |program: &str, arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(|&a| a.to_owned()).collect();
            ProcessEnvironment.run(program, &arguments)
        };
        assert_eq!(run("echo", &["$HOME;", "x"]).unwrap(), "$HOME; x\n");
        assert!(run("false", &[]).is_err());
        assert!(run("/no/such/program", &[]).is_err());
        assert!(run("yes", &[]).is_err());
    }
}
