//! `--check`, `--digest`, `--diff`: proves something of a dataset, and prints nothing of its content.

use std::ffi::OsStr;
use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use ncutils_cli::print;
use ncutils_core::error::Error;
use ncutils_core::format::{Fault, Reader};
use ncutils_core::integrity::{
    CheckOptions, CompareOptions, Equality, Named, check_both_sides, check_json, check_text, check_variables,
    chosen, compare, digest,
};
use ncutils_core::location::Location;
use ncutils_core::message::one_line;
use ncutils_core::model::NamePattern;
use ncutils_core::store::InputKind;

use crate::arguments::{Arguments, Proof};
use crate::input::{location, part_of, warn_of_data, warn_of_schema, warn_of_unfinished};

/// Does what was asked for. Returns the exit status.
pub fn prove(arguments: &Arguments, proof: &Proof) -> anyhow::Result<u8> {
    match proof {
        Proof::Check => check_input(arguments),
        Proof::Digest => digest_input(arguments),
        Proof::Same(other, equality) => Ok(match same(arguments, other, *equality) {
            Ok(true) => 0,
            Ok(false) => 1,
            Err(error) => {
                arguments.messages.tell(format_args!("{error:#}"));
                2
            }
        }),
    }
}

fn check_input(arguments: &Arguments) -> anyhow::Result<u8> {
    let input = location(arguments)?;
    let opened = input.damaged_input()?;
    let (damage, is_verified) = (opened.damage().map(Fault::new), opened.is_verified());
    let store = match opened.kind() {
        InputKind::Keys(store) => Some(Arc::clone(store)),
        InputKind::Object(_) | InputKind::Queries(_) => None,
    };
    let reader = input.open_damaged(opened, &arguments.registry)?;
    arguments.messages.warn_of_opening(&input);
    let mut checked = chosen([reader.schema()], &arguments.dump.required)
        .and_then(|[vars]| check_variables(&*reader, vars, &arguments.registry, &work(arguments)))
        .map_err(|error| error.in_file(input.name()))?;
    let unfinished = reader.schema().unfinished.map(|why| Fault::new(why.to_string()));
    let sources = reader.unfinished_sources().into_iter();
    let sources =
        sources.map(|(name, why)| Fault::new(format!("it refers to {}: {why}", name.escape_debug())));
    checked
        .faults
        .splice(0..0, damage.into_iter().chain(unfinished).chain(sources));
    if let Some(store) = &store {
        let mut found = |fault| checked.faults.push(fault);
        let (only, work) = (&arguments.dump.required, work(arguments));
        check_both_sides(
            store,
            input.name(),
            &*reader,
            only,
            &arguments.registry,
            &work,
            &mut found,
        )
        .map_err(|error| error.in_file(input.name()))?;
    }
    if let Err(error) = reader.check_unchanged() {
        checked.faults.push(Fault::of(&error));
    }
    if is_verified {
        checked.uncovered.clear();
    }
    print(&match arguments.json {
        true => check_json(&input.to_string(), &checked),
        false => arguments.labelled(&check_text(&checked)),
    })?;
    Ok(u8::from(!checked.faults.is_empty()))
}

fn digest_input(arguments: &Arguments) -> anyhow::Result<u8> {
    let input = location(arguments)?;
    let reader = input.open_with(&arguments.registry)?;
    arguments.messages.warn_of_opening(&input);
    warn_of_unfinished(&*reader, &input, arguments);
    warn_of_schema(&*reader, &input, arguments);
    refuse_incomplete(&*reader, &input, arguments)?;
    let part = part_of(&*reader, arguments, &input)?;
    let whole = &*reader;
    let reader = part.as_ref().map_or(whole, |part| part as &dyn Reader);
    let mut out = ncutils_cli::stdout()?;
    let done = digest(reader, &arguments.dump.required, &mut |line| {
        write!(out, "{}", arguments.labelled(&format!("{line}\n"))).map_err(|e| Error::io("cannot write", e))
    });
    warn_of_data(reader, &input, arguments);
    done.map_err(|error| match error {
        e @ Error::Io { .. } => e,
        e => e.in_file(input.name()),
    })?;
    out.flush().context("cannot write")?;
    whole.check_unchanged().map_err(|e| e.in_file(input.name()))?;
    Ok(0)
}

/// How a check may work.
fn work(arguments: &Arguments) -> CheckOptions {
    CheckOptions {
        memory: arguments.memory,
        ..CheckOptions::default()
    }
}

/// Refuses a dataset that has items in files that may not be read, and one of which damaged items are left out, unless variables are
/// named. A pattern names none: it may match what is damaged.
fn refuse_incomplete(reader: &dyn Reader, location: &Location, arguments: &Arguments) -> Result<(), Error> {
    let schema = reader.schema();
    let names = &arguments.dump.required;
    let is_named = !names.is_empty() && !names.iter().any(NamePattern::is_glob);
    let error = match (schema.refused.first(), schema.faults.first()) {
        (Some(refused), _) => Error::Usage(refused.clone()),
        (None, Some(fault)) if !is_named => Error::Damaged(fault.clone()),
        (None, _) => return Ok(()),
    };
    Err(error.in_file(location.name()))
}

/// Compares the other dataset with the input. True if they are the same.
fn same(arguments: &Arguments, other: &OsStr, equality: Equality) -> anyhow::Result<bool> {
    let input = location(arguments)?;
    let other = arguments
        .remote
        .of(arguments.messages, Location::parse_input(Some(other))?)?
        .with_access(arguments.access.clone())
        .with_reference_paths(arguments.reference_paths);
    let reader = input.open_with(&arguments.registry)?;
    let second = other.open_with(&arguments.registry)?;
    for location in [&input, &other] {
        arguments.messages.warn_of_opening(location);
    }
    warn_of_unfinished(&*reader, &input, arguments);
    warn_of_unfinished(&*second, &other, arguments);
    warn_of_schema(&*second, &other, arguments);
    warn_of_schema(&*reader, &input, arguments);
    refuse_incomplete(&*reader, &input, arguments)?;
    refuse_incomplete(&*second, &other, arguments)?;
    let part = part_of(&*reader, arguments, &input)?;
    let second_part = part_of(&*second, arguments, &other)?;
    let of_input = part.as_ref().map_or(&*reader, |part| part as &dyn Reader);
    let of_other = second_part.as_ref().map_or(&*second, |part| part as &dyn Reader);
    let (input_name, other_name) = (input.to_string(), other.to_string());
    let a = Named {
        reader: of_other,
        name: &other_name,
    };
    let b = Named {
        reader: of_input,
        name: &input_name,
    };
    let options = CompareOptions {
        equality,
        work: work(arguments),
        ..CompareOptions::default()
    };
    let mut lines = String::new();
    let count = compare(
        a,
        b,
        &arguments.dump.required,
        &arguments.registry,
        &options,
        &mut |line| {
            lines += &one_line(&line);
            lines.push('\n');
        },
    );
    print(&lines)?;
    for (location, reader) in [(&other, of_other), (&input, of_input)] {
        warn_of_data(reader, location, arguments);
    }
    let count = count?;
    for (location, reader) in [(&other, &second), (&input, &reader)] {
        reader.check_unchanged().map_err(|e| e.in_file(location.name()))?;
    }
    Ok(count == 0)
}
