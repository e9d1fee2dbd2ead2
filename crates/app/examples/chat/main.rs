//! Measures the chat of the assistant from outside: how long a provider's piece takes to the client, a step
//! to the next request, and a decision to the next request; what 200 streams cost; how much of a request the
//! one before had too. Usage: `chat BINARY [DATABASE_URL]`. `scripts/bench chat` runs it.
//!
//! Provider and client are this process, so that their times are of one clock.
#![expect(clippy::expect_used, reason = "a measurement ends when something is not as it should be")]

mod process;
mod provider;
mod service;

use std::{
    env,
    time::{Duration, Instant},
};

use crate::{
    process::{Person, Process},
    provider::{Asked, provide},
    service::Service,
};

/// Streams of a person at the same time.
const STREAMS: usize = 4;
/// Workspaces, and people of each.
const WORKSPACES: usize = 10;
const PEOPLE: usize = 5;

#[tokio::main]
async fn main() {
    let mut arguments = env::args().skip(1);
    let binary = arguments.next().expect("usage: chat BINARY [DATABASE_URL]");
    let asked = Asked::default();
    let provider = provide(asked.clone()).await;
    let process = Process::start(binary, arguments.next(), &provider);
    let service = Service::find(&process).await;
    println!("| | p50, ms | p99, ms |\n|---|---|---|");
    print("a provider's piece at the client, 1 stream", service.pieces(&service.people[..1], 1).await);
    print("a client that reads of a call (a read) to the next request", service.steps(&asked).await);
    print("the second step of an approval in the chat to the next request", service.decisions(&asked).await);
    let people = process.add_people(WORKSPACES, PEOPLE);
    let few = many(&process, &service, &people[..PEOPLE]).await;
    let all = many(&process, &service, &people).await;
    let streams = f64::from(u32::try_from((people.len() - PEOPLE) * STREAMS).expect("small"));
    println!("\nmemory of each further stream: {:.0} KiB", (all - few) / streams);
    println!(
        "the same prefix, 10 turns: {:.1} % of the bytes",
        service.same_prefix(10, &asked).await * 100.0
    );
}

/// Measures streams of these people, and the processor. Returns the memory of the process in KiB while they
/// run.
async fn many(process: &Process, service: &Service, people: &[Person]) -> f64 {
    let (begun, before) = (Instant::now(), process.cpu());
    let reading = async {
        let _ = tokio::time::timeout(Duration::from_secs(4), std::future::pending::<()>()).await;
        (process.memory(), process.cores(begun, before))
    };
    let (times, (memory, cores)) = tokio::join!(service.pieces(people, STREAMS), reading);
    let streams = people.len() * STREAMS;
    print(
        &format!("{streams} streams at 50 pieces a second, {cores:.2} cores, {} MiB", memory / 1024),
        times,
    );
    f64::from(u32::try_from(memory).expect("small"))
}

fn print(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("| {what} | {:.1} | {:.1} |", at(50), at(99));
}
