//! Reads the whole file, and finds where structures begin.

use super::old_header;
use crate::error::Result;
use crate::metadata::MetadataReader;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// Bytes behind a piece that are read with it, so that each structure that begins in the piece can be recognized.
const OVERLAP: usize = 32;

/// Bytes that are read at once of a piece which cannot be read as a whole.
const SECTOR: usize = 4096;

/// Most structures that are noted. A file of 2 GB full of metadata has about as many.
const MOST: usize = 1 << 21;

/// Addresses where structures begin, in ascending order.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Of all structures with a signature.
    all: Vec<u64>,
    /// Version 2 object headers.
    pub(super) headers: Vec<u64>,
    /// What may be version 1 object headers.
    pub(super) old_headers: Vec<u64>,
    /// Continuation blocks of version 2 object headers.
    pub(super) header_blocks: Vec<u64>,
    /// Nodes of version 1 B-trees.
    pub(super) tree_nodes: Vec<u64>,
    /// Symbol table nodes.
    pub(super) symbol_nodes: Vec<u64>,
    /// Direct blocks of fractal heaps.
    pub(super) direct_blocks: Vec<u64>,
    /// Nodes of version 2 B-trees.
    pub(super) record_nodes: Vec<u64>,
    /// Blocks of fixed and extensible arrays.
    pub(super) array_blocks: Vec<u64>,
}

impl Scan {
    /// Scans the file of `reader`. Holes are skipped, and so is what a disk cannot read.
    ///
    /// # Errors
    /// A slow source failed, such as a server.
    pub(super) fn of(reader: &MetadataReader) -> Result<Self> {
        let mut scan = Self::default();
        let end = reader.file_size();
        // A source that does not know its size tells it in the superblock, or cannot be scanned.
        if end == u64::MAX {
            return Ok(scan);
        }
        let mut buffer = vec![0; PIECE + OVERLAP];
        let mut at = 0;
        while at < end && scan.all.len() + scan.old_headers.len() < MOST {
            at = reader.next_data("raw data", at)?;
            let length = end.saturating_sub(at).min(buffer.len() as u64) as usize;
            let piece = buffer.get_mut(..length).unwrap_or_default();
            read(reader, at, piece)?;
            scan.piece(at, piece, end);
            at = at.saturating_add(PIECE as u64);
        }
        Ok(scan)
    }

    /// The first structure behind `address`, at most `most` bytes from there.
    pub(super) fn room(&self, address: u64, most: u64, reader: &MetadataReader) -> usize {
        let next = self.all.partition_point(|other| *other <= address);
        let end = self.all.get(next).copied().unwrap_or(u64::MAX);
        let end = end.min(reader.file_size()).min(address.saturating_add(most));
        usize::try_from(end.saturating_sub(address)).unwrap_or(0)
    }

    fn piece(&mut self, address: u64, bytes: &[u8], end: u64) {
        for (n, window) in bytes.windows(4).take(PIECE).enumerate() {
            let [first, ..] = window else { continue };
            let at = address.saturating_add(n as u64);
            let list = match first {
                b'O' if window == b"OHDR" => Some(&mut self.headers),
                b'O' if window == b"OCHK" => Some(&mut self.header_blocks),
                b'T' if window == b"TREE" => Some(&mut self.tree_nodes),
                b'S' if window == b"SNOD" => Some(&mut self.symbol_nodes),
                b'F' if window == b"FHDB" => Some(&mut self.direct_blocks),
                b'F' if window == b"FADB" => Some(&mut self.array_blocks),
                b'E' if [b"EAIB", b"EASB", b"EADB"].contains(&as_array(window)) => {
                    Some(&mut self.array_blocks)
                }
                b'F' if [b"FRHP", b"FHIB", b"FAHD"].contains(&as_array(window)) => None,
                b'B' if [b"BTIN", b"BTLF"].contains(&as_array(window)) => Some(&mut self.record_nodes),
                b'B' if window == b"BTHD" => None,
                b'E' if window == b"EAHD" => None,
                b'H' if window == b"HEAP" => None,
                b'G' if window == b"GCOL" => None,
                1 => {
                    let start = bytes.get(n..).unwrap_or_default();
                    if old_header::may_begin(start, end.saturating_sub(at)) {
                        self.old_headers.push(at);
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(list) = list {
                list.push(at);
            }
            self.all.push(at);
        }
    }
}

fn as_array(window: &[u8]) -> &[u8; 4] {
    window.first_chunk().unwrap_or(&[0; 4])
}

/// Reads a piece, with zeros where a disk cannot read it.
fn read(reader: &MetadataReader, address: u64, piece: &mut [u8]) -> Result<()> {
    match reader.read_raw("raw data", address, piece) {
        Ok(()) => return Ok(()),
        Err(error) if reader.is_slow() => return Err(error),
        Err(_) => {}
    }
    let mut at = address;
    for sector in piece.chunks_mut(SECTOR) {
        if reader.read_raw("raw data", at, sector).is_err() {
            sector.fill(0);
        }
        at = at.saturating_add(SECTOR as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn signatures_are_found_at_any_address_and_between_pieces() {
        let mut file = vec![0xee; 2 * PIECE + 500];
        let places = [0, 7, PIECE - 2, PIECE + 1000, 2 * PIECE + 496];
        for at in places {
            file[at..at + 4].copy_from_slice(b"OHDR");
        }
        file[301..305].copy_from_slice(b"BTLF");
        let reader = MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap();
        let scan = Scan::of(&reader).unwrap();
        assert_eq!(scan.headers, places.map(|at| at as u64));
        assert_eq!(scan.room(7, 1000, &reader), 294);
        assert_eq!(scan.room(301, 1000, &reader), 1000);
        assert_eq!(scan.room(2 * PIECE as u64 + 496, 1000, &reader), 4);
    }
}
