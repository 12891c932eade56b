//! One target under libFuzzer. Which one is said by `NCUTILS_FUZZ_TARGET`, as libFuzzer takes all arguments.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ncutils_fuzz::{FuzzTarget, TARGETS};

static TARGET: LazyLock<&'static FuzzTarget> = LazyLock::new(|| {
    let name = std::env::var("NCUTILS_FUZZ_TARGET").unwrap_or_default();
    TARGETS
        .iter()
        .find(|target| target.name == name)
        .unwrap_or_else(|| panic!("NCUTILS_FUZZ_TARGET is '{name}', not one of {:?}", TARGETS.map(|t| t.name)))
});

fuzz_target!(|input: &[u8]| {
    (TARGET.run)(input);
});
