//! [`Settings`]: how a remote store is reached, and where each setting is from.
//!
//! ```text
//!              ┌─► fragment: aws.profile, aws.region, aws.endpoint
//! RemoteUrl ───┤
//!              └─► host, port, path ─► RcFiles: .ncrc, .daprc, .dodsrc ─┐
//! Environment ─┬─► variables ───────────────────────────────────────────┼─► Settings
//!              └─► ~/.aws/config, credentials ─► ini ─► Profiles ───────┘
//! ```
//!
//! `resolve` begins: `Settings::of` asks `s3`, `gcs`, `azure` or `http` for endpoint and credentials, then `tls` and `proxy`. They look
//! at `Sources`, and a `Chosen` value keeps where it is from.
//!
//! | setting | the first of |
//! | --- | --- |
//! | profile | `aws.profile=`, rc `AWS.PROFILE`, `AWS_PROFILE`, `default`; `no` and `none` are anonymous |
//! | credentials of S3 | a profile that the fragment or an rc file names, `AWS_ACCESS_KEY_ID`, the profile (its role, SSO or login session by the AWS CLI; its keys; its `credential_process`), and on AWS's hosts web identity, container, instance role; anonymous |
//! | region | the host of AWS, `aws.region=`, another host, rc `AWS.REGION`, profile, `AWS_REGION`, `AWS_DEFAULT_REGION`, us-east-1 |
//! | endpoint | host, `aws.endpoint=`, rc `AWS.ENDPOINT`; unless `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` is true `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, profile; that of AWS for the region |
//!
//! `credential_kinds` lists the kinds; those of S3 are found in `s3/credentials`.
//!
//! A file or value that is malformed is an error that names it. Nothing is dropped silently.

mod azure;
mod chosen;
mod credential_kinds;
mod endpoint;
mod gcs;
mod http;
mod netrc;
mod proxy;
mod rc_files;
mod resolve;
mod s3;
mod sources;
mod tls;

pub use chosen::Chosen;
pub use credential_kinds::{Configured, Credentials, MetadataToken};
pub use netrc::NetRc;
pub use proxy::Proxy;
pub use rc_files::rc_value;
pub use resolve::{Settings, http_url};
pub use s3::credential_process::{AccessKeys, CredentialProcess};

pub use sources::OfProvider;
pub use tls::{ClientCertificate, Roots, Tls};
