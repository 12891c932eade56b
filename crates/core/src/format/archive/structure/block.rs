//! Block headers.
//!
//! ```text
//! stream u32 │ stored length u32 │ number u64 │ element 8 bytes │ run u32 │ mask u16 │ form u16 │ CRC-32 of stored bytes u32
//!            │ CRC-32 of the header u32
//! ```

use super::fields::{Fields, crc32, damaged};
use crate::error::Result;

/// Length of a block header, in bytes.
pub(crate) const HEADER: usize = 40;

/// The stream number of the header after the last block.
const END: u32 = u32::MAX;

/// The content of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Stored bytes: their length, the mask of skipped filters, their checksum.
    Stored { length: u32, mask: u16, crc: u32 },
    /// One element, repeated through this many blocks; shorter elements are padded with zeros.
    Repeated { element: [u8; 8], run: u32 },
}

/// The header of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub stream: u32,
    pub number: u64,
    pub content: Content,
}

/// What stands where a block header is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockOrEnd {
    Block(Header),
    /// The end of the blocks, and how many headers came before it.
    End(u64),
}

impl Header {
    /// Bytes that follow the header.
    pub fn stored(&self) -> usize {
        match self.content {
            Content::Stored { length, .. } => length as usize,
            Content::Repeated { .. } => 0,
        }
    }

    /// Number of blocks that the header stands for.
    pub fn run(&self) -> u64 {
        match self.content {
            Content::Stored { .. } => 1,
            Content::Repeated { run, .. } => run.into(),
        }
    }

    /// The header as bytes.
    pub fn encode(&self) -> [u8; HEADER] {
        encode(self.stream, self.number, self.content)
    }

    /// Fails if bytes that follow the header are not those that were written.
    pub fn check_stored(&self, stored: &[u8]) -> Result<()> {
        match self.content {
            Content::Stored { crc, .. } if crc32(stored) != crc => Err(damaged(format!(
                "the checksum of block {} of stream {} is wrong",
                self.number, self.stream
            ))),
            _ => Ok(()),
        }
    }
}

/// The header after the last of `count` block headers.
pub(crate) fn end(count: u64) -> [u8; HEADER] {
    let content = Content::Stored {
        length: 0,
        mask: 0,
        crc: 0,
    };
    encode(END, count, content)
}

fn encode(stream: u32, number: u64, content: Content) -> [u8; HEADER] {
    let (length, element, run, mask, form, crc) = match content {
        Content::Stored { length, mask, crc } => (length, [0; 8], 1, mask, 0u16, crc),
        Content::Repeated { element, run } => (0, element, run, 0, 1, 0),
    };
    let mut bytes = [0; HEADER];
    bytes[0..4].copy_from_slice(&stream.to_le_bytes());
    bytes[4..8].copy_from_slice(&length.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    bytes[16..24].copy_from_slice(&element);
    bytes[24..28].copy_from_slice(&run.to_le_bytes());
    bytes[28..30].copy_from_slice(&mask.to_le_bytes());
    bytes[30..32].copy_from_slice(&form.to_le_bytes());
    bytes[32..36].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32(&bytes[..36]);
    bytes[36..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Reads a block header.
///
/// # Errors
/// A wrong checksum or field.
pub(crate) fn decode(bytes: &[u8]) -> Result<BlockOrEnd> {
    let mut fields = Fields::new(bytes, "a block header");
    let (stream, length, number) = (fields.u32()?, fields.u32()?, fields.u64()?);
    let (element, run) = (fields.eight()?, fields.u32()?);
    let (mask, form, crc) = (fields.u16()?, fields.u16()?, fields.u32()?);
    if fields.u32()? != crc32(&bytes[..36]) {
        return Err(damaged("the checksum of a block header is wrong"));
    }
    let wrong = || {
        damaged(format!(
            "the header of block {number} of stream {stream} contradicts itself"
        ))
    };
    let content = match form {
        0 if run == 1 && element == [0; 8] => Content::Stored { length, mask, crc },
        1 if run > 0 && (length, mask, crc) == (0, 0, 0) => Content::Repeated { element, run },
        _ => return Err(wrong()),
    };
    match stream {
        END if encode(stream, number, content) == end(number) => Ok(BlockOrEnd::End(number)),
        END => Err(wrong()),
        _ => Ok(BlockOrEnd::Block(Header {
            stream,
            number,
            content,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_and_every_bit_counts() {
        let stored = Content::Stored {
            length: 77,
            mask: 3,
            crc: 9,
        };
        let repeated = Content::Repeated {
            element: *b"abcd\0\0\0\0",
            run: 12,
        };
        for content in [stored, repeated] {
            let header = Header {
                stream: 5,
                number: 1 << 40,
                content,
            };
            let bytes = header.encode();
            assert_eq!(decode(&bytes).unwrap(), BlockOrEnd::Block(header));
            for bit in 0..HEADER * 8 {
                let mut flipped = bytes;
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(decode(&flipped).is_err(), "{bit}");
            }
        }
        assert_eq!(decode(&end(8)).unwrap(), BlockOrEnd::End(8));
    }
}
