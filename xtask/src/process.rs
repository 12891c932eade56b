//! Runs commands that must succeed.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs a command, which must succeed.
///
/// # Errors
/// The command cannot be run, or fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

/// Runs a command, which must succeed, and returns its standard output.
///
/// # Errors
/// The command cannot be run, or fails.
pub fn output(command: &mut Command) -> Result<String> {
    let done = command
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !done.status.success() {
        bail!(
            "{command:?} failed: {}: {}",
            done.status,
            String::from_utf8_lossy(&done.stderr)
        );
    }
    Ok(String::from_utf8(done.stdout)?)
}
