//! Feeds damaged input to every parser. Works with any stable toolchain.
//!
//! ```text
//! run ──► threads ──► worker process (memory limit): seeds ─► mutate ─► target
//!            ▲                                 │
//!            └── "input n begins", panics ─────┘   silence too long: a hang; an end: a crash
//! ```
//!
//! Inputs depend only on the run's number and their own, so a run can be repeated exactly, and the input that a worker
//! crashed on can be made again here. Failing inputs are saved in `target/fuzz`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ncutils_fuzz::{FuzzTarget, TARGETS, mutate};

use crate::workspace::root;

/// Maximum time for one input.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Maximum address space of a worker, in bytes. Inputs have at most a quarter MiB.
const MEMORY_LIMIT: u64 = 1 << 30;

/// Default duration of a run, in seconds.
const DEFAULT_SECONDS: u64 = 60;

/// The first argument of a worker process.
pub const WORKER: &str = "fuzz-worker";

/// Distinct failures of a target: place of the panic or kind of exit ─► message, and number of the first input.
type Failures = BTreeMap<String, (String, u64)>;

/// `cargo xtask fuzz [SECONDS] [TARGET]… [--run N]`, or `cargo xtask fuzz TARGET FILE` for one input.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut seconds = DEFAULT_SECONDS;
    let mut run = 0;
    let mut targets: Vec<&FuzzTarget> = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if let Some(target) = TARGETS.iter().find(|t| t.name == argument) {
            targets.push(target);
        } else if argument == "--run" {
            let number = arguments.next().context("--run needs a number")?;
            run = number
                .parse()
                .with_context(|| format!("--run {number}: not a number"))?;
        } else if let Ok(number) = argument.parse() {
            seconds = number;
        } else if let ([target], true) = (targets.as_slice(), Path::new(argument).is_file()) {
            let input = fs::read(argument)?;
            (target.run)(&input);
            println!("{}: {argument}: passed", target.name);
            return Ok(());
        } else {
            let names = TARGETS.map(|t| t.name).join(", ");
            bail!(
                "'{argument}' is not a number of seconds, a target ({names}) or, behind one target, a file"
            );
        }
    }
    if targets.is_empty() {
        targets = TARGETS.iter().collect();
    }
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(targets.len());
    let share = Duration::from_secs(seconds) * threads as u32 / targets.len() as u32;
    let queue = Mutex::new(targets.into_iter());
    let found = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(target) = queue.lock().ok().and_then(|mut queue| queue.next()) {
                    let failed = match one_target(target, run, share) {
                        Ok(failures) => failures,
                        Err(error) => {
                            eprintln!("xtask: {}: {error:#}", target.name);
                            1
                        }
                    };
                    if let Ok(mut found) = found.lock() {
                        *found += failed;
                    }
                }
            });
        }
    });
    match found.into_inner().unwrap_or(1) {
        0 => Ok(()),
        n => {
            bail!("{n} ways to fail were found; `cargo xtask fuzz TARGET FILE` runs one of the inputs again")
        }
    }
}

/// Fuzzes one target for the time `share`. Returns the number of distinct failures.
fn one_target(target: &FuzzTarget, run: u64, share: Duration) -> Result<usize> {
    let seeds = target.seeds(&root());
    let begun = Instant::now();
    let mut failures = Failures::new();
    let mut next = 0;
    while begun.elapsed() < share {
        let before = next;
        next = one_worker(
            target,
            run,
            next,
            share.saturating_sub(begun.elapsed()),
            &mut failures,
        )?;
        if next == before {
            bail!("the worker ends without having begun");
        }
    }
    println!(
        "{}: {next} inputs from {} seeds, {} failures",
        target.name,
        seeds.len(),
        failures.len()
    );
    if failures.is_empty() {
        return Ok(0);
    }
    let folder = target_folder().join(target.name);
    fs::create_dir_all(&folder)?;
    for (way, (message, number)) in &failures {
        let path = folder.join(format!("{run}-{number}"));
        fs::write(&path, mutate::input(&seeds, run, *number))?;
        println!("{}: {}: {way}: {message}", target.name, path.display());
    }
    Ok(failures.len())
}

fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), PathBuf::from)
        .join("fuzz")
}

