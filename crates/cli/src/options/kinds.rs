//! The kinds of outputs to which an option applies, as the table of capabilities has them.

use ncutils_core::model::Kind;

/// True for a kind to which an option applies.
pub type Applies = fn(Kind) -> bool;

/// Archives of classic files.
pub const ARCHIVES: Applies = |kind| kind.unpacked().is_some();

/// Kinds whose files can have pages.
pub const PAGED: Applies = |kind| kind.can().pages;

/// Kinds whose chunks can lie in shards.
pub const SHARDED: Applies = |kind| kind.can().shards;

/// Kinds whose strings have one length.
pub const FIXED_STRINGS: Applies = |kind| kind.can().fixed_strings;

/// Kinds that can leave out a chunk of fill values.
pub const SPARSE: Applies = |kind| kind.can().skips_chunks;

/// Kinds that refer to chunks of other datasets.
pub const REFERENCES: Applies = |kind| kind.can().references;

/// The same by relative paths.
pub const RELATIVE: Applies = |kind| kind.can().relative_places;

/// The names of the kinds to which an option applies: `nc4, nc7`.
pub fn names(applies: Applies) -> String {
    let all = Kind::OF_FILES
        .into_iter()
        .chain(Kind::OF_ZARR)
        .chain(Kind::ARCHIVES)
        .chain(Kind::OF_REFERENCES);
    let names = all
        .filter(|kind| applies(*kind))
        .map(|kind| kind.can().short_name);
    let names: Vec<_> = names.collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_names_that_users_know() {
        for (applies, expected) in [
            (ARCHIVES, "nc3z, nc6z, nc5z"),
            (PAGED, "nc4, nc7"),
            (SHARDED, "zarr3"),
            (FIXED_STRINGS, "nczarr, zarr2, kerchunk"),
            (REFERENCES, "kerchunk, icechunk"),
            (RELATIVE, "kerchunk"),
            (SPARSE, "nczarr, zarr2, zarr3"),
        ] {
            assert_eq!(names(applies), expected);
        }
    }
}
