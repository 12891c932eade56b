//! Adds option names to errors of the libraries, which do not know how a request was spelled.

use ncutils_core::error::{Alternative, Error, Request};
use ncutils_core::model::Kind;

/// Adds the names of the options at fault to an error. The names are the same in nccopy and ncgen.
#[must_use]
pub fn name_options(error: Error) -> Error {
    let inner = |cause: Box<Error>| Box::new(name_options(*cause));
    match error {
        Error::File { name, cause } => Error::File {
            name,
            cause: inner(cause),
        },
        Error::Variable { name, cause } => Error::Variable {
            name,
            cause: inner(cause),
        },
        Error::About { item, cause } => Error::About {
            item,
            cause: inner(cause),
        },
        Error::Request {
            request,
            argument,
            why,
        } => {
            let flag = flag(request);
            Error::Usage(match argument {
                Some(argument) => format!("{flag} {argument}: {why}"),
                None => format!("{flag}: {why}"),
            })
        }
        Error::NotHeld {
            request,
            what,
            kind,
            held_by,
            held_if_fixed,
        } => {
            let flag = request.map(|r| flag(r) + ": ").unwrap_or_default();
            let fix = if held_if_fixed { " (-u makes it fixed)" } else { "" };
            let kinds: Vec<_> = held_by.iter().map(|kind| kind.can().short_name).collect();
            // A kind that is asked for by a fragment makes way only when the fragment is left out.
            let asked_by_name = Kind::OF_FILES.contains(&kind);
            let advice = match (kinds.is_empty(), asked_by_name) {
                (true, _) => String::new(),
                (false, true) => format!("; use -k {}", kinds.join(" or ")),
                (false, false) => format!(
                    "; use -k {}, and name a file, without a fragment",
                    kinds.join(" or ")
                ),
            };
            Error::Usage(format!(
                "{flag}{what}{fix}, which the kind '{}' cannot hold{advice}",
                kind.name()
            ))
        }
        Error::Alternative { why, alternative } => Error::Usage(match alternative {
            Alternative::NoValues => format!("{why}{alternative} by -H"),
            Alternative::CProgram => format!("{why}; use -l c"),
            Alternative::OtherFilters => format!("{why}{alternative} by -F"),
            Alternative::Replacing => format!("{why}; --replace replaces or clears it"),
            other => format!("{why}{other}"),
        }),
        other => other,
    }
}

fn flag(request: Request) -> String {
    match request {
        Request::Chunks => "-c".to_owned(),
        Request::Shards => "--shard".to_owned(),
        Request::Filters => "-F".to_owned(),
        Request::Deflate => "-d".to_owned(),
        Request::FixedDimensions => "-u".to_owned(),
        Request::StringLength => "--strlen".to_owned(),
        Request::Pages => "--page".to_owned(),
        Request::Indices => "--isel".to_owned(),
        Request::Values => "--sel".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_is_named_as_it_was_typed() {
        let alternative = |alternative| Error::Alternative {
            why: "no codec".to_owned(),
            alternative,
        };
        let not_held = Error::NotHeld {
            request: None,
            what: "dimension t is the second unlimited one".to_owned(),
            kind: Kind::Classic,
            held_by: vec![Kind::Netcdf4Classic, Kind::Netcdf4],
            held_if_fixed: true,
        };
        for (error, told) in [
            (Request::Chunks.error("no such variable"), "-c: no such variable"),
            (
                alternative(Alternative::NoValues),
                "no codec, or leave the values out by -H",
            ),
            (alternative(Alternative::CProgram), "no codec; use -l c"),
            (
                alternative(Alternative::Replacing),
                "no codec; --replace replaces or clears it",
            ),
            (
                alternative(Alternative::OtherFilters),
                "no codec: choose other filters for this variable by -F",
            ),
            (Request::Filters.misspelled("\"x\"", "no id"), "-F \"x\": no id"),
            (
                not_held,
                "dimension t is the second unlimited one (-u makes it fixed), which the kind 'classic' cannot hold; use -k nc7 or nc4",
            ),
        ] {
            let plain = error.to_string();
            assert!(!plain.contains(" -") && !plain.starts_with('-'), "{plain}");
            let told = format!("in.nc: variable v: {told}");
            let error = error.in_variable("v").in_file("in.nc");
            assert_eq!(name_options(error).to_string(), told);
        }
    }

    #[test]
    fn a_kind_of_a_fragment_is_left_by_naming_a_file() {
        let error = name_options(Error::NotHeld {
            request: None,
            what: "c is a user-defined type".to_owned(),
            kind: Kind::Zarr2,
            held_by: vec![Kind::Netcdf4],
            held_if_fixed: false,
        });
        assert_eq!(
            error.to_string(),
            "c is a user-defined type, which the kind 'Zarr version 2' cannot hold; use -k nc4, and name a file, without a fragment"
        );
    }
}
