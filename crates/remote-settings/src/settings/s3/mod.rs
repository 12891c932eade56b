//! Settings of S3: `~/.aws/config`, `~/.aws/credentials`, variables, and what the machine has.
//!
//! ```text
//! ~/.aws ─► ini ─► profiles ─┬─► choice: profile, region, endpoint
//! variables, rc files, URL ──┴─► credentials
//! ```

mod choice;
mod credentials;
mod ini;
mod profiles;

pub(super) use choice::settings;
