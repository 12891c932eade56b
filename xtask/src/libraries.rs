//! The commands that call our libraries, in an xtask that is linked with them.
//!
//! ```text
//! cargo xtask bench ─► xtask without libraries ─► cargo run --features libraries ─► xtask with libraries ─► bench
//! ```

use anyhow::Result;

#[cfg(not(feature = "libraries"))]
use crate::process::succeed;
#[cfg(not(feature = "libraries"))]
use crate::workspace::{cargo, root};
#[cfg(feature = "libraries")]
use crate::{bench, fuzz};

/// Runs a command that calls our libraries.
#[cfg(feature = "libraries")]
pub fn with_libraries(_: &str, arguments: &[String]) -> Result<()> {
    let rest = arguments.get(1..).unwrap_or_default();
    match arguments.first().map(String::as_str) {
        Some("bench") => bench::run(rest),
        Some("fuzz") => fuzz::run(rest),
        _ => fuzz::worker(rest),
    }
}

/// Settings of glibc's allocator for `bench filters`, by environment variables. `tests/bench/filters.py` makes the same by
/// `mallopt`. liblzma and libbzip2 allocate megabytes for each chunk, whose pages would else be mapped anew.
#[cfg(not(feature = "libraries"))]
const ALLOCATOR: [(&str, &str); 2] = [
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TRIM_THRESHOLD_", "1073741824"),
];

/// Runs a command that calls our libraries, in an xtask that is linked with them.
#[cfg(not(feature = "libraries"))]
pub fn with_libraries(profile: &str, arguments: &[String]) -> Result<()> {
    // Keep the current folder: arguments may be relative paths.
    let folder = std::env::current_dir()?;
    let manifest = root().join("Cargo.toml");
    let is_filters = matches!(arguments, [bench, filters, ..] if bench == "bench" && filters == "filters");
    let settings = ALLOCATOR.iter().filter(|_| is_filters);
    succeed(
        cargo()
            .envs(settings.copied())
            .args([
                "run",
                "--locked",
                "--quiet",
                "--package",
                "xtask",
                "--features",
                "libraries",
                "--profile",
                profile,
            ])
            .arg("--manifest-path")
            .arg(manifest)
            .arg("--")
            .args(arguments)
            .current_dir(folder),
    )
}
