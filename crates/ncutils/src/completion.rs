//! Completes command lines of `ncutils`: its commands, and behind `copy`, `dump` and `gen` what completes those programs.

use std::ffi::OsString;

use clap::Command;
use ncutils_cli::completion::Call;

use crate::command::command;
use crate::member::Member;

/// What a script of a shell gets for a call with these arguments, the program's name first; `None` if no script asks.
pub fn asked(arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let call = Call::of(arguments)?;
    let before = call.before();
    let member = before.get(1).and_then(|word| Member::of_command(word.as_ref()));
    if let Some(member) = member {
        return call.of_command().answer(member.program());
    }
    let mut command = command();
    command.build();
    Some(call.answer_of(candidates(&command, before)))
}

/// What may follow these words: commands and options, or the values of a command's next operand.
fn candidates(command: &Command, before: &[String]) -> Vec<String> {
    let operands = before.get(1..).unwrap_or_default();
    let Some((first, others)) = operands.split_first() else {
        let options = command.get_arguments().filter_map(|option| {
            let help = option.get_help().map(ToString::to_string);
            Some(format!("--{}\t{}", option.get_long()?, help.unwrap_or_default()))
        });
        return commands(command).chain(options).collect();
    };
    let Some(inner) = command.find_subcommand(first) else {
        return Vec::new();
    };
    let operand = inner.get_positionals().nth(others.len());
    let values = operand
        .map(clap::Arg::get_possible_values)
        .unwrap_or_default()
        .into_iter()
        .map(|value| value.get_name().to_owned());
    let inner_commands = commands(inner).filter(|_| others.is_empty());
    inner_commands.chain(values).collect()
}

/// The commands of a parser, each with its line of the help.
fn commands(command: &Command) -> impl Iterator<Item = String> {
    command.get_subcommands().map(|command| {
        let about = command.get_about().map(ToString::to_string);
        format!("{}\t{}", command.get_name(), about.unwrap_or_default())
    })
}
