//! The program by the name that it is called under, and by its commands.

use std::os::unix::fs::symlink;
use std::process::{Command, Output};

const NCUTILS: &str = env!("CARGO_BIN_EXE_ncutils");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.nc");

fn run(program: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(program).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_link_and_a_command_are_the_program() {
    let folder = tempfile::tempdir().unwrap();
    for (command, name) in [("copy", "nccopy"), ("dump", "ncdump"), ("gen", "ncgen")] {
        let link = folder.path().join(name);
        symlink(NCUTILS, &link).unwrap();
        let link = link.to_str().unwrap();
        for arguments in [
            &["--version"][..],
            &["--help"],
            &["/dev/null/none.nc", "/dev/null/out.nc"],
            &["--diff"],
        ] {
            let by_link = run(link, arguments);
            let by_command = run(NCUTILS, &[&[command], arguments].concat());
            assert_eq!(by_link, by_command, "{name} {arguments:?}");
        }
        let (status, version, _) = run(link, &["--version"]);
        let first = format!("{name} (ncutils {})", env!("CARGO_PKG_VERSION"));
        assert_eq!((status, version.lines().next()), (Some(0), Some(&*first)));
    }
}

#[test]
fn a_command_works() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.nc");
    let copy = copy.to_str().unwrap();
    assert_eq!(
        run(NCUTILS, &["copy", "-d", "1", SAMPLE, copy]),
        (Some(0), String::new(), String::new())
    );
    let (status, same, _) = run(NCUTILS, &["dump", "--diff", SAMPLE, copy]);
    assert_eq!((status, &*same), (Some(0), ""));
}

/// What ncdump says of its own arguments names the option, and ends with the status of a comparison.
#[test]
fn a_wrong_argument_is_an_error() {
    let (status, out, error) = run(NCUTILS, &["dump", "--diff"]);
    assert_eq!((status, &*out), (Some(2), ""));
    assert!(error.contains("--diff"), "{error}");
    for (arguments, told) in [
        (&[][..], "a command is missing; 'ncutils --help' lists them"),
        (
            &["frobnicate"],
            "unknown command 'frobnicate'; 'ncutils --help' lists them",
        ),
        (&["ncdump"], "unknown command 'ncdump': is 'dump' meant?"),
        (&["cpoy"], "unknown command 'cpoy': is 'copy' meant?"),
        (
            &["--bogus"],
            "unexpected argument '--bogus'; 'ncutils --help' lists what it takes",
        ),
        (
            &["completions"],
            "SHELL is missing; 'ncutils --help' tells what it takes",
        ),
        (
            &["completions", "tcsh"],
            "SHELL 'tcsh': expected bash, elvish, fish, powershell or zsh",
        ),
    ] {
        let (status, out, error) = run(NCUTILS, arguments);
        assert_eq!((status, &*out), (Some(1), ""), "{arguments:?}");
        assert!(error.starts_with(&format!("ncutils: {told}")), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn each_name_has_a_man_page() {
    for name in ["ncutils", "nccopy", "ncutils-gen"] {
        let (status, page, _) = run(NCUTILS, &["man", name]);
        let title = format!(".TH {name} 1");
        assert!(status == Some(0) && page.contains(&title), "{page}");
    }
    assert_eq!(
        run(NCUTILS, &["man", "copy"]),
        run(NCUTILS, &["man", "ncutils-copy"])
    );
    assert_eq!(run(NCUTILS, &["help", "copy"]), run(NCUTILS, &["copy", "--help"]));
}

#[test]
fn completions_are_those_of_the_program_itself() {
    let own = run(NCUTILS, &["copy", "--completions", "bash"]);
    assert_eq!(own, run(NCUTILS, &["completions", "bash", "nccopy"]));
    let (status, script, _) = run(NCUTILS, &["completions", "fish"]);
    assert!(
        status == Some(0) && script.contains("__ncutils_complete"),
        "{script}"
    );
    // Other shells know what the parser knows.
    let (status, script, _) = run(NCUTILS, &["completions", "elvish"]);
    assert!(status == Some(0) && script.contains("salvage"), "{script}");
}

#[test]
fn commands_and_what_follows_them_are_completed() {
    let told = |words: &[&str]| {
        let index = (words.len() - 1).to_string();
        let asked = [&["--complete-words", "zsh", &index], words].concat();
        let (status, lines, error) = run(NCUTILS, &asked);
        assert_eq!((status, &*error), (Some(0), ""), "{words:?}");
        let first = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
        lines.lines().map(first).collect::<Vec<_>>()
    };
    for (words, expected) in [
        (&["ncutils", "co"][..], &["copy", "completions"][..]),
        (&["ncutils", "--v"], &["--version"]),
        (&["ncutils", "completions", "f"], &["fish"]),
        (&["ncutils", "completions", "fish", "ncd"], &["ncdump"]),
        (&["ncutils", "completions", "fish", "ncdump", ""], &[]),
        (&["ncutils", "help", "d"], &["dump"]),
        (&["ncutils", "what", ""], &[]),
        (&["ncutils", "copy", "--shard-index", ""], &["start", "end"]),
        (&["ncutils", "dump", "-v", "r", SAMPLE], &[":files"]),
    ] {
        assert_eq!(told(words), expected, "{words:?}");
    }
}
