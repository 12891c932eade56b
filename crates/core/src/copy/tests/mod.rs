//! Copies between a reader and a writer in memory.

mod borders;
mod budget;
mod ends;
mod failures;
mod in_memory;
mod masks;
mod model;
mod parts;
mod progress;
mod records;
mod report;
mod routes;
mod selections;
mod several_readers;
mod shards;
mod skip_fill;
mod slow;
mod text;
