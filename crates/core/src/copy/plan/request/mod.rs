//! What the user asks of a copy: the options, and the arguments that they are read from.
//!
//! ```text
//! -c ─► ChunkSpec, --shard ─► ShardSpec, --quantize ─► QuantizeRequest, --strlen ─► StringLength ─► CopyOptions
//! ```

mod chunk_spec;
mod external_parts;
mod lengths;
mod named_variables;
mod options;
mod quantize;
mod shard_spec;
mod string_length;

pub use chunk_spec::{Access, AskedLayout, ChunkSpec};
pub use named_variables::named_variables;
pub use options::{CopyOptions, Listed};
pub use quantize::QuantizeRequest;
pub use shard_spec::ShardSpec;
pub use string_length::StringLength;
