//! The folder that becomes a package.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::program::Program;
use crate::process::succeed;

/// Shells, and where each has its scripts below `share`. `{}` is the program's name.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/{}"),
    ("zsh", "share/zsh/{zsh}/_{}"),
    ("fish", "share/fish/vendor_completions.d/{}.fish"),
];

/// A folder whose files are made from nothing.
pub struct PackageFolder {
    root: PathBuf,
}

impl PackageFolder {
    /// An empty folder. What was there is removed.
    pub fn new(root: PathBuf) -> Result<Self> {
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::create_dir_all(&root)?;
        Ok(Self { root })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file that everyone may read.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.with_folder(path)?;
        fs::write(&path, content).with_context(|| path.display().to_string())?;
        Ok(fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?)
    }

    /// Writes a file, compressed by gzip without a time.
    pub fn write_gzip(&self, path: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let mut gzip = Command::new("gzip")
            .args(["-9n"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run gzip")?;
        let mut input = gzip.stdin.take().context("gzip has no input")?;
        let content = content.as_ref();
        // gzip may print before it has read all.
        let (written, done) = std::thread::scope(|scope| {
            let written = scope.spawn(move || input.write_all(content));
            (written.join(), gzip.wait_with_output())
        });
        let done = done?;
        if !done.status.success() || !matches!(written, Ok(Ok(()))) {
            bail!("gzip failed: {}", done.status);
        }
        self.write(path, done.stdout)
    }

    /// Copies a program, without symbols.
    pub fn program(&self, path: &str, program: &Program) -> Result<()> {
        let path = self.with_folder(path)?;
        succeed(Command::new("strip").arg("-o").arg(&path).arg(program.path()))?;
        Ok(fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?)
    }

    /// Makes a symbolic link that leads to `target`.
    pub fn link(&self, path: &str, target: &str) -> Result<()> {
        let path = self.with_folder(path)?;
        symlink(target, &path).with_context(|| path.display().to_string())
    }

    /// Writes the completions of a program below `prefix`. `zsh` is the folder of zsh's scripts.
    pub fn completions(&self, prefix: &str, zsh: &str, program: &Program, name: &str) -> Result<()> {
        for (shell, path) in COMPLETIONS {
            let path = path.replace("{zsh}", zsh).replace("{}", name);
            self.write(&format!("{prefix}{path}"), program.completions(shell, name)?)?;
        }
        Ok(())
    }

    /// The paths of all files and links, sorted, relative to the folder.
    pub fn files(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                } else {
                    let path = entry.path();
                    found.push(path.strip_prefix(&self.root)?.display().to_string());
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn with_folder(&self, path: &str) -> Result<PathBuf> {
        let path = self.root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_links_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let tree = PackageFolder::new(folder.path().join("tree")).unwrap();
        tree.write("share/a", "a").unwrap();
        tree.write_gzip("share/b.gz", vec![b'b'; 1 << 20]).unwrap();
        tree.link("bin/c", "../share/a").unwrap();
        assert_eq!(tree.files().unwrap(), ["bin/c", "share/a", "share/b.gz"]);
        assert_eq!(fs::read(tree.root().join("bin/c")).unwrap(), b"a");
        let again = PackageFolder::new(tree.root().to_owned()).unwrap();
        assert!(again.files().unwrap().is_empty());
    }
}
