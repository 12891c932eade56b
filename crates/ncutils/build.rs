//! Exports the symbols that plugins call. Without them a plugin would find no HDF5 library, and some plugins then fail
//! without a word.

/// Set by the wheel's build, whose linker is Zig's.
const ZIG: &str = "CARGO_ZIGBUILD_TARGET";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={ZIG}");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    if std::env::var_os(ZIG).is_some() {
        // Zig's linker knows none of the options that choose symbols. All that are not hidden are exported.
        println!("cargo::rustc-link-arg-bins=-rdynamic");
        return;
    }
    for symbols in ["H5*", "nc_inq_*", "ncaux_*"] {
        println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol={symbols}");
    }
}
