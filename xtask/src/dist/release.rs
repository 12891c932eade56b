//! The release that packages are of: its version, and the time of their files.

use std::process::Command;

use crate::process::output;
use crate::workspace::root;

/// The time, in seconds since 1970, of sources that are not in a repository: 2026-01-01.
const WITHOUT_HISTORY: &str = "1767225600";

/// The version of the workspace.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The time of all files in packages, in seconds since 1970: that of the last commit. So the same sources make the same package.
pub fn time() -> String {
    let told = output(
        Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(root()),
    );
    told.map_or_else(|_| WITHOUT_HISTORY.to_owned(), |told| told.trim().to_owned())
}
