//! A local file as source and sink.

use std::fs::File;
use std::io;

use super::byte_sink::ByteSink;
use super::byte_source::ByteSource;

impl ByteSource for File {
    /// Length of a regular file; `None` for others, such as devices.
    fn size(&self) -> io::Result<Option<u64>> {
        let metadata = self.metadata()?;
        Ok(metadata.is_file().then_some(metadata.len()))
    }

    #[cfg(unix)]
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buf, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        let (mut offset, mut buf) = (offset, buf);
        while !buf.is_empty() {
            match self.seek_read(buf, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    buf = buf.get_mut(n..).unwrap_or_default();
                    offset = offset.saturating_add(n as u64);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

impl ByteSink for File {
    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    #[cfg(unix)]
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, data, offset)
    }

    #[cfg(windows)]
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        let (mut offset, mut data) = (offset, data);
        while !data.is_empty() {
            match self.seek_write(data, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => {
                    data = data.get(n..).unwrap_or_default();
                    offset = offset.saturating_add(n as u64);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_and_read_at_positions() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(3, b"abc").unwrap();
        file.set_size(8).unwrap();
        assert_eq!(file.size().unwrap(), Some(8));
        let mut found = [9; 6];
        ByteSource::read_exact_at(&file, 2, &mut found).unwrap();
        assert_eq!(found, *b"\0abc\0\0");
        let failed = ByteSource::read_exact_at(&file, 3, &mut found).unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::UnexpectedEof);
    }
}
