//! Codecs as users ask for them, and the language of `nccopy -F`.
//!
//! ```text
//! "v,2|1,5" ─► filter_argument (grammar: spec.pest) ─► AskedCodec ─► working ─► CodecSpec, as stored in a file
//!                                                  JSON text ◄─ json_text ─┘
//! ```

pub mod asked_codec;
pub mod filter_argument;
pub mod json_text;
pub mod working;

pub use filter_argument::{FilterRequest, Targets, parse, parse_filters};
