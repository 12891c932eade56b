//! `cargo xtask test`: the tests of all crates, then those against other programs.

use anyhow::Result;

use crate::interop::Extent;
use crate::process::succeed;
use crate::remote_tests::RemoteTests;
use crate::workspace::cargo;
use crate::{interop, servers};

/// Runs all tests.
///
/// # Errors
/// A test fails, or cannot be built.
pub fn run() -> Result<()> {
    // A wrong value is told before the unit tests, which take minutes.
    let remote = RemoteTests::asked()?;
    succeed(cargo().args(["test", "--locked", "--workspace", "--quiet"]))?;
    if remote.is_some() {
        servers::test()?;
    }
    interop::run(&[], Extent::Sample, remote)
}
