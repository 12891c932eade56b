//! How large a hierarchy may be. A server can make up groups without end.

use crate::error::{Error, Result};

/// Deepest nesting of groups.
const DEEPEST: usize = 500;

/// Most groups and arrays. Each takes some kilobytes of memory.
const MOST: usize = 100_000;

/// Checks the number of levels of groups, and that of groups and arrays.
///
/// # Errors
/// A number above its limit.
pub(super) fn check(levels: usize, nodes: usize) -> Result<()> {
    if levels > DEEPEST {
        return Err(Error::Damaged("groups lie in each other too deeply".into()));
    }
    match nodes > MOST {
        true => Err(Error::Damaged(format!(
            "the hierarchy has more than {MOST} groups and arrays"
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_have_limits() {
        assert!(check(DEEPEST, MOST).is_ok());
        assert!(check(DEEPEST + 1, 1).is_err() && check(1, MOST + 1).is_err());
    }
}
