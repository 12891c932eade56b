//! The program's page in the guide names every option.

use ncutils_cli::options::missing_in;

#[test]
fn the_guide_has_every_option() {
    let missing = missing_in(
        include_str!("../../../../docs/guide/ncgen.md"),
        &ncgen::flags::command(),
    );
    assert!(missing.is_empty(), "docs/guide/ncgen.md lacks {missing:?}");
}
