//! How a writer may add to a file.

use super::file::File;
use crate::error::{Error, Result};
use crate::metadata::NodeSizes;
use crate::writer::FileSettings;

impl File {
    /// The properties with which a [`FileWriter`](crate::FileWriter) adds to the file: everything new goes behind its end.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a file whose structures the writer's superblock cannot lead to: addresses or lengths of
    /// other than 8 bytes, nodes of B-trees of other than the usual size, or a driver of its own. The extension of the
    /// superblock is damaged.
    pub fn growing(&self) -> Result<FileSettings> {
        let superblock = self.superblock();
        let refuse = |what: &str| Err(Error::Unsupported(format!("adding to a file with {what}")));
        if (self.offset_size(), self.reader().length_size()) != (8, 8) {
            return refuse("addresses or lengths of other than 8 bytes");
        }
        if superblock.driver.is_some() {
            return refuse("a driver of its own, such as a family of files");
        }
        if superblock.node_sizes(self.reader())?.chunks != NodeSizes::default().chunks {
            return refuse("B-trees of chunks whose nodes have another size than libhdf5's default");
        }
        let end = self.reader().file_size();
        if end == u64::MAX {
            return refuse("an end that is not known");
        }
        Ok(FileSettings {
            user_block: self.user_block_size(),
            space: self.file_space(),
            behind: Some(end),
        })
    }
}
