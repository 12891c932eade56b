//! Copies HDF5 as it is, below netCDF's data model: every object, link, attribute and datatype.
//!
//! ```text
//! File ─► hierarchy: objects, each once ─┬─► specs: headers, to the bit, with references to the copies ─┐
//!                                        │                                                              ├─► Netcdf4Writer
//!                                        ├─► schema: datasets as variables ─► plan, prepare, run ───────┘
//!                                        └─► addressed: datasets whose elements hold addresses ─────────┘
//! ```
//!
//! netCDF's schema says less than an HDF5 file, so headers do not go through it. Data does: a dataset whose elements hold no
//! addresses is a variable of a schema made for the copy, so that the engine of all copies moves it, with its options. Elements
//! with addresses (variable-length data, references) are rewritten one dataset after another.
//!
//! A file that [grows](grow) has the same headers, too.

mod addressed;
mod attachments;
mod copy;
mod damage;
mod empty;
mod growth;
mod hierarchy;
mod names;
mod others;
mod schema;
mod selection;
mod sources;
mod specs;
mod variable;

pub use self::empty::{EmptyPart, EmptyShapes};
pub use self::growth::grow;
pub use self::names::HardLinkNames;
pub use self::others::OtherDataset;
pub use self::selection::Selection;
pub use self::sources::find_source;
pub use self::variable::Variable;
pub use copy::Verbatim;
