//! Copies as the arguments say: one dataset, several, or several as one.

use ncutils_cli::allocator::return_freed_pages;
use ncutils_core::location::Location;

use crate::arguments::Arguments;
use crate::files::Form;
use crate::{locations, many, modes};

/// Copies as the arguments say. Returns the exit status: 0, 1 if one of several inputs failed, or 3 if something of a damaged input
/// is lost.
pub(crate) fn copy(arguments: &Arguments) -> anyhow::Result<u8> {
    if arguments.memory.is_some() && arguments.files.has_url() {
        return_freed_pages();
    }
    if arguments.files.append {
        return modes::append::copy(arguments);
    }
    if arguments.files.join {
        return modes::join::copy(arguments);
    }
    match arguments.files.form()? {
        // These two look at the output first, or after the copy, as for several inputs.
        Form::One(input, output) if !arguments.files.update && !arguments.files.preserve => {
            let input = locations::input(arguments, input)?;
            let output = locations::output(arguments, Location::parse_output(output)?)?;
            modes::copy((&input, &output), arguments)
        }
        several => many::copy(&several, arguments),
    }
}
