//! Measures a store on a server beside one in a file: recalls at two sizes, and commits.
//!
//! `cargo run --release -p hardwon-store-postgres --example measure -- URL [LESSONS…]`, with the URL of a database that
//! has been migrated. It leaves its tenants there.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::{
    error::Error,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use hardwon_core::{Change, LessonId};
use hardwon_store::{SqliteStore, Store};
use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use hardwon_store_suite::samples::{
    admitted_lesson, apply_changes, learn_lesson, make_query, make_scope, tenant_id,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const RECALLS: usize = 2_000;
const SPAN: Duration = Duration::from_secs(5);

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let url = args.next().ok_or("which database?")?;
    PostgresStore::migrate(&url, PostgresOptions::default())?;
    let server = PostgresStore::open(&url, PostgresOptions::default())?;
    let folder = tempfile::tempdir()?;
    let sizes: Vec<usize> = args.map(|it| it.parse()).collect::<Result<_, _>>()?;
    for size in sizes {
        let file = SqliteStore::open(&folder.path().join(format!("{size}.db")))?;
        for (name, store) in [("postgres", &server as &dyn Store), ("sqlite", &file)] {
            let tenant = format!("size{size}");
            fill(store, &tenant, size)?;
            measure_recalls(name, store, &tenant, 1)?;
            measure_recalls(name, store, &tenant, 8)?;
        }
    }
    let file = SqliteStore::open(Path::new(&folder.path().join("commits.db")))?;
    for (name, store) in [("postgres", &server as &dyn Store), ("sqlite", &file)] {
        for (tenants, threads) in [(1, 1), (1, 8), (100, 8)] {
            measure_commits(name, store, tenants, threads);
        }
    }
    Ok(())
}

/// Draws words: few of them often, most of them seldom.
fn draw_words(dice: &mut Rng, count: usize) -> String {
    let word = |dice: &mut Rng| {
        let rank = 50_000_f64.powf(dice.f64());
        format!("w{rank:.0}q")
    };
    let words: Vec<String> = (0..count).map(|_| word(dice)).collect();
    words.join(" ")
}

fn fill(store: &dyn Store, tenant: &str, size: usize) -> Outcome<()> {
    let mut dice = Rng::with_seed(7);
    let place = make_scope(tenant, "a", "p");
    let started = Instant::now();
    for first in (0..size).step_by(500) {
        let add = |number: usize| -> Outcome<Change> {
            let count = dice.usize(25..56);
            let text = draw_words(&mut dice, count);
            Ok(Change::Add {
                id: LessonId(i64::try_from(number + 1)?),
                admitted: Box::new(admitted_lesson(&place, &text)),
            })
        };
        let changes = (first..size.min(first + 500))
            .map(add)
            .collect::<Outcome<_>>()?;
        apply_changes(store, &tenant_id(tenant), changes)?;
    }
    println!("{tenant}: filled in {:.1?}", started.elapsed());
    Ok(())
}

fn measure_recalls(name: &str, store: &dyn Store, tenant: &str, threads: usize) -> Outcome<()> {
    let place = make_scope(tenant, "a", "p");
    let ask = |seed: usize| {
        let mut dice = Rng::with_seed(seed as u64);
        let mut taken = Vec::with_capacity(RECALLS / threads);
        let mut found = 0;
        for _ in 0..RECALLS / threads {
            let count = dice.usize(8..13);
            let query = make_query(&place, &draw_words(&mut dice, count));
            let asked = Instant::now();
            found += store.snapshot()?.search(&query)?.hits.len();
            taken.push(asked.elapsed());
        }
        Ok::<_, hardwon_store::StoreError>((taken, found))
    };
    ask(1000)?;
    let started = Instant::now();
    let mut taken = Vec::new();
    let mut found = 0;
    thread::scope(|scope| -> Outcome<()> {
        let threads: Vec<_> = (0..threads)
            .map(|seed| scope.spawn(move || ask(seed)))
            .collect();
        for thread in threads {
            let (times, hits) = thread.join().map_err(|_| "a thread panicked")??;
            taken.extend(times);
            found += hits;
        }
        Ok(())
    })?;
    let rate = taken.len() as f64 / started.elapsed().as_secs_f64();
    taken.sort_unstable();
    let at = |share: usize| taken[taken.len() * share / 100];
    println!(
        "{name} {tenant}, {threads} threads: p50 {:.0?} p90 {:.0?} p99 {:.0?}, {rate:.0}/s, {:.1} hits",
        at(50),
        at(90),
        at(99),
        found as f64 / taken.len() as f64,
    );
    Ok(())
}

fn measure_commits(name: &str, store: &dyn Store, tenants: usize, threads: usize) {
    let done = AtomicU64::new(0);
    let failed = AtomicU64::new(0);
    let run = fastrand::u32(..);
    thread::scope(|scope| {
        for thread in 0..threads {
            let (done, failed) = (&done, &failed);
            scope.spawn(move || {
                let mut dice = Rng::with_seed(thread as u64 + u64::from(run));
                let started = Instant::now();
                while started.elapsed() < SPAN {
                    let tenant = format!("commits{tenants}n{}", dice.usize(0..tenants));
                    let lesson =
                        admitted_lesson(&make_scope(&tenant, "a", "p"), &draw_words(&mut dice, 30));
                    let outcome = learn_lesson(store, lesson);
                    let counter = if outcome.is_ok() { done } else { failed };
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let rate = done.load(Ordering::Relaxed) as f64 / SPAN.as_secs_f64();
    let failed = failed.load(Ordering::Relaxed);
    println!("{name}, {tenants} tenants, {threads} threads: {rate:.0} commits/s, {failed} failed");
}
