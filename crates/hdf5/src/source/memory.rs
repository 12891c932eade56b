//! Bytes in memory as a source.

use std::io;

use super::byte_source::ByteSource;

impl ByteSource for [u8] {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buf.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buf.copy_from_slice(bytes);
        Ok(())
    }
}

impl ByteSource for Vec<u8> {
    fn size(&self) -> io::Result<Option<u64>> {
        self.as_slice().size()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.as_slice().read_exact_at(offset, buf)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ReadRequest;
    use super::*;

    #[test]
    fn several_reads_at_once_fill_their_buffers_or_fail() {
        static BYTES: [u8; 5] = [0, 1, 2, 3, 4];
        let source: &'static [u8] = &BYTES;
        let (mut a, mut b) = ([9; 2], [9; 3]);
        let mut reads = [ReadRequest::new(3, &mut a), ReadRequest::new(1, &mut b)];
        source.read_many_at(&mut reads).unwrap();
        assert_eq!((a, b), ([3, 4], [1, 2, 3]));
        let mut reads = [ReadRequest::new(0, &mut a), ReadRequest::new(4, &mut b)];
        let failed = source.read_many_at(&mut reads).unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::UnexpectedEof);
        assert!(source.read_exact_at(u64::MAX, &mut a).is_err());
    }
}
