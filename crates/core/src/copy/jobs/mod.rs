//! The work of a copy, cut into jobs of bounded memory.
//!
//! Jobs come in sequence order. Small chunks are grouped into jobs of about [`BATCH`](terms::BATCH) bytes. A large
//! block becomes several jobs that fill it, followed by jobs that empty it.
//!
//! ```text
//! Variable ─► schedule ─┬─► chunk_jobs    chunks of the same shape, ranges     ┐
//!                       ├─► block_jobs    chunks of another shape: pieces of   │
//!                       │                 input, a shared block, a spill       ├─► job, with its memory
//!                       ├─► value_jobs    elements that must be converted      │
//!                       └─► record_jobs   bands of record variables            ┘
//! ```

mod block_jobs;
mod chunk_jobs;
mod job;
mod job_memory;
mod pieces;
mod record_job;
mod record_jobs;
mod schedule;
mod shared_block;
mod spill;
mod terms;
mod value_jobs;

pub use job::{Job, Jobs, Spilling};
pub use job_memory::{PIECE, chunk_bytes};
pub use pieces::{PieceOfInput, pieces};
pub use record_job::{RecordJob, RecordPart, TRANSPOSED};
pub use record_jobs::decoded_chunk_bytes;
pub use schedule::{jobs, memory};
pub use shared_block::SharedBlock;
pub use spill::Spill;
pub use terms::Terms;
