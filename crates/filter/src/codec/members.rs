//! [`Member`]: a named parameter of a codec, as in `zstd,level=3`. The page of all filters and the messages are made of
//! the codecs' lists of them.

use crate::codec::codec::Codec;
use ncutils_model::Configuration;
use ncutils_model::similar::question;

/// A named parameter of a codec: a member of its Zarr configuration, or a name for a number of HDF5's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: &'static str,
    /// The values that it takes, in a few words.
    pub values: &'static str,
}

impl Member {
    /// A member and its values.
    pub const fn new(name: &'static str, values: &'static str) -> Self {
        Self { name, values }
    }
}

/// The members of a codec in words: `level (0 to 9), checksum (true or false)`.
pub fn listed(members: &[Member]) -> String {
    let words: Vec<_> = members
        .iter()
        .map(|member| format!("{} ({})", member.name, member.values))
        .collect();
    words.join(", ")
}

/// Why a codec refuses the members `given`, and which ones it takes. The text continues "codec zstd …".
pub(crate) fn refusal(codec: &dyn Codec, given: &Configuration) -> String {
    let members = codec.members();
    let numbers = match codec.parameters_help() {
        "" => "its parameters are numbers, as its plugin documents them".to_owned(),
        "none" => "it takes none".to_owned(),
        help => format!("its parameters are numbers: {help}"),
    };
    if members.is_empty() {
        return format!("has no parameters with names; {numbers}");
    }
    let takes = format!("it takes {}", listed(members));
    let names = || members.iter().map(|member| member.name);
    match given.keys().find(|given| names().all(|name| name != *given)) {
        Some(unknown) => format!(
            "has no member '{unknown}'{}; {takes}",
            question(unknown, names()).trim_end_matches('?')
        ),
        None => {
            let given = serde_json::to_string(given).unwrap_or_default();
            format!("does not understand {given}; {takes}")
        }
    }
}
