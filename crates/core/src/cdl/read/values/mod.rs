//! Values of variables: counted in the first pass over the text, parsed in the second.
//!
//! ```text
//! first pass:   list ─► measure ─► DataList: lengths, given regions, a ListEntry every 4 KiB of text
//! second pass:  DataList ─► list_reader ─┬─► values: numbers, by `constant`
//!                                        ├─► char_array: rows of characters
//!                                        └─► elements: any type
//! ```
//!
//! `lists` gives the reader of each list, and searches all of them for errors.

pub mod altered;
pub mod char_array;
pub mod data_list;
mod depth;
pub mod elements;
pub mod entry;
pub mod given;
pub mod levels;
pub mod list_reader;
pub mod lists;
pub mod measure;
pub mod miscount;
