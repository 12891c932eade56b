//! [`arrays_first`]: the order in which a tree's metadata is written.
//!
//! ```text
//! a/.zarray  g/b/.zarray ─► g/.zgroup ─► .zattrs ─► .zgroup ─► .zmetadata
//!       arrays            groups, inner first      root
//! ```

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Sorts keys of metadata into sets that are written one after another: those of arrays, then those of groups, inner ones
/// first. Keys of the root are alone in their sets, by name. A group without members counts as an array.
pub(crate) fn arrays_first<T>(all: Vec<T>, key: impl Fn(&T) -> &str) -> Vec<Vec<T>> {
    let mut around = BTreeSet::new();
    for one in &all {
        let mut folder = folder_of(key(one));
        while let Some((outer, _)) = folder.rsplit_once('/') {
            // What is around a folder that is known is known.
            if !around.insert(outer.to_owned()) {
                break;
            }
            folder = outer;
        }
    }
    // ExternalFiles of one rank go into one set. Arrays have one rank, at any depth.
    let rank = |key: &str| match folder_of(key) {
        "" => (2, Reverse(0)),
        folder if around.contains(folder) => (1, Reverse(folder.matches('/').count())),
        _ => (0, Reverse(0)),
    };
    let mut all: Vec<_> = all.into_iter().map(|one| (rank(key(&one)), one)).collect();
    all.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| key(x).cmp(key(y))));
    let mut sets: Vec<(_, Vec<T>)> = Vec::new();
    for (rank, one) in all {
        match sets.last_mut() {
            Some((of, set)) if *of == rank && rank.0 < 2 => set.push(one),
            _ => sets.push((rank, vec![one])),
        }
    }
    sets.into_iter().map(|(_, set)| set).collect()
}

/// The folder of a key, without its last `/`. It is empty at the root.
fn folder_of(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_before_groups_and_the_root_is_last() {
        let keys = [
            ".zmetadata",
            ".zgroup",
            ".zattrs",
            "a/.zarray",
            "a/.zattrs",
            "a-b/.zarray",
            "g/.zgroup",
            "g/b/.zarray",
            "g/h/.zgroup",
            "g/h/c/.zarray",
            "empty/.zgroup",
        ];
        let expected: [&[&str]; 6] = [
            &[
                "a-b/.zarray",
                "a/.zarray",
                "a/.zattrs",
                "empty/.zgroup",
                "g/b/.zarray",
                "g/h/c/.zarray",
            ],
            &["g/h/.zgroup"],
            &["g/.zgroup"],
            &[".zattrs"],
            &[".zgroup"],
            &[".zmetadata"],
        ];
        assert_eq!(arrays_first(keys.to_vec(), |key| key), expected);
    }

    #[test]
    fn nothing_is_lost() {
        assert!(arrays_first(Vec::<&str>::new(), |key| key).is_empty());
        assert_eq!(arrays_first(vec!["zarr.json"], |key| key), [["zarr.json"]]);
        // No metadata stands in a folder between.
        assert_eq!(
            arrays_first(vec!["x/y/z/zarr.json", "x/zarr.json"], |key| key),
            [["x/y/z/zarr.json"], ["x/zarr.json"]]
        );
    }
}
