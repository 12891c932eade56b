//! Sessions: operations that are tried until they succeed, and how many are under way.
//!
//! ```text
//! Task, attempt ─► Session ─► Limiter: a turn ─► store ─► Failure ─► RetryConfig: wait, try again
//!                     │                           ▲
//!                     └─ SeenVersions             └─ Recipe: new keys, another region
//! ```

mod limiter;
mod recipe;
mod retry;
mod runtime;
mod seen_versions;
mod session;
mod store;
mod task;
mod version;

pub(crate) use recipe::Recipe;
pub(crate) use retry::RetryConfig;
pub(crate) use runtime::runtime;
pub use session::Session;
pub use store::RemoteStore;
pub(crate) use task::Task;
pub(crate) use version::Version;
