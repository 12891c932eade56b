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
    let of_command = |at: usize| arguments.get(at).and_then(|word| Member::of_command(word));
    let asks_for_help = arguments.get(1).is_some_and(|word| word == "help");
    let called = match asks_for_help {
        true => of_command(2).map(|member| (member, 3, &["--help"][..])),
        false => of_command(1).map(|member| (member, 2, &[][..])),
    };
    if let Some((member, count, more)) = called {
        // Messages and the help name the program, as if it were called.
        let first = [member.program().name].into_iter().chain(more.iter().copied());
        arguments.splice(..count, first.map(OsString::from));
        ncutils_cli::arguments::replace(arguments);
        return (member.main)();
    }
    if let Some(candidates) = completion::asked(env::args_os()) {
        return command::print(candidates);
    }
    command::run()
}
