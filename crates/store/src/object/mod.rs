//! One object: a sequence of bytes that is read by position from many threads.
//!
//! ```text
//! Object ─► object_stream: front to back ─► pieces_ahead, read_ahead: slow stores are asked before the data is needed
//! pipe ─► arriving ─► spooled: kept in a temporary file, if it is too large for memory
//! ```

pub mod arriving;
pub mod known_size;
pub mod memory;
pub mod object;
pub mod object_stream;
pub mod pieces_ahead;
pub mod read_ahead;
pub mod spooled;
