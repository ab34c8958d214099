//! The thread that commands run on: a stack that deep but legal input cannot exhaust, and an end to panics.

use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::thread;

use super::failure::Exit;

/// Reserved, not used: the system gives pages as they are touched. A system that refuses gets asked for less.
const STACKS: &[usize] = &[256 << 20, 64 << 20, 16 << 20];

/// Runs a command to its exit code.
pub fn run(command: impl FnOnce() -> Exit + Send) -> Exit {
    panic::set_hook(Box::new(report));
    let command = std::sync::Mutex::new(Some(command));
    let take = || command.lock().ok().and_then(|mut command| command.take());
    let work = || take().map_or(Exit::Bug, |command| command());
    let ended = thread::scope(|scope| {
        let started = STACKS.iter().find_map(|&size| {
            thread::Builder::new().name(String::from("command")).stack_size(size).spawn_scoped(scope, work).ok()
        });
        started.map(thread::ScopedJoinHandle::join)
    });
    match ended {
        Some(Ok(exit)) => exit,
        Some(Err(_)) => Exit::Bug,
        None => work(),
    }
}

/// What people are told of a panic.
fn report(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let why = text.unwrap_or("no reason given");
    let text = format!(
        "error: this is a bug of aipc: {why}{place}\n\
         help: please report it with this message, the version ({}) and, if possible, the smallest package that shows it; \
         nothing of the package has been sent anywhere\n",
        env!("CARGO_PKG_VERSION")
    );
    // Who cannot be told cannot be told that either.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
