//! The keywords of the Python module are made of the table of options.
//! `NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all python` writes them anew.

use std::path::Path;

use ncutils_cli::python::{stub, table};

#[test]
fn the_module_has_every_option() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wheel/python/ncutils");
    for (name, made) in [("_options.py", table()), ("_options.pyi", stub())] {
        let path = folder.join(name);
        if std::env::var_os("NCUTILS_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(made == committed, "{name}: NCUTILS_BLESS=1 writes it anew");
    }
}
