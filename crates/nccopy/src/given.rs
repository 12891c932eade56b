//! Which options that change an output were given, for copies that cannot apply them.

use ncutils_core::error::{Error, Result};

use crate::flags::Arguments;

/// Fails if an option was given that changes what the output holds or how it is stored, unless it is one of `applied`. `why` is
/// what the message begins with, and tells the user what to do instead.
///
/// # Errors
/// The first such option.
pub fn refuse_changes(arguments: &Arguments, applied: &[&str], why: &str) -> Result<()> {
    let given = changes(arguments).into_iter();
    match given
        .filter(|(given, option)| *given && !applied.contains(option))
        .map(|(_, option)| option)
        .next()
    {
        None => Ok(()),
        Some(option) => Err(Error::Usage(format!("{why}; leave out {option}"))),
    }
}

/// Each option that changes the output, and whether it was given.
fn changes(arguments: &Arguments) -> [(bool, &'static str); 22] {
    let copy = &arguments.copy;
    [
        (copy.kind.is_some(), "-k"),
        (arguments.archive.pack, "-k archive"),
        (arguments.plain_zst, "-k zst"),
        (arguments.as_hdf5, "-k h5"),
        (arguments.archive.restore, "--restore"),
        (!arguments.part.is_empty(), "--isel and --sel"),
        (copy.variables.is_some(), "-v and -V"),
        (copy.groups.is_some(), "-g and -G"),
        (copy.fix_unlimited, "-u"),
        (!copy.chunking.is_empty(), "-c"),
        (copy.min_chunk_bytes.is_some(), "-M"),
        (!copy.shards.is_empty(), "--shard"),
        (copy.shard_index.is_some(), "--shard-index"),
        (copy.deflate.is_some(), "-d"),
        (copy.shuffle, "-s"),
        (!copy.filters.is_empty(), "-F"),
        (!copy.quantize.is_empty(), "--quantize"),
        (copy.string_length.is_some(), "--string-length"),
        (copy.skip_fill, "--skip-fill"),
        (copy.page_size.is_some(), "--page"),
        (!arguments.archive.blocks.is_empty(), "--block"),
        (arguments.salvage, "--salvage"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::{arguments, command};

    fn refused(options: &[&str], applied: &[&str]) -> Option<String> {
        let all = ["nccopy"].iter().chain(options).chain(&["in.nc", "out.nc"]);
        let arguments = arguments(&command().try_get_matches_from(all).unwrap()).unwrap();
        let refused = refuse_changes(&arguments, applied, "bytes are copied");
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn the_option_is_named() {
        for (options, named) in [
            (&["-k", "nc4"][..], "leave out -k"),
            (&["--isel", "x=1"], "leave out --isel and --sel"),
            (&["-M", "1k"], "leave out -M"),
            (&["--page", "4096"], "leave out --page"),
            (&["--salvage"], "leave out --salvage"),
        ] {
            let refused = refused(options, &[]).unwrap();
            assert!(refused.contains(named), "{refused}");
        }
    }

    #[test]
    fn what_is_applied_passes() {
        assert_eq!(refused(&["-m", "64M", "--threads", "2", "--replace"], &[]), None);
        assert_eq!(refused(&["-u", "-d", "5"], &["-u", "-d"]), None);
    }
}
