//! Codecs as users ask for them, and the language of `nccopy -F`.
//!
//! ```text
//! "v,2|1,5" ─► spec (grammar: spec.pest) ─► AskedCodec ─► working ─► CodecSpec, as stored in a file
//!                                                  JSON text ◄─ json_text ─┘
//! ```

pub mod asked_codec;
pub mod json_text;
pub mod spec;
pub mod working;

pub use self::spec::{FilterRequest, Targets, parse, parse_filters};
