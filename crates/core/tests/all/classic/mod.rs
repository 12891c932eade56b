//! Classic files written and read back: random schemas and data, in any order of writing; damaged files; large ones.

mod damaged;
mod files;
mod round_trip;
mod special;
