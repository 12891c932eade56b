//! What `--version` prints: the version, and what was built in.

use std::sync::LazyLock;

use ncutils_core::filter::Registry;
use ncutils_core::location::REMOTE_STORES;

/// The version, after the name of a program: `(ncutils 0.1.0)`, and a line of the features that were built in.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "(ncutils {})\nfeatures: {}",
        env!("CARGO_PKG_VERSION"),
        features()
    )
});

/// The features that were built in: what can be left out of a build, and the filters.
fn features() -> String {
    let optional = [
        ("remote stores", REMOTE_STORES),
        ("plugins", ncutils_plugin::SUPPORTED),
    ];
    let optional = optional.into_iter().filter(|(_, built)| *built);
    let mut features: Vec<String> = optional.map(|(name, _)| name.to_owned()).collect();
    features.extend(Registry::builtin().iter().map(|codec| codec.name().to_owned()));
    features.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_built_in_is_told() {
        let (version, features) = VERSION.split_once('\n').unwrap();
        assert_eq!(version, format!("(ncutils {})", env!("CARGO_PKG_VERSION")));
        let features: Vec<_> = features.strip_prefix("features: ").unwrap().split(", ").collect();
        for name in ["remote stores", "plugins", "deflate", "zfp"] {
            assert!(features.contains(&name), "{name} is not in {features:?}");
        }
    }
}
