//! Blocks of a deflate stream: those that are written here, and the joints of streams that others wrote.
//!
//! ```text
//! content ─► counts ─► byte_runs ─► huffman_code ─► block_header, literal_blocks, repeated_byte ─► bit_writer ─► bytes
//! a few bytes ─► fixed_codes ─► bit_writer ─► bytes
//! libdeflate's stream ─► last_block: found, and made one that others follow
//! stream ─► stream_bits ─► block_lengths ─► lengths of codes
//! ```

pub mod bit_writer;
pub mod block_header;
pub mod block_lengths;
pub mod byte_runs;
pub mod fixed_codes;
pub mod huffman_code;
#[cfg(test)]
mod inflated;
pub mod last_block;
pub mod literal_blocks;
pub mod match_symbols;
pub mod repeated_byte;
pub mod stored_blocks;
pub mod stream_bits;
