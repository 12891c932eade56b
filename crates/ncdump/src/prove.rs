//! `--check`: proves something of a dataset, and prints nothing of its content.

use std::io::{self, Write};

use anyhow::Context;
use ncdump::flags::{Arguments, Proof};
use ncutils_cli::remote::tell_notes;
use ncutils_core::location::Location;
use ncutils_core::message::tell;
use ncutils_core::proof::{CheckOptions, check, check_json, check_text};

/// Does what was asked for. Returns the exit status.
pub fn prove(arguments: &Arguments, proof: &Proof) -> anyhow::Result<u8> {
    match proof {
        Proof::Check => check_input(arguments),
    }
}

/// The input of a proof.
fn location(arguments: &Arguments) -> anyhow::Result<Location> {
    let input = arguments
        .remote
        .of("ncdump", Location::parse_input(Some(&arguments.input))?)?
        .with_access(arguments.access.clone());
    for warning in input.warnings() {
        tell("ncdump", format_args!("{input}: warning: {warning}"));
    }
    Ok(input)
}

fn check_input(arguments: &Arguments) -> anyhow::Result<u8> {
    let input = location(arguments)?;
    let reader = input.open_damaged(input.place()?, &arguments.registry)?;
    tell_notes("ncdump", &input);
    let checked = check(&*reader, &arguments.registry, &CheckOptions::default())
        .map_err(|error| error.in_file(input.name()))?;
    for warning in reader.data_warnings() {
        tell("ncdump", format_args!("{input}: warning: {warning}"));
    }
    print(&match arguments.json {
        true => check_json(&checked),
        false => check_text(&checked),
    })?;
    Ok(u8::from(!checked.faults.is_empty()))
}

/// Prints on standard output.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write")
}
