//! A family: one file in several members of one size, whose names differ in a number. HDF5's library divides files so.
//!
//! ```text
//! name%05d.h5 ─► name00000.h5, name00001.h5, … ─► one object
//! ```

use std::io;
use std::path::Path;

use super::file_source::FileSource;
use crate::Object;
use ncutils_model::error::{Error, Result};

/// Most members, each of which is an open file.
const MOST_MEMBERS: usize = 512;

/// The members of a family, joined.
#[derive(Debug)]
pub struct FamilySource {
    members: Vec<FileSource>,
    /// Bytes of each member but the last.
    member_size: u64,
    size: u64,
}

impl FamilySource {
    /// Opens the family of a name with one conversion of an integer, such as `name%05d.h5`. `None` if the name has none, or no
    /// file is its first member.
    ///
    /// # Errors
    /// If a member cannot be opened, has another size than those before it, or there are too many.
    pub fn open(name: &Path) -> Result<Option<Self>> {
        let Some(pattern) = name.to_str().and_then(Pattern::parse) else {
            return Ok(None);
        };
        let mut members = Vec::new();
        let (mut size, mut member_size) = (0u64, 0);
        loop {
            let path = pattern.member(members.len());
            let path = Path::new(&path);
            if !path.exists() {
                break;
            }
            if members.len() == MOST_MEMBERS {
                return Err(Error::Unsupported(format!(
                    "a family of more than {MOST_MEMBERS} files"
                )));
            }
            let member = FileSource::open(path)?;
            let length = crate::known_size(&member)?;
            match members.len() {
                0 => member_size = length,
                n if size != member_size.saturating_mul(n as u64) => {
                    return Err(Error::Damaged(format!(
                        "the members of the family before {} do not have {member_size} bytes each",
                        path.display()
                    )));
                }
                _ => {}
            }
            size = size.saturating_add(length);
            members.push(member);
        }
        Ok((!members.is_empty()).then_some(Self {
            members,
            member_size: member_size.max(1),
            size,
        }))
    }
}

impl Object for FamilySource {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let (mut at, mut rest) = (offset, buf);
        while !rest.is_empty() {
            let member = usize::try_from(at / self.member_size).unwrap_or(usize::MAX);
            let member = self.members.get(member).ok_or(io::ErrorKind::UnexpectedEof)?;
            let within = at % self.member_size;
            let room = usize::try_from(self.member_size - within).unwrap_or(usize::MAX);
            let (part, behind) = rest.split_at_mut(room.min(rest.len()));
            member.read_exact_at(within, part)?;
            at += part.len() as u64;
            rest = behind;
        }
        Ok(())
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.members.iter().try_for_each(Object::check_unchanged)
    }

    fn is_locked_for_writing(&self) -> Option<bool> {
        self.members.first()?.is_locked_for_writing()
    }
}

/// A name around a conversion of C, `%d` or `%05d`.
struct Pattern<'a> {
    before: &'a str,
    after: &'a str,
    width: usize,
    has_zeros: bool,
}

impl<'a> Pattern<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let (before, rest) = name.split_once('%')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (width, after) = rest.split_at_checked(digits)?;
        let after = after.strip_prefix('d').filter(|after| !after.contains('%'))?;
        let number = if width.is_empty() {
            Some(0)
        } else {
            width.parse().ok()
        };
        Some(Self {
            before,
            after,
            width: number.filter(|width| *width <= 20)?,
            has_zeros: width.starts_with('0'),
        })
    }

    fn member(&self, number: usize) -> String {
        let (before, after, width) = (self.before, self.after, self.width);
        match self.has_zeros {
            true => format!("{before}{number:0width$}{after}"),
            false => format!("{before}{number:width$}{after}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name);
        for (n, bytes) in ["abcd", "efgh", "ij"].iter().enumerate() {
            std::fs::write(name(&format!("f{n:03}.h5")), bytes).unwrap();
        }
        let family = FamilySource::open(&name("f%03d.h5")).unwrap().unwrap();
        assert_eq!(family.size().unwrap(), Some(10));
        let mut found = [0; 8];
        family.read_exact_at(1, &mut found).unwrap();
        assert_eq!(&found, b"bcdefghi");
        assert!(family.read_exact_at(3, &mut found).is_err());
        for other in [
            "f%d.h5",
            "f%3d.h5",
            "f%03d",
            "f%s.h5",
            "f%03d%d.h5",
            "f",
            "f%99999d",
        ] {
            assert!(FamilySource::open(&name(other)).unwrap().is_none(), "{other}");
        }
        std::fs::write(name("f001.h5"), "e").unwrap();
        let error = FamilySource::open(&name("f%03d.h5")).unwrap_err().to_string();
        assert!(error.contains("do not have 4 bytes each"), "{error}");
    }
}
