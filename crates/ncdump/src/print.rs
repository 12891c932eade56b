//! Prints a dataset, or one fact of it.

use std::io::Write;

use anyhow::Context;
use ncutils_core::error::Error;
use ncutils_core::format::{Reader, SourceFile, rounded_numbers};
use ncutils_core::message::one_line;
use ncutils_core::print::DataOf;
use ncutils_core::print::cdl::dump;
use ncutils_core::print::json;
use ncutils_core::print::ncml;

use crate::arguments::{Arguments, dataset_name};
use crate::input::{check_all_printed, location, part_of, warn_of_data, warn_of_schema, warn_of_unfinished};

/// Prints what the arguments ask for of the input.
///
/// # Errors
/// What cannot be read or written. What was read before is printed.
pub fn print(arguments: &Arguments) -> anyhow::Result<()> {
    let input = location(arguments)?;
    let opened = input.input()?;
    if arguments.dump.special {
        opened.read_to_end()?;
    }
    let reader = input.open_input(opened, &arguments.registry)?;
    arguments.messages.warn_of_opening(&input);
    let can = reader.schema().kind.can();
    if arguments.kind_only {
        return ncutils_cli::print(arguments.labelled(&format!("{}\n", can.format_name)));
    }
    if arguments.format_only {
        return ncutils_cli::print(arguments.labelled(&format!("{}\n", can.extended_name)));
    }
    if arguments.sources {
        let files = reader.source_files().with_context(|| input.to_string())?;
        let line = |file: &SourceFile| format!("{}\n", one_line(&file.to_string()));
        return ncutils_cli::print(files.iter().map(line).collect::<String>());
    }
    let mut stdout = ncutils_cli::stdout()?;
    warn_of_unfinished(&*reader, &input, arguments);
    warn_of_schema(&*reader, &input, arguments);
    if let Some(warning) = rounded_numbers(reader.schema()) {
        arguments.messages.warn_of(&input, &warning);
    }
    let part = part_of(&*reader, arguments, &input)?;
    let reader: &dyn Reader = match &part {
        Some(part) => part,
        None => &*reader,
    };
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| dataset_name(input.file_name().as_deref().unwrap_or(input.name())));
    if arguments.of_several {
        // Files of several folders may have one name.
        writeln!(stdout, "// {}", one_line(&input.to_string())).context("cannot write")?;
    }
    let done = if arguments.json {
        json::dump(reader, &arguments.dump, &mut stdout)
    } else if arguments.ncml {
        let location = input.name().as_encoded_bytes();
        ncml::dump(reader, location, &arguments.dump, &mut stdout).map(|replaced| {
            if replaced > 0 {
                let what = match replaced {
                    1 => "character cannot stand in XML and became U+FFFD",
                    _ => "characters cannot stand in XML and became U+FFFD",
                };
                arguments
                    .messages
                    .warn_of(&input, format_args!("{replaced} {what}"));
            }
        })
    } else {
        dump(reader, &name, &arguments.dump, &mut stdout)
    };
    warn_of_data(reader, &input, arguments);
    // Flush after an error too: all readable text is printed.
    let flushed = stdout.flush().context("cannot write");
    done.map_err(|error| match error {
        // An error of writing the output is not the input's fault.
        e @ (Error::Usage(_) | Error::Io { .. }) => e,
        e => e.in_file(input.name()),
    })?;
    flushed?;
    let all_asked = !matches!(arguments.dump.data, DataOf::Listed(_));
    Ok(check_all_printed(reader.schema(), &input, all_asked)?)
}
