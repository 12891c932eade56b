//! Settings of S3: `~/.aws/config`, `~/.aws/credentials`, variables, and what the machine has.
//!
//! ```text
//! ~/.aws ─► ini ─► profiles ─┬─► choice: profile, region, endpoint
//! variables, rc files, URL ──┴─► credentials ─► credential_process: keys that a program prints, of the AWS CLI for SSO and roles
//! ```

mod choice;
pub(super) mod credential_process;
mod credentials;
mod ini;
mod profiles;

pub(super) use choice::settings;
