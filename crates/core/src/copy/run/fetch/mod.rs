//! Fetching ahead: the input of a job is requested from a slow store before a thread takes the job.
//!
//! ```text
//! jobs, in order ─► admitted by the budget ─► Fetcher::fetch_chunks, _ranges, _records ─┐  up to 100 under way
//!                                                                                      ▼
//!                                   threads ◄── the first job that can run ◄── Arrivals
//! ```
//!
//! The requested bytes of a job count as its working memory, once, from the moment of the request.

mod arrivals;
mod fetched;
mod wants;

pub use arrivals::Arrivals;
pub use fetched::Fetched;
pub use wants::Wants;
