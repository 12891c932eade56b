//! The digest of a plan: two processes with the same digest make parts of the same output. For a job of files, it is that of the
//! inputs and the arguments.

use std::ffi::OsString;
use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

use super::input_identity::InputIdentity;
use crate::copy::{CopyPlan, Prepared};

/// What is written is hashed.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// The SHA-256 of the output's schema and of everything that is done for it, cut into `parts` parts, in hexadecimal digits. Only
/// programs of the same version agree on it.
pub fn plan_digest(plan: &CopyPlan, prepared: &Prepared, parts: u64) -> String {
    let mut hashed = Hashed(Sha256::new());
    let version = env!("CARGO_PKG_VERSION");
    // Nothing fails where nothing but a hash is written to.
    let _ = write!(hashed, "{version} {parts} {:?} {prepared:?}", plan.schema);
    digits(hashed)
}

/// The SHA-256 of a job that copies whole inputs: their names, and the options of the copies.
pub fn files_digest(inputs: &[InputIdentity], arguments: &[OsString]) -> String {
    let mut hashed = Hashed(Sha256::new());
    let version = env!("CARGO_PKG_VERSION");
    let _ = write!(hashed, "{version} {inputs:?} {arguments:?}");
    digits(hashed)
}

fn digits(hashed: Hashed) -> String {
    let digest = hashed.0.finalize();
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
