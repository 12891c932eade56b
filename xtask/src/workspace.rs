//! Where the workspace is, and its cargo.

use std::path::PathBuf;
use std::process::Command;

/// The root of the workspace.
///
/// Cargo names it when it runs this program. The folder of the build is not asked, as a target folder may have been copied
/// from another checkout.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR");
    package
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from)
        .join("..")
}

/// The cargo that runs this program, in the root of the workspace.
///
/// The variables that describe this package are removed. Build scripts watch them, ring's for one, so that a build from a shell
/// and one from here would each build again what the other built.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let of_this_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(of_this_package) {
            command.env_remove(name);
        }
    }
    command.current_dir(root());
    command
}
