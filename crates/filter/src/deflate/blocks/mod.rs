//! Blocks of a deflate stream: those that are written here, and the joints of streams that others wrote.
//!
//! ```text
//! content ─► counts ─► huffman_code ─► block_header, literal_blocks, repeated_byte ─► bit_writer ─► bytes
//! libdeflate's stream ─► deflate_blocks: its last block is found, and made one that others follow
//! ```

pub mod bit_writer;
pub mod block_header;
pub mod deflate_blocks;
pub mod huffman_code;
pub mod literal_blocks;
pub mod repeated_byte;
