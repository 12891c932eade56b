//! The layers of the workspace. A file may use files of its own layer and of lower ones.

/// Folders of each layer, lowest layer first.
const LAYERS: [(&str, &[&str]); 11] = [
    (
        "hdf5, codecs with crates of their own",
        &[
            "crates/hdf5/src/",
            "crates/blosc/src/",
            "crates/crc-fast/src/",
            "crates/zfp/src/",
        ],
    ),
    ("model", &["crates/model/src/"]),
    (
        "store, filter, remote settings",
        &[
            "crates/store/src/",
            "crates/filter/src/",
            "crates/remote-settings/src/",
        ],
    ),
    ("remote", &["crates/remote/src/"]),
    ("format", &["crates/core/src/format/"]),
    ("subset", &["crates/core/src/subset/"]),
    ("join", &["crates/core/src/join/"]),
    (
        "view, copy, stream, location",
        &[
            "crates/core/src/view/",
            "crates/core/src/copy/",
            "crates/core/src/stream/",
            "crates/core/src/location",
        ],
    ),
    (
        "cdl, print, integrity, inspect, distributed",
        &[
            "crates/core/src/cdl/",
            "crates/core/src/print/",
            "crates/core/src/integrity/",
            "crates/core/src/inspect/",
            "crates/core/src/distributed/",
        ],
    ),
    ("plugin", &["crates/plugin/src/"]),
    (
        "binaries",
        &[
            "crates/cli/",
            "crates/nccopy/",
            "crates/ncdump/",
            "crates/ncgen/",
            "crates/ncutils/",
            "fuzz/",
            "xtask/",
        ],
    ),
];

/// Number and name of a file's layer; `None` for a crate's `lib.rs`, which only names modules, and for files outside
/// all layers.
pub fn layer(file: &str) -> Option<(usize, &'static str)> {
    let holds = |places: &[&str]| places.iter().any(|place| file.starts_with(place));
    let at = LAYERS.iter().position(|(_, places)| holds(places))?;
    Some((at, LAYERS[at].0))
}

/// True for an arrow to a higher layer.
pub fn goes_up(from: &str, to: &str) -> bool {
    matches!((layer(from), layer(to)), (Some((from, _)), Some((to, _))) if to > from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_down() {
        let (model, copy) = (
            "crates/model/src/schema/mod.rs",
            "crates/core/src/copy/run/mod.rs",
        );
        assert!(goes_up(model, copy) && !goes_up(copy, model) && !goes_up(copy, copy));
        assert!(goes_up("crates/hdf5/src/reader/file.rs", model));
    }
}
