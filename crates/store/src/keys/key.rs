//! The rules for keys, which make every key usable as a path of files.

use std::io;

/// Most bytes in a key: S3's limit.
const LONGEST: usize = 1024;

/// Most bytes in a part of a key between two `/`: the usual limit of file names.
const LONGEST_PART: usize = 255;

/// The key of a tree that is not whole: it comes first and is deleted last, where nothing can be renamed.
pub const PARTIAL: &str = ".ncutils-partial";

/// The key of a tree that another dataset is being added to. Its value tells how to undo what is done of it.
pub const GROWING: &str = ".ncutils-growing";

/// Prefix of file names that are no keys: unfinished values, and stages.
pub const RESERVED: &str = ".ncutils-partial-";

/// Refuses a key that is not a path below a folder.
///
/// # Errors
/// `InvalidInput` for an empty key or part, `.`, `..`, an absolute path, a NUL, a reserved name, or a key
/// that is too long.
pub fn check_key(key: &str) -> io::Result<()> {
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

/// The folder that holds all keys with this prefix: the text before its last `/`. Empty for the whole store.
///
/// # Errors
/// As [`check_key`], for that folder.
pub(crate) fn folder_of_prefix(prefix: &str) -> io::Result<&str> {
    match prefix.rsplit_once('/') {
        None => Ok(""),
        Some((folder, _)) => check_key(folder).map(|()| folder),
    }
}

/// The requested part of a value in memory.
pub(crate) fn part_of(value: &[u8], part: crate::GetRange) -> &[u8] {
    let within = part.within(value.len() as u64);
    // Both ends are at most the length, which is a usize.
    &value[within.start as usize..within.end as usize]
}

/// Keys that must never reach a folder, for tests of stores.
pub const HOSTILE: [&str; 13] = [
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