/// Runs one worker until time is up or it ends. Returns the number of the next input.
fn one_worker(
    target: &FuzzTarget,
    run: u64,
    first: u64,
    time: Duration,
    failures: &mut Failures,
) -> Result<u64> {
    let deadline = Instant::now() + time;
    let mut child = Command::new(std::env::current_exe()?)
        .args([WORKER, target.name, &run.to_string(), &first.to_string()])
        // glibc reserves 64 MiB of address space for the memory of each thread, and targets start many.
        .env("MALLOC_ARENA_MAX", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (sender, receiver) = mpsc::sync_channel(1024);
    let stdout = child.stdout.take().context("no pipe")?;
    let reading = thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let stderr = child.stderr.take().context("no pipe")?;
    let saying = thread::spawn(move || {
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        lines.find(|line| !line.is_empty())
    });
    let mut current = None;
    // The worker loads the seeds before its first input.
    let mut limit = TIME_LIMIT * 3;
    let mut hung = false;
    let mut ended = false;
    while Instant::now() < deadline {
        match receiver.recv_timeout(limit) {
            Ok(line) => match line.split_once(' ') {
                Some((number, panic)) => {
                    let (place, message) = panic.split_once(' ').unwrap_or((panic, ""));
                    let number = number.parse()?;
                    let place = format!("panic at {place}");
                    failures.entry(place).or_insert((message.to_owned(), number));
                }
                None => {
                    current = Some(line.parse::<u64>()?);
                    limit = TIME_LIMIT;
                }
            },
            Err(RecvTimeoutError::Timeout) => {
                hung = true;
                break;
            }
            Err(RecvTimeoutError::Disconnected) => {
                ended = true;
                break;
            }
        }
    }
    let _ = child.kill();
    drop(receiver);
    let status = child.wait()?;
    let said = saying.join().ok().flatten();
    let _ = reading.join();
    let Some(current) = current else {
        if ended || hung {
            bail!(
                "the worker does not begin: {status}: {}",
                said.unwrap_or_default()
            );
        }
        return Ok(first + 1);
    };
    if hung {
        let message = format!("longer than {} s", TIME_LIMIT.as_secs());
        failures.entry("hang".to_owned()).or_insert((message, current));
    } else if ended {
        let said = said.unwrap_or_default();
        failures.entry(status.to_string()).or_insert((said, current));
    }
    Ok(current + 1)
}

/// Runs a worker process until it is killed. It prints the number of each input before it begins, and the place of each
/// panic.
pub fn worker(arguments: &[String]) -> Result<()> {
    let [name, run, first] = arguments else {
        bail!("a worker is started by `cargo xtask fuzz`");
    };
    let target = TARGETS
        .iter()
        .find(|t| t.name == name)
        .context("no such target")?;
    let (run, first): (u64, u64) = (run.parse()?, first.parse()?);
    let limit = rustix::process::Rlimit {
        current: Some(MEMORY_LIMIT),
        maximum: Some(MEMORY_LIMIT),
    };
    rustix::process::setrlimit(rustix::process::Resource::As, limit)?;
    set_hook(Box::new(|panic| {
        if let Ok(mut said) = PANIC.lock() {
            let place = panic.location().map_or_else(String::new, ToString::to_string);
            let payload = panic.payload();
            let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
                (Some(text), _) => text,
                (_, Some(text)) => text.as_str(),
                _ => "panic",
            };
            let message = message.replace('\n', " ");
            said.get_or_insert((place, message));
        }
    }));
    let seeds = target.seeds(&root());
    let mut stdout = io::stdout().lock();
    let mut places = BTreeMap::new();
    for number in first.. {
        writeln!(stdout, "{number}")?;
        stdout.flush()?;
        let input = mutate::input(&seeds, run, number);
        if catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_ok() {
            continue;
        }
        let said = PANIC.lock().ok().and_then(|mut said| said.take());
        let (place, message) = said.unwrap_or_default();
        // One input for each place is enough.
        if places.insert(place.clone(), number).is_none() {
            writeln!(stdout, "{number} {place} {message}")?;
            stdout.flush()?;
        }
    }
    Ok(())
}

/// Place and message of the first panic of the current input.
static PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);
