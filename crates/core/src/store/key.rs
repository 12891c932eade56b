//! What a key may look like, so that it can be the name of a file.

use std::io;

/// The longest key, in bytes; that of S3.
const LONGEST: usize = 1024;

/// The longest part of a key between two `/`, in bytes: the longest file name of the file systems in use.
const LONGEST_PART: usize = 255;

/// How files begin that are not values: those being written, and stages.
pub(super) const RESERVED: &str = ".ncutils-partial-";

/// Refuses keys that are no path below a folder.
///
/// # Errors
/// `InvalidInput` for empty keys and parts, `.` and `..`, absolute paths, NUL, and what is too long.
pub(super) fn check_key(key: &str) -> io::Result<()> {
    let refuse = |why: &str| {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the key {key:?} {why}"),
        ))
    };
    if key.len() > LONGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("a key of {} bytes is longer than {LONGEST}", key.len()),
        ));
    }
    if key.contains('\0') {
        return refuse("has a NUL");
    }
    for part in key.split('/') {
        match part {
            "" => return refuse("has an empty part"),
            "." | ".." => return refuse("is not a path below the dataset"),
            _ if part.len() > LONGEST_PART => return refuse("has a part that no file can be named"),
            _ if part.starts_with(RESERVED) => return refuse("has a part reserved for partial files"),
            _ => {}
        }
    }
    Ok(())
}

/// The folder that holds all keys with this prefix: what stands before its last `/`. Empty for the whole store.
///
/// # Errors
/// As [`check_key`] for that folder.
pub(super) fn folder_of_prefix(prefix: &str) -> io::Result<&str> {
    match prefix.rsplit_once('/') {
        None => Ok(""),
        Some((folder, _)) => check_key(folder).map(|()| folder),
    }
}

/// The part of a value that is wanted, where it is in memory.
pub(super) fn part_of(value: &[u8], part: super::Part) -> &[u8] {
    match part {
        super::Part::Whole => value,
        super::Part::Range(range) => {
            let from = usize::try_from(range.offset).map_or(value.len(), |n| n.min(value.len()));
            let to = from.saturating_add(range.length).min(value.len());
            &value[from..to]
        }
        super::Part::Suffix(length) => &value[value.len().saturating_sub(length)..],
    }
}

#[cfg(test)]
pub(super) const HOSTILE: [&str; 13] = [
    "",
    "/",
    "/etc/passwd",
    "..",
    "../x",
    "a/../../x",
    "a/./b",
    "a//b",
    "a/",
    "a\0b",
    ".",
    "./a",
    ".ncutils-partial-1-2/a",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_keys_are_refused() {
        for key in HOSTILE
            .into_iter()
            .map(str::to_owned)
            .chain(["a".repeat(256), vec!["a"; 600].join("/")])
        {
            assert_eq!(
                check_key(&key).unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{key:?}"
            );
        }
        for key in ["a", "a/b", ".zgroup", "a..b/...", "ä/c/0/0"] {
            check_key(key).unwrap();
        }
        assert_eq!(folder_of_prefix("a/b/c").unwrap(), "a/b");
        assert_eq!(
            folder_of_prefix("../").unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
    }
}
