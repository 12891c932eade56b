//! [`Program`]: the options of a program, in groups.

use super::mode::Mode;
use super::opt::Opt;

/// A program, with everything that its parser, help, man page, completions, guide and messages know of its options.
#[derive(Debug)]
pub struct Program {
    /// The program's name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Options, in groups with headings.
    pub groups: Vec<(&'static str, Vec<Opt>)>,
    /// Ids of the options that the short help has first, in its order.
    pub most_used: &'static [&'static str],
    /// What stands in a command line without a name.
    pub operands: Vec<Opt>,
    /// Forms of the command line, after the program's name; empty for the form that follows from options and operands.
    pub usage: &'static [&'static str],
    /// The modes that no single option selects, with their names in the guide.
    pub modes: &'static [(Mode, &'static str)],
    /// Makes the text after the options in the help: examples and notes.
    pub after: fn() -> String,
}

impl Program {
    /// All options, in the order of the help.
    pub fn options(&self) -> impl Iterator<Item = &Opt> {
        self.groups.iter().flat_map(|(_, options)| options)
    }

    /// What messages say of options: their names, and the ends of sentences.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.options().flat_map(|option| {
            let ends = option.alternatives.iter().map(|(_, end)| (*end).to_owned());
            ends.chain([option.told_as()])
        })
    }
}
