//! What the command line says of inputs and outputs.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;
use ncutils_core::error::{Error, Result, usage};
use ncutils_core::location::Location;

/// The options and operands that name inputs and outputs.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The operands, in their order.
    pub operands: Vec<OsString>,
    /// `--files-from`: a list of further inputs.
    pub list: Option<OsString>,
    /// `--recursive`: the inputs are all datasets below one folder.
    pub recursive: bool,
    /// The inputs among them that are copied; `None` for all. Names from the root on.
    pub chosen: Option<Vec<OsString>>,
    /// `--join` or `--merge`: the inputs become one output.
    pub join: bool,
    /// The dimension of `--join`.
    pub dim: Option<String>,
    /// `--append`: the output exists, and grows.
    pub append: bool,
    /// `--in-place`: each input is its own output.
    pub in_place: bool,
    /// `--break-links`: replace files with several hard links.
    pub break_links: bool,
    /// `--preserve`: give outputs the times of their inputs.
    pub preserve: bool,
    /// `--update`: skip what is done already.
    pub update: bool,
}

/// The form of a command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Form<'a> {
    /// One input and one output.
    One(&'a OsString, &'a OsString),
    /// Inputs whose outputs go into a folder.
    IntoFolder(&'a [OsString], &'a OsString),
    /// Inputs that are replaced.
    InPlace(&'a [OsString]),
}

impl Files {
    /// True if an operand is a URL.
    pub fn has_url(&self) -> bool {
        self.operands
            .iter()
            .any(|name| name.to_string_lossy().contains("://"))
    }

    /// The operands before the last, which is the output.
    pub fn inputs(&self) -> &[OsString] {
        self.operands.split_last().map_or(&[], |(_, inputs)| inputs)
    }

    /// The same with all inputs by their names, in place of lists and folders of them.
    #[must_use]
    pub fn with_inputs(&self, names: &[OsString]) -> Self {
        let output = self.operands.last().cloned();
        Self {
            operands: names.iter().cloned().chain(output).collect(),
            list: None,
            recursive: false,
            ..self.clone()
        }
    }

    /// What a call says.
    pub fn of(matches: &ArgMatches) -> Self {
        let given = |id: &str| matches.get_flag(id);
        let operands = matches.get_many::<OsString>("paths").into_iter().flatten();
        let mut operands: Vec<OsString> = operands.cloned().collect();
        let takes_more = ["files-from", "join"]
            .map(|id| matches.contains_id(id))
            .contains(&true)
            || ["recursive", "merge", "append", "in-place"]
                .map(given)
                .contains(&true);
        if given("dry-run") && operands.len() == 1 && !takes_more {
            operands.push("OUTPUT".into());
        }
        Self {
            operands,
            list: matches.get_one::<OsString>("files-from").cloned(),
            chosen: None,
            recursive: given("recursive"),
            join: matches.contains_id("join") || given("merge"),
            dim: matches.get_one::<String>("join").cloned(),
            append: given("append"),
            in_place: given("in-place"),
            break_links: given("break-links"),
            preserve: given("preserve"),
            update: given("update"),
        }
    }

    /// The inputs and the output of a join, or of what is added to an output.
    ///
    /// # Errors
    /// Operands that are missing; an output that is a folder.
    pub fn joined(&self) -> Result<(&[OsString], &OsString)> {
        let form = match self.append {
            true => "nccopy --append [OPTIONS] INPUT... OUTPUT",
            false => "nccopy --join DIM [OPTIONS] INPUT... OUTPUT",
        };
        let Some((output, inputs)) = self.operands.split_last() else {
            return usage(format!("name the inputs and the output: {form}"));
        };
        if inputs.is_empty() && self.list.is_none() {
            return usage(format!("the output is missing: {form}"));
        }
        if !self.append && self.list.is_none() {
            self.refuse_forgotten_dimension()?;
        }
        if Location::is_folder_for_outputs(output, false)? {
            return usage(format!(
                "{}: this is a folder, and --join and --merge make one dataset; name a file in it",
                output.display()
            ));
        }
        Ok((inputs, output))
    }

    /// Refuses the name of a file in the place of the dimension.
    ///
    /// # Errors
    /// `--join jan.nc feb.nc year.nc`, where `jan.nc` is a file.
    fn refuse_forgotten_dimension(&self) -> Result<()> {
        let Some(dim) = self.dim.as_deref().filter(|dim| Path::new(dim).is_file()) else {
            return Ok(());
        };
        usage(format!(
            "--join takes a dimension first, and '{dim}' is a file: nccopy --join DIM [OPTIONS] INPUT... OUTPUT"
        ))
    }

