//! The program exports the functions that plugins call.

use object::{Object, ObjectSymbol};

#[test]
fn the_program_exports_what_plugins_call() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_ncutils")).unwrap();
    let program = object::File::parse(&*program).unwrap();
    let exported: std::collections::HashSet<_> = program
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| symbol.name().ok())
        .collect();
    for name in ncutils_plugin::symbols() {
        assert!(exported.contains(name), "{name} is not exported");
    }
}
