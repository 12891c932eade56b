//! [`RemoteValue`]: a value of a tree that goes up while it is written.

use std::io;
use std::sync::Arc;

use super::multipart_upload::Upload;
use ncutils_store::ValueWriter;

/// A value that goes up while it is written.
pub(super) struct RemoteValue {
    pub(super) upload: Arc<Upload>,
    pub(super) is_finished: bool,
}

impl ValueWriter for RemoteValue {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.upload.write(offset, bytes)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.upload.set_size(size);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.upload.finish()?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for RemoteValue {
    fn drop(&mut self) {
        if !self.is_finished {
            // A tree aborts it again if this fails, and tells what stays.
            let _ = self.upload.abort();
        }
    }
}