    /// Refuses to replace an output by the copy of the only input that is named: its name was then meant for a further input, and
    /// the output was forgotten. A list or a folder of inputs names the output by itself.
    ///
    /// # Errors
    /// An output that exists.
    pub fn refuse_forgotten_output(&self, output: &Location) -> Result<()> {
        let is_one = self.operands.len() == 2 && self.list.is_none() && !self.recursive;
        if !is_one || !is_there(output) {
            return Ok(());
        }
        let option = match self.dim {
            Some(_) => "--join",
            None => "--merge",
        };
        let told = format!(
            "{option}: the last name is the output, and this exists; name an output behind the inputs, or remove this first"
        );
        Err(Error::Usage(told).in_file(output.name()))
    }

    /// The form of the command line.
    ///
    /// # Errors
    /// Operands that are missing, or more than the form takes; an output that is no folder for several inputs.
    pub fn form(&self) -> Result<Form<'_>> {
        if self.in_place {
            return match self.operands.is_empty() && self.list.is_none() {
                true => usage("--in-place: name the files to replace"),
                false => Ok(Form::InPlace(&self.operands)),
            };
        }
        let Some((output, inputs)) = self.operands.split_last() else {
            return usage("name an input and an output: nccopy [OPTIONS] INPUT OUTPUT");
        };
        if output.is_empty() {
            return usage("the name of the output is empty");
        }
        let many = self.recursive || self.list.is_some();
        if inputs.is_empty() && self.list.is_none() {
            return usage("the output is missing: nccopy [OPTIONS] INPUT OUTPUT");
        }
        if self.recursive && inputs.len() != 1 {
            return usage("--recursive takes one folder of inputs and one for outputs");
        }
        let is_folder = Location::is_folder_for_outputs(output, inputs.len() > 1)?;
        match inputs {
            [input] if !many && !is_folder => Ok(Form::One(input, output)),
            _ if many || is_folder => Ok(Form::IntoFolder(inputs, output)),
            _ => usage(format!(
                "{}: the output of several inputs is a folder: write '{}/', or name a folder that exists and holds no dataset; \
                 --join and --merge make one dataset of them",
                output.display(),
                output.display()
            )),
        }
    }
}

/// True if an output exists, on a store if it can be read.
fn is_there(output: &Location) -> bool {
    match output.path() {
        Some(path) => path.is_file() || path.is_dir(),
        None => output.input().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(operands: &[&str]) -> Files {
        Files {
            operands: operands.iter().map(OsString::from).collect(),
            ..Files::default()
        }
    }

    fn told(files: &Files) -> String {
        match files.form() {
            Ok(Form::One(..)) => "one".to_owned(),
            Ok(Form::IntoFolder(inputs, _)) => format!("{} into a folder", inputs.len()),
            Ok(Form::InPlace(inputs)) => format!("{} in place", inputs.len()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn operands_tell_the_form() {
        for (operands, expected) in [
            (&["a.nc", "b.nc"][..], "one"),
            (&["a.nc", "out/"], "1 into a folder"),
            (&["a.nc", "b.nc", "out/"], "2 into a folder"),
            (&["a.nc", "b.nc", "s3://b/out/"], "2 into a folder"),
            (&["a.nc", "x.zarr/"], "one"),
        ] {
            assert_eq!(told(&files(operands)), expected, "{operands:?}");
        }
        assert!(told(&files(&["a.nc", "b.nc", "c.nc"])).starts_with("c.nc: the output of several inputs"));
        assert_eq!(
            told(&files(&["a.nc", "b.nc", ""])),
            "the name of the output is empty"
        );
        assert!(told(&files(&["a.nc"])).starts_with("the output is missing"));
        assert!(told(&files(&[])).starts_with("name an input and an output"));
    }

    #[test]
    fn options_tell_the_form() {
        let in_place = Files {
            in_place: true,
            ..files(&["a.nc"])
        };
        assert_eq!(told(&in_place), "1 in place");
        let listed = Files {
            list: Some("-".into()),
            ..files(&["out"])
        };
        assert_eq!(told(&listed), "0 into a folder");
        let recursive = |operands| Files {
            recursive: true,
            ..files(operands)
        };
        assert_eq!(told(&recursive(&["in", "out"])), "1 into a folder");
        assert!(told(&recursive(&["in", "more", "out"])).starts_with("--recursive takes one folder"));
    }
}
