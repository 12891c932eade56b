//! How a variable is stored, in terms that every format shares.
//!
//! ```text
//! VariableLayout ─┬─ storage: compact, contiguous, chunked, blocks
//!                 ├─ codecs: CodecSpec, as the file names them
//!                 ├─ encoding, byte order, fill
//!                 ├─ chunk keys (Zarr)
//!                 └─ external parts (HDF5)
//! SharedLayout: one layout of many variables
//! ```

mod chunk_keys;
mod codec;
mod external;
#[expect(
    clippy::module_inception,
    reason = "a folder's main file has the folder's name"
)]
mod layout;
mod shared_layout;

pub use chunk_keys::{ChunkKeys, KeySeparator};
pub use codec::{CodecSpec, Configuration, ZarrVersion};
pub use external::ExternalPart;
pub use layout::{
    AllocationTime, EdgeChunks, Encoding, Endian, Fill, FillState, FillTime, IndexLocation, Storage,
    VariableLayout,
};
pub use shared_layout::{SharedLayout, SharedLayouts};
