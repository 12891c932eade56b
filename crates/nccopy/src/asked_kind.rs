//! [`AskedKind`]: what `-k` and the options of one digit ask for.

use clap::ArgMatches;
use ncutils_cli::values::kind;
use ncutils_cli::values::text::text;
use ncutils_core::error::Result;
use ncutils_core::model::Kind;

/// Names that `-k` takes beside those of kinds of datasets.
const CONTAINERS: [&str; 3] = ["archive", "zst", "h5"];

/// The kind of an output, or what holds its input.
pub struct AskedKind<'m> {
    /// The kind; `None` if the user leaves it open.
    pub kind: Option<Kind>,
    /// One of [`CONTAINERS`].
    pub container: Option<&'m str>,
}

impl<'m> AskedKind<'m> {
    /// What the arguments ask for. The last of several counts.
    ///
    /// # Errors
    /// A name of no kind.
    pub fn of(matches: &'m ArgMatches) -> Result<Self> {
        let references = |name: &str| {
            Kind::OF_REFERENCES
                .into_iter()
                .find(|kind| kind.can().short_name == name)
        };
        let named =
            text(matches, "kind").filter(|name| CONTAINERS.contains(name) || references(name).is_some());
        let last = named.filter(|_| kind::is_last(matches, "kind"));
        // A name that a digit follows does not count.
        let of_kinds: &[&str] = if named.is_some() { &[] } else { &["kind"] };
        let kind = match last {
            Some(name) => references(name),
            None => kind::asked(matches, of_kinds)
                .map_err(|error| kind::and_archives(error, ", zst, h5, kerchunk and icechunk"))?,
        };
        let kind = match matches.get_flag("as-shards") {
            true => kind.or_else(|| Kind::OF_ZARR.into_iter().find(|kind| kind.can().shards)),
            false => kind,
        };
        Ok(Self {
            kind,
            container: last.filter(|name| CONTAINERS.contains(name)),
        })
    }
}
