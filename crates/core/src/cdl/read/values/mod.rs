//! Values of variables: counted in the first pass over the text, read in the second.
//!
//! ```text
//! first pass:   measure ─► given (elements there are), entry (where every 4 KiB begins) ─► data_list
//! second pass:  data_list ─► list_reader ─┬─► numbers, char_array
//!                                         └─► elements: any other type
//! ```

pub mod char_array;
pub mod data_list;
pub mod elements;
pub mod entry;
pub mod given;
pub mod levels;
pub mod list_reader;
pub mod measure;
