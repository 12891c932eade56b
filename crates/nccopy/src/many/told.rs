//! What is told of the jobs of a call: errors, JSON, and a line for all.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use ncutils_cli::options::NCCOPY;
use ncutils_core::location::Location;
use ncutils_core::message::some_of;

use super::job::{Done, FileJob};
use super::tally::{self, Fate, Tally};
use crate::arguments::Arguments;

/// State that all jobs share.
pub struct Told<'a> {
    arguments: &'a Arguments,
    tally: Tally,
    status: AtomicU8,
    /// Files of a folder that are no datasets.
    no_datasets: Mutex<Vec<String>>,
    /// The failure of standard output. No job starts after it.
    unread: Mutex<Option<anyhow::Error>>,
}

impl<'a> Told<'a> {
    /// Nothing yet.
    pub fn new(arguments: &'a Arguments) -> Self {
        Self {
            arguments,
            tally: Tally::new(arguments.dry_run, arguments.files.in_place),
            status: AtomicU8::new(0),
            no_datasets: Mutex::new(Vec::new()),
            unread: Mutex::new(None),
        }
    }

    /// False after a failure of standard output.
    pub fn is_heard(&self) -> bool {
        self.unread.lock().is_ok_and(|unread| unread.is_none())
    }

    /// Tells what came of a job.
    pub fn tell(&self, job: &FileJob, locations: Option<(&Location, &Location)>, done: anyhow::Result<Done>) {
        let input = job.input.display().to_string();
        let (fate, error) = match done {
            Ok(done) => {
                self.status.fetch_max(done.status, Ordering::Relaxed);
                (done.fate, None)
            }
            Err(error) if ncutils_cli::is_broken_pipe(&error) => {
                self.keep(Err(error));
                return;
            }
            Err(error) => (Fate::Failed, Some(self.error_of(&input, locations, error))),
        };
        if let Some(error) = &error {
            self.arguments.messages.tell(error);
        }
        if fate == Fate::NoDataset
            && let Ok(mut names) = self.no_datasets.lock()
        {
            names.push(input);
        }
        self.tally.add(fate);
        if self.arguments.json {
            let output = locations.map(|(_, output)| output.name().to_owned());
            let output = output.unwrap_or_default();
            let copied = self.tally.copied_name();
            let printed = tally::json((&job.input, &output), fate, copied, error.as_deref());
            self.keep(ncutils_cli::print(printed));
        }
    }

    fn keep(&self, done: anyhow::Result<()>) {
        if let (Err(error), Ok(mut unread)) = (done, self.unread.lock()) {
            unread.get_or_insert(error);
        }
    }

    /// The text of an error, which names the input.
    fn error_of(
        &self,
        input: &str,
        locations: Option<(&Location, &Location)>,
        error: anyhow::Error,
    ) -> String {
        let text = ncutils_cli::error_text(&NCCOPY, error, !self.arguments.salvage);
        let names_it = text.split(": ").any(|part| part == input);
        let text = match names_it {
            true => text,
            false => format!("{input}: {text}"),
        };
        let path = locations.and_then(|(input, _)| input.path());
        match path.is_some_and(|path| path.is_dir() && !Location::is_dataset_folder(path)) {
            true => format!("{text}; --recursive copies the datasets below a folder"),
            false => text,
        }
    }

    /// Tells the whole, and gives the exit status.
    ///
    /// # Errors
    /// The failure of standard output.
    pub fn end(self) -> anyhow::Result<u8> {
        if let Ok(Some(error)) = self.unread.into_inner() {
            return Err(error);
        }
        let names = self.no_datasets.into_inner().unwrap_or_default();
        if !names.is_empty() {
            self.arguments.messages.warn(format_args!(
                "files that are no datasets are left out: {}",
                some_of(&names, names.len())
            ));
        }
        if self.arguments.json {
            ncutils_cli::print(self.tally.json())?;
        }
        self.arguments.messages.note(&self.tally);
        Ok(match self.tally.failed() {
            0 => self.status.into_inner(),
            _ => 1,
        })
    }
}
