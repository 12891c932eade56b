//! A dataset that is open for reading.
//!
//! ```text
//! Reader: schema, layouts, ranges, regions ── extensions ─► chunks, places, records, fetch, sources, elements, check, cache
//!                                                 ▲
//!                 asked: methods of dyn Reader ───┘   answers for readers that lack one
//!
//! OverSources: a reader over others passes their virtual sources on
//! ReaderPool: many readers, of which few are open ─► PooledReader, given back when it is dropped
//! ```

mod asked;
mod extensions;
mod known_variable;
mod over_sources;
mod pool;
#[expect(
    clippy::module_inception,
    reason = "named for what it holds, as every file is"
)]
mod reader;
mod space;

pub use extensions::{
    ChangingSource, ChunkPlace, ChunkReader, DecodedCache, ElementCodecs, Fetcher, Needs, OtherFiles,
    PlaceObject, RecordReader, SteppedReader, StoredPlace, StoredPlaces, StructureCheck, VirtualSources,
};
pub use known_variable::KnownVariable;
pub use over_sources::OverSources;
pub use pool::{PooledReader, ReaderPool};
pub use reader::{Extensions, Reader};
pub use space::{Space, SpaceSurvey, VariableSpace};
