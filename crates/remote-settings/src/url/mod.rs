//! Names of remote datasets: what a URL and its fragment mean. Nothing is looked up, no file is read.
//!
//! ```text
//! [key=value]…scheme://authority/path?query#fragment
//!       │                  │         │         │
//!       └──► words ◄───────┼─────────┼─────────┘
//!                          ▼         ▼
//!                  authority, hosts  key ──► RemoteUrl
//! ```
//!
//! | name | is |
//! | --- | --- |
//! | `s3://bucket/key`; `s3://host:port/bucket/key`, also with a host of AWS or Google | S3 |
//! | `http(s)://` with a host of AWS's S3, or with `mode=s3` | S3 |
//! | `gs://`, `gs3://bucket/key`, `http(s)://storage.googleapis.com/bucket/key`, `mode=gs3` | Google |
//! | `az://container/key`, `abfs(s)://container@account.dfs.core.windows.net/key`, `https://account.blob.core.windows.net/container/key` | Azure |
//! | other `http(s)://`, and those of object stores that have a query; `dods://`, `dap4://` | HTTP |
//!
//! A key after `s3://`, `gs://`, `gs3://`, `az://`, `abfs://` is taken as it is typed. One after `http(s)://` is decoded.

mod authority;
mod hosts;
mod key;
mod parse;
mod remote_url;
mod scheme;
mod shown;
mod words;

pub use key::{ESCAPED, below, decoded, escaped, joined};
pub(crate) use parse::path_of;
pub use parse::{parse, with_fragment};
pub use remote_url::{Asked, Endpoint, Form, Provider, ProviderParts, RemoteUrl, Style, Typed};
pub use scheme::{is_remote, scheme};
pub use shown::{hidden, shown};
pub use words::Pair;
