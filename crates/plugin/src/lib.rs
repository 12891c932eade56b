//! Filters from shared libraries that were made for HDF5 or netCDF-C.
//!
//! ```text
//! Registry ─► PluginFinder ─► Directories ─► Library (dlopen) ─► FilterClass, ZarrClass
//!                  │                                                    │
//!                  └──────────► PluginCodec: Codec ──── calls ──────────┤
//!                                                                       ▼
//!                    context ◄── served: H5*, nc_inq_* ◄── callbacks of the plugin
//! ```
//!
//! A plugin for HDF5 asks libhdf5 for the type and shape of chunks, and gives it the parameters to store. This crate
//! serves these calls itself, by functions of HDF5's names: the dynamic linker lets symbols of the executable win over
//! those of libraries. No HDF5 library is needed, and one that a plugin brings is not used. A program must therefore
//! export the symbols, by the linker's option `--export-dynamic-symbol` in its `build.rs`.
//!
//! | file | content |
//! | --- | --- |
//! | `directories` | where plugins are looked for |
//! | `library` | one shared library: opens it, and finds the classes it has |
//! | `filter_class` | the filter interface of HDF5, H5Z |
//! | `zarr_class` | the codec interface of NCZarr |
//! | `context` | what a plugin may ask for during a call |
//! | `exit_guard` | notices that a plugin ends the program |
//! | `served` | the functions and objects that plugins use |
//! | `codec` | a plugin as a codec |
//! | `finder` | finds plugins for a registry |
//!
//! Foreign code runs here, so this crate has `unsafe` code. A plugin can do
//! anything that the program can.

mod codec;
mod context;
mod directories;
mod exit_guard;
mod filter_class;
mod finder;
mod libraries;
mod library;
mod served;
mod zarr_class;

pub use directories::{Directories, missing};
pub use finder::{Failure, Listed, PluginFinder};
pub use served::symbols;

/// True if this build of the program can load plugins. A program that is linked statically cannot.
pub const SUPPORTED: bool = cfg!(all(target_os = "linux", not(target_feature = "crt-static")));

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
