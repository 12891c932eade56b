//! Sessions: operations that are tried until they succeed, and how many are under way.
//!
//! ```text
//! Task, attempt ─► Session ─► Limiter: a turn ─► store ─► Failure ─► RetryConfig: wait, try again
//!                     │                           ▲
//!                     └─ SeenVersions             └─ Recipe: new keys, another region
//! ```
//!
//! `Session::tried` is the loop; `retry_config` has the numbers, and `limiter` what 429 and 503 change.

mod limiter;
mod recipe;
mod retry_config;
mod runtime;
mod seen_versions;
mod session;
mod store;
mod task;
mod version;

pub(crate) use limiter::Limiter;
pub(crate) use recipe::Recipe;
pub(crate) use retry_config::{RetryConfig, no_retries};
pub(crate) use runtime::runtime;
pub use session::Session;
pub(crate) use store::Behind;
pub use store::RemoteStore;
pub(crate) use task::Task;
pub(crate) use version::Version;
