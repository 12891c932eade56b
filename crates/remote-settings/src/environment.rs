//! [`Environment`]: variables, files and commands that settings of remote stores come from.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

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

    /// A path as users write it: `~/` is the home folder, anything else is as it stands.
    pub fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), self.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(text),
        }
    }

    /// Reads a configuration file; `None` if there is none.
    ///
    /// # Errors
    /// Those of [`read`](Environment::read) of a file that is there.
    pub fn read_if_there(&self, path: &Path) -> io::Result<Option<ConfigurationFile>> {
        match self.read(path) {
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            read => read.map(Some),
        }
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
        // The owner of the open file counts, because the name may lead elsewhere a moment later. The owner of a link counts too,
        // because another user may link to a file of this user.
        let user = rustix::process::geteuid().as_raw();
        let is_own = file.metadata()?.uid() == user && std::fs::symlink_metadata(path)?.uid() == user;
        let text = limited_text(file)?;
        Ok(ConfigurationFile { text, is_own })
    }

    fn run(&self, program: &str, arguments: &[String]) -> io::Result<String> {
        run_within(program, arguments, LONGEST_RUN)
    }
}

/// Runs a program, for at most `longest`. Returns what it prints. Programs that it started may go on.
///
/// # Errors
/// A program that cannot be run, fails, prints too much or does not end.
fn run_within(program: &str, arguments: &[String], longest: Duration) -> io::Result<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| io::Error::new(e.kind(), format!("cannot be run: {e}")))?;
    let process = Pid::from_child(&child);
    let (tell, told) = mpsc::channel();
    // Programs that this one started may keep its output open after it has ended, so reading may last for ever.
    thread::spawn(move || {
        let printed = child.stdout.take().map_or(Ok(String::new()), limited_text);
        tell.send((printed, child.wait()))
    });
    let Ok((printed, status)) = told.recv_timeout(longest) else {
        let _ = kill_process(process, Signal::KILL);
        let seconds = longest.as_secs();
        return Err(io::Error::other(format!("did not end within {seconds} s")));
    };
    let status = status?;
    match printed {
        Err(e) => Err(io::Error::new(
            e.kind(),
            format!("printed what cannot be read: {e}"),
        )),
        Ok(text) if status.success() => Ok(text),
        Ok(_) => Err(io::Error::other(format!("failed: {status}"))),
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

    #[test]
    fn commands_that_do_not_end_are_given_up() {
        let begun = std::time::Instant::now();
        for script in [
            "sleep 20 | cat",
            "echo x; exec >&-; sleep 20",
            "sleep 20 & echo x",
        ] {
            let arguments = ["-c".to_owned(), script.to_owned()];
            let error = run_within("sh", &arguments, Duration::from_secs(1)).unwrap_err();
            assert!(
                error.to_string().contains("did not end within 1 s"),
                "{script}: {error}"
            );
        }
        assert!(begun.elapsed() < Duration::from_secs(15));
    }
}
