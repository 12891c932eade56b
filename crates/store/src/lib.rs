#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
//! Storage of bytes: local files, pipes, folders and memory, for reading and for writing.
//!
//! Readers use an [`Object`] (one sequence of bytes) or a [`KeyStore`] (many named values). Writers use an
//! [`Output`] or a [`KeyOutput`]; nothing is visible under the final name before commit or publish. An
//! [`Input`] is an input with a name, a [`Destination`] an output with a name.
//!
//! ```text
//! path ─► FileSource ────┐
//! pipe ─► ArrivingSource ┴─► Input ─► format::open       folder ─► DirectoryKeys ─► Input
//!
//! format::create ─► Destination ─┬─► FileOutput ──── partial file ── commit: sync, rename, sync the directory ─► path
//!                                └─► DirectoryOutput ── stage ── publish: sync, rename, sync the directory ─► folder
//!
//! .zst, .gz ─► open_compressed ─► Object                  compress_seekable ─► any Output
//! any Object ─► ZipKeys ─► Input                        Destination ─► ZipOutput ─ publish: directory, commit ─► any Output
//! ```
//!
//! - [`mod@io`]: what a dataset is read from and written to, and what stands beside it
//! - [`object`]: one sequence of bytes, also as a stream and in memory
//! - [`keys`]: many named values, and the names that mark what is not complete
//! - [`references`]: values that lie in other files
//! - [`requests`]: many requests at once, for stores whose answers take long
//! - [`mod@file`], [`folder`], [`zip`], [`zst`]: the media
//! - `growing`: local files and folders that grow where they are
//! - [`shared`]: what several processes write together
//! - [`threads`]: work on all threads, here because all crates above share it
//! - [`cache`]: what is kept for later, within limits

pub mod cache;
pub mod file;
pub mod folder;
mod growing;
pub mod io;
pub mod keys;
pub mod object;
pub mod references;
pub mod requests;
pub mod shared;
pub mod threads;
pub mod zip;
pub mod zst;

pub use cache::bounded_cache::BoundedCache;
pub use cache::lease_pool::{Lease, LeasePool};
pub use file::data_access::{DataAccess, Prefixes};
pub use file::external_files::LocalExternalFiles;
pub use file::family::FamilySource;
pub use file::file_output::FileOutput;
pub use file::file_pool::{FilePool, PooledFile};
pub use file::file_source::FileSource;
pub use file::lock::{HeldLock, check_unlocked};
pub use file::temporary::{no_room, room_for_temporary_files, temporary_file, temporary_folder};
pub use file::unfinished::remains::take_remains;
pub use folder::directory_keys::DirectoryKeys;
pub use folder::directory_output::{DirectoryOutput, FolderCheck};
pub use folder::late_listing::{LATEST_LISTING, lists_late};

pub use growing::{GrowingFile, GrowingFolder};
pub use io::destination::{Destination, DestinationKind};
pub use io::end_of_process::{NoPartialFiles, remove_partial_files};
pub use io::input::{ExternalFile, ExternalFiles, Input, InputKind, NamedAs, NoExternalFile};
pub use io::output::Output;
pub use io::query::{QueryServer, Question};
pub use io::raw_files::{RawData, RawFiles};
pub use io::run_name::new_run;
pub use io::sequential_output::SequentialOutput;
pub use io::sought::Sought;
pub use io::staged::{ReadBack, StagedKeys, StagedOutput};
pub use io::written_bytes::WrittenBytes;
pub use keys::key::{GROWING, PARTIAL, check_key};
pub use keys::key_object::KeyObject;
pub use keys::keys::{FailedKey, GrowingKeys, KeyOutput, KeyStore, ReservedKey, SWITCHING, ValueWriter};
pub use keys::memory_keys::{MemoryKeys, MemoryKeysOutput};
pub use keys::open_values::OpenValues;
pub use object::arriving::ArrivingSource;
pub use object::known_size::known_size;
pub use object::memory::MemoryOutput;
pub use object::object::{Object, ObjectState};
pub use object::object_stream::object_stream;
pub use object::open_stream::open_stream;
pub use object::read_ahead::read_ahead;
pub use object::spooled::SpooledSource;
pub use references::base64;
pub use references::icechunk::RepositoryOutput;
pub use references::{
    JsonReferenceOutput, ObjectVersion, ParquetReferenceOutput, Reference, ReferenceKeys, ReferenceSet,
    ReferenceTable, ReferencedArray, ReferencedObject, StoredRange, ValuePlace, read_kerchunk,
};
pub use requests::fetch_pool::{FetchPool, allocate};
pub use requests::fetch_queue::{Admitted, FetchQueue};
pub use requests::requests::{ByteRange, Done, FailedRequest, Get, GetRange, Requests, awaited};
pub use shared::shared_file::{CompletedFile, SharedFile, Spill};
pub use shared::shared_stage::SharedStage;
pub use threads::reorder_window::ReorderWindow;
pub use zip::zip_directory::ends_as_zip;
pub use zip::zip_keys::ZipKeys;
pub use zip::zip_output::ZipOutput;
pub use zst::compressed::{
    Content, open_compressed, open_compressed_dataset, open_damaged_compressed, verify_compressed,
};
pub use zst::zst_output::compress_seekable;
