//! Finds objects by path.

use super::file::File;
use super::object::{Object, ObjectKind};
use crate::error::{Error, Result};
use crate::group::LinkTarget;

/// The end of a path, as far as it is in one file.
#[derive(Debug, Clone)]
pub enum Followed {
    /// The object.
    Object(Object),
    /// The path leads through an external link.
    Elsewhere {
        /// Name of the other file, as stored.
        file: String,
        /// The rest of the path, from the root of the other file.
        path: String,
    },
}

impl File {
    /// The object at a path from the root, such as `/group/dataset`. The leading `/` may be left out. Hard and soft
    /// links are followed.
    ///
    /// Every group on the path is read completely. To open many objects, use the [`links`](Self::links) of their group.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such object; [`Error::Limit`] for more soft links than the
    /// [limits](crate::Limits::links_followed) allow, for example in a cycle; [`Error::Unsupported`] for an external or
    /// user-defined link in the path.
    ///
    /// ```
    /// # fn main() -> ncutils_hdf5::Result<()> {
    /// # let bytes = std::fs::read("tests/data/chunk_indexes_latest.h5").unwrap();
    /// let file = ncutils_hdf5::File::open(bytes)?;
    /// let dataset = file.dataset(&file.open_path("/small")?)?;
    /// println!("{:?}", dataset.dataspace.dims());
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_path(&self, path: &str) -> Result<Object> {
        match self.follow_path(path)? {
            Followed::Object(object) => Ok(object),
            Followed::Elsewhere { file, .. } => Err(Error::Unsupported(format!(
                "`{path}`, which leads into the file `{file}`,"
            ))),
        }
    }

    /// Like [`open_path`](Self::open_path), as far as the path stays in this file.
    ///
    /// # Errors
    /// Those of [`open_path`](Self::open_path), but for external links.
    pub fn follow_path(&self, path: &str) -> Result<Followed> {
        let limits = self.reader().limits();
        let mut bytes_left = limits.path_bytes;
        let mut links_left = limits.links_followed;
        // Names still to follow, the next one last.
        let mut names = Vec::new();
        let mut group = self.object(self.root())?;
        let mut push = |names: &mut Vec<String>, part: &str| {
            let left = bytes_left.checked_sub(part.len());
            bytes_left = left.ok_or_else(|| {
                Error::Limit(format!(
                    "the path of an object is longer than {} bytes",
                    limits.path_bytes
                ))
            })?;
            names.extend(part.rsplit('/').map(str::to_owned));
            Ok(())
        };
        push(&mut names, path)?;
        while let Some(name) = names.pop() {
            if name.is_empty() || name == "." {
                continue;
            }
            if group.kind != ObjectKind::Group {
                return Err(Error::NotFound(format!(
                    "`{path}`: what should hold `{name}` is not a group"
                )));
            }
            let links = self.links(&group)?.links;
            let Some(link) = links.into_iter().find(|link| link.name == name) else {
                return Err(Error::NotFound(format!("`{path}`: there is no `{name}`")));
            };
            match link.target {
                LinkTarget::Hard(address) => group = self.object(address)?,
                LinkTarget::Soft(target) => {
                    links_left = links_left.checked_sub(1).ok_or_else(|| {
                        Error::Limit(format!(
                            "`{path}` leads through more than {} soft links",
                            limits.links_followed
                        ))
                    })?;
                    if target.starts_with('/') {
                        group = self.object(self.root())?;
                    }
                    push(&mut names, &target)?;
                }
                LinkTarget::External { file, path } => {
                    names.push(path);
                    names.reverse();
                    return Ok(Followed::Elsewhere {
                        file,
                        path: names.join("/"),
                    });
                }
                LinkTarget::UserDefined { class, .. } => {
                    return Err(Error::Unsupported(format!(
                        "`{path}`, which leads through a link of type {class},"
                    )));
                }
            }
        }
        Ok(Followed::Object(group))
    }
}
