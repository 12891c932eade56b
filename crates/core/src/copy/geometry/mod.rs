//! Where the elements of a copy are: in the input, in the output, and on the way.
//!
//! ```text
//! sources ─► input ─┬─► aligned: output chunks have the shape of input chunks
//!                   └─► tiling: they have another ─► order: blocks of chunks ─► scatter: elements to their chunks
//! ```

mod aligned;
mod byte_order;
mod chunks_to_write;
mod input_mapping;
mod input_mappings;
mod order;
mod scatter;
mod sources;
mod tiling;

pub use aligned::AlignedGrids;
pub use byte_order::{swap_between, unit};
pub use chunks_to_write::{ChunksToWrite, positions_of};
pub use input_mapping::{FurtherInput, InputMapping, InputVariable};
pub use input_mappings::InputMappings;
pub use order::{Block, BlockOrder};
pub use scatter::{InputBox, Slots, scatter};
pub use sources::{SourcePart, Sources};
pub use tiling::{Tiling, elements, shard_chunks};
