//! `ncutils`: nccopy, ncdump and ncgen in one program, for packages.
//!
//! ```text
//! ncutils copy|dump|gen ARGUMENTS ─┐
//! nccopy, ncdump, ncgen ARGUMENTS ─┴─► member ─► main of nccopy, ncdump or ncgen
//! ncutils completions, man, --help ──► command
//! ncutils --complete-words, by the script of a shell ─► completion ─► command, member
//! ```
//!
//! Called by the name of one of them, such as through a symbolic link, it is that program. As they are in one program, the libraries
//! that they share are in a package once.

mod command;
mod completion;
mod member;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use member::Member;

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = env::args_os().collect();
    if let Some(member) = arguments.first().and_then(|path| Member::called_as(path)) {
        return (member.main)();
    }
    if let Some(member) = arguments.get(1).and_then(|word| Member::of_command(word)) {
        // Messages and the help name the program, as if it were called.
        arguments.splice(..2, [OsString::from(member.program().name)]);
        ncutils_cli::arguments::replace(arguments);
        return (member.main)();
    }
    if let Some(candidates) = completion::asked(env::args_os()) {
        return command::print(&candidates);
    }
    command::run()
}
