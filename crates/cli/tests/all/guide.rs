//! The lists of options in docs/reference are made of the table of options, and their links lead to sections there.
//! `NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all guide` writes the lists anew.

use std::path::{Path, PathBuf};

use ncutils_cli::options::{NCCOPY, NCDUMP, NCGEN, Program};

const BEGIN: &str =
    "<!-- Options. NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all guide writes them. -->\n";
const END: &str = "\n<!-- End of options. -->\n";

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

/// The page of nccopy has all that it shares with the others.
fn page_of(program: &Program) -> String {
    program.page((program.name != NCCOPY.name).then_some(&*NCCOPY))
}

#[test]
fn the_guide_has_every_option() {
    for program in [&*NCCOPY, &*NCDUMP, &*NCGEN] {
        let name = format!("{}.md", program.name);
        let path = guide().join(&name);
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect("the beginning of the options");
        let (_, after) = rest.split_once(END).expect("the end of the options");
        let made = format!("{before}{BEGIN}{}{END}{after}", page_of(program));
        match std::env::var_os("NCUTILS_BLESS") {
            // The other test reads the pages at the same time.
            Some(_) if made == page => {}
            Some(_) => std::fs::write(&path, &made).unwrap(),
            None => assert!(made == page, "{name}: NCUTILS_BLESS=1 writes the options anew"),
        }
    }
}

#[test]
fn every_section_of_an_option_is_in_the_guide() {
    for program in [&*NCCOPY, &*NCDUMP, &*NCGEN] {
        let own = format!("{}.md", program.name);
        let page = page_of(program);
        let links: Vec<&str> = page
            .split("](")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once(')')?.0))
            .collect();
        assert!(!links.is_empty());
        for link in links {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { own.as_str() } else { file };
            let text = std::fs::read_to_string(guide().join(file));
            let text = text.unwrap_or_else(|e| panic!("{own}: the link {link}: {e}"));
            let has_anchor = text
                .lines()
                .filter(|line| line.starts_with('#'))
                .any(|line| anchor_of(line) == anchor);
            assert!(
                anchor.is_empty() || has_anchor,
                "{own}: no heading for the link {link}"
            );
        }
    }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
