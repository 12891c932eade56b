//! The digest of a plan: two processes with the same digest make parts of the same output.

use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

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
    let digest = hashed.0.finalize();
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
