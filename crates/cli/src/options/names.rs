//! Adds option names to errors of the libraries, which do not know how a request was spelled.

use ncutils_core::error::{Alternative, Error, Request};
use ncutils_core::model::Kind;

use super::opt::Opt;
use super::program::Program;

impl Program {
    /// Adds the names of the options at fault to an error. What the program has no option for keeps the library's words.
    #[must_use]
    pub fn name_options(&self, error: Error) -> Error {
        error.map_bare(|error| match error {
            Error::Request {
                request,
                argument,
                why,
            } => {
                let name = self.name(request);
                Error::Usage(match argument {
                    Some(argument) => format!("{name} {argument}: {why}"),
                    None => format!("{name}: {why}"),
                })
            }
            Error::NotHeld {
                request,
                what,
                kind,
                held_by,
                held_as,
                all,
            } => {
                let name = request.map(|r| self.name(r) + ": ").unwrap_or_default();
                let maker = held_as.and_then(|made| Some((made, self.making(made)?.told_as())));
                let fix = maker.map(|(made, option)| match made {
                    Request::FixedDimensions => format!(" ({option} makes it fixed)"),
                    Request::FlatGroups => format!(" ({option} joins groups into one)"),
                    Request::CharStrings => format!(" ({option} makes it characters)"),
                    _ => format!(" ({option} changes it)"),
                });
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
                let is_left = request.is_none() && held_as != Some(Request::FixedDimensions);
                let dropped = self.offered(match all.is_empty() {
                    true => Alternative::LeavingOut,
                    false => Alternative::LeavingAllOut,
                });
                let dropped = dropped.filter(|_| is_left || !all.is_empty());
                let dropped = dropped.unwrap_or_default();
                Error::Usage(format!(
                    "{name}{what}{}, which the kind '{}' cannot hold{all}{advice}{dropped}",
                    fix.unwrap_or_default(),
                    kind.name()
                ))
            }
            Error::Alternative { why, alternative } => Error::Usage(match self.offered(alternative) {
                Some(offer) => format!("{why}{offer}"),
                None => format!("{why}{alternative}"),
            }),
            other => other,
        })
    }

    /// The option that makes a request.
    fn making(&self, request: Request) -> Option<&Opt> {
        self.options().find(|option| option.requests.contains(&request))
    }

    /// The name of the option that makes a request, or the library's name of it.
    fn name(&self, request: Request) -> String {
        self.making(request)
            .map_or_else(|| request.to_string(), Opt::typed)
    }

    /// The end of a message that names the option for an alternative.
    fn offered(&self, alternative: Alternative) -> Option<&'static str> {
        let mut all = self.options().flat_map(|option| option.alternatives);
        all.find(|(offered, _)| *offered == alternative)
            .map(|(_, offer)| *offer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{NCCOPY, NCDUMP, NCGEN};

    fn alternative(alternative: Alternative) -> Error {
        Error::Alternative {
            why: "no codec".to_owned(),
            alternative,
        }
    }

    fn not_held(kind: Kind, held_by: Vec<Kind>) -> Error {
        Error::NotHeld {
            request: None,
            what: "dimension t is the second unlimited one".to_owned(),
            kind,
            held_by,
            held_as: Some(Request::FixedDimensions),
            all: String::new(),
        }
    }

    fn classic() -> Error {
        not_held(Kind::Classic, vec![Kind::Netcdf4Classic, Kind::Netcdf4])
    }

    #[test]
    fn what_was_asked_is_named_as_it_was_typed() {
        for (program, error, told) in [
            (
                &NCCOPY,
                Request::Chunks.error("no such variable"),
                "-c: no such variable",
            ),
            (
                &NCCOPY,
                Request::Quantization.error("no such variable"),
                "--quantize: no such variable",
            ),
            (
                &NCGEN,
                alternative(Alternative::NoValues),
                "no codec, or leave the values out by -H",
            ),
            (&NCGEN, alternative(Alternative::CProgram), "no codec; use -l c"),
            (
                &NCCOPY,
                alternative(Alternative::Replacing),
                "no codec; --replace replaces or clears it",
            ),
            (
                &NCCOPY,
                alternative(Alternative::OtherFilters),
                "no codec: choose other filters for this variable by -F",
            ),
            (
                &NCCOPY,
                Request::Filters.misspelled("\"x\"", "no id"),
                "-F \"x\": no id",
            ),
            (
                &NCCOPY,
                classic(),
                "dimension t is the second unlimited one (-u makes it fixed), which the kind 'classic' cannot hold; use -k nc7 or nc4",
            ),
        ] {
            let plain = error.to_string();
            assert!(!plain.contains(" -") && !plain.starts_with('-'), "{plain}");
            let told = format!("in.nc: variable v: {told}");
            let error = error.in_variable("v").in_file("in.nc");
            assert_eq!(program.name_options(error).to_string(), told);
        }
    }

    #[test]
    fn an_option_is_named_wherever_the_error_lies() {
        let error = alternative(Alternative::SoundChunks).in_key("v/0").in_chunk(&[0]);
        let told = "variable v: chunk [0]: key v/0: no codec; --salvage copies the other chunks, --no-check all as they are";
        assert_eq!(NCCOPY.name_options(error.in_variable("v")).to_string(), told);
    }

    #[test]
    fn what_a_program_has_no_option_for_keeps_the_words_of_the_library() {
        for (program, error, told) in [
            (&NCGEN, Request::Filters.error("no id"), "filters: no id"),
            (
                &NCGEN,
                alternative(Alternative::OtherFilters),
                "no codec: choose other filters for this variable",
            ),
            (
                &NCGEN,
                classic(),
                "dimension t is the second unlimited one, which the kind 'classic' cannot hold; use -k nc7 or nc4",
            ),
            (
                &NCDUMP,
                alternative(Alternative::Replacing),
                "no codec, and is not replaced",
            ),
        ] {
            assert_eq!(program.name_options(error).to_string(), told);
        }
    }

    #[test]
    fn a_kind_of_a_fragment_is_left_by_naming_a_file() {
        let error = NCCOPY.name_options(Error::NotHeld {
            request: None,
            what: "c is a user-defined type".to_owned(),
            kind: Kind::Zarr2,
            held_by: vec![Kind::Netcdf4],
            held_as: None,
            all: String::new(),
        });
        assert_eq!(
            error.to_string(),
            "c is a user-defined type, which the kind 'Zarr version 2' cannot hold; use -k nc4, and name a file, without a fragment; --drop-unsupported leaves it out"
        );
    }
}
