//! Names of sources: `%b` stands for the number of a block, `%%` for a percent sign.

use std::fmt::Write;

use crate::error::{Error, Result};

/// True if a name stands for one source for each block.
///
/// # Errors
/// Another character follows a percent sign.
pub fn has_blocks(name: &str) -> Result<bool> {
    let mut found = false;
    expand(name, |_| found = true)?;
    Ok(found)
}

/// The name of the source of block number `block`.
///
/// # Errors
/// Another character follows a percent sign.
pub fn of_block(name: &str, block: u64) -> Result<String> {
    expand(name, |text| {
        let _ = write!(text, "{block}");
    })
}

fn expand(name: &str, mut block: impl FnMut(&mut String)) -> Result<String> {
    let mut text = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => match chars.next() {
                Some('b') => block(&mut text),
                Some('%') => text.push('%'),
                _ => {
                    return Err(Error::Damaged(format!(
                        "in the name of a source, {}, % is followed by neither b nor %",
                        name.escape_debug()
                    )));
                }
            },
            c => text.push(c),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs() {
        assert_eq!(of_block("a-%b%%_%b.h5", 12).unwrap(), "a-12%_12.h5");
        assert!(has_blocks("a%b").unwrap());
        assert!(!has_blocks("a%%b").unwrap());
        assert!(has_blocks("a%").is_err());
        assert!(of_block("a%d", 1).is_err());
    }
}
