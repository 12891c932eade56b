//! What the writer writes, the reader reads.

mod any_tree;
mod objects;
mod refused;
mod round_trip;
mod sizes;
