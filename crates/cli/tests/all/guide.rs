//! The tables of options in the guide are made of the table of options. `NCUTILS_BLESS=1 cargo test -p ncutils-cli --test guide`
//! writes them anew.

use std::path::Path;

use ncutils_cli::options::{NCCOPY, NCDUMP, NCGEN};

const BEGIN: &str = "<!-- Options. NCUTILS_BLESS=1 cargo test -p ncutils-cli --test guide writes them. -->\n";
const END: &str = "\n<!-- End of options. -->\n";

#[test]
fn the_guide_has_every_option() {
    for program in [&NCCOPY, &NCDUMP, &NCGEN] {
        let name = format!("docs/guide/{}.md", program.name);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&name);
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect("the beginning of the options");
        let (_, after) = rest.split_once(END).expect("the end of the options");
        let made = format!("{before}{BEGIN}{}{END}{after}", program.page());
        match std::env::var_os("NCUTILS_BLESS") {
            Some(_) => std::fs::write(&path, &made).unwrap(),
            None => assert!(made == page, "{name}: NCUTILS_BLESS=1 writes the options anew"),
        }
    }
}
