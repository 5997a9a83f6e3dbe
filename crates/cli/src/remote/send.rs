//! Sends what is spooled: in order but for what was read from outside, which goes first, and deleted here once the server has it.

use std::{collections::HashMap, fs, path::PathBuf, time::Duration};

use hardwon_adapters::{ServerClient, ServerTrouble};
use hardwon_api::v1::delivery::{DeliveryBody, DeliveryItem, DeliveryKind, DeliveryReply};
use hardwon_core::digest;

use super::spool::read_item;
use crate::{RemotePlace, Spool};

/// Most things of one request.
const BATCH_ITEMS: usize = 64;
/// Longest time for the server to take things in, which may be learning from a long run.
const SEND_LIMIT: Duration = Duration::from_secs(60);

/// Things that are sent together, each with its file.
type Batch = Vec<(PathBuf, DeliveryItem)>;

/// Sends the things that have waited longest. Returns whether there were any.
///
/// What the server refuses for good is set aside. Anything else stays until it is sent.
pub fn send_next(place: &RemotePlace, client: &ServerClient) -> Result<bool, ServerTrouble> {
    let spool = place.spool();
    let waiting = spool.list_to_send().unwrap_or_default();
    let batch = collect_batch(&spool, waiting);
    if batch.is_empty() {
        return Ok(false);
    }
    let paths: Vec<PathBuf> = batch.iter().map(|(path, _)| path.clone()).collect();
    match send_batch(place, client, &batch) {
        Ok(reply) => finish_batch(&spool, &batch, &reply),
        Err(ServerTrouble::Refused(why)) if batch.len() == 1 => {
            drop(spool.set_aside(&batch[0].0, &why));
        }
        // One of them is what it does not take in, and the others are not to suffer for it.
        Err(ServerTrouble::Refused(_)) => send_each(place, client, &spool, batch)?,
        Err(other) => return Err(other),
    }
    check_gone(&paths)?;
    Ok(true)
}

/// What stays in the spool after it was sent would be sent again and again.
fn check_gone(paths: &[PathBuf]) -> Result<(), ServerTrouble> {
    match paths.iter().find(|path| path.exists()) {
        Some(left) => Err(ServerTrouble::Unreachable(format!(
            "{} was sent and cannot be removed",
            left.display()
        ))),
        None => Ok(()),
    }
}

fn send_each(
    place: &RemotePlace,
    client: &ServerClient,
    spool: &Spool,
    batch: Batch,
) -> Result<(), ServerTrouble> {
    for one in batch {
        let one = vec![one];
        match send_batch(place, client, &one) {
            Ok(reply) => finish_batch(spool, &one, &reply),
            Err(ServerTrouble::Refused(why)) => drop(spool.set_aside(&one[0].0, &why)),
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

/// Reads the first things. A trace ends a batch: it is long, and the recalls of its run come before it.
fn collect_batch(spool: &Spool, waiting: Vec<PathBuf>) -> Batch {
    let mut batch = Batch::new();
    for path in waiting.into_iter().take(BATCH_ITEMS) {
        match read_item(&path) {
            Ok(item) => {
                let is_trace = matches!(item.what, DeliveryKind::Trace { .. });
                batch.push((path, item));
                if is_trace {
                    break;
                }
            }
            // A later trace of its run took its place.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => drop(spool.set_aside(&path, &error.to_string())),
        }
    }
    batch
}

fn send_batch(
    place: &RemotePlace,
    client: &ServerClient,
    batch: &Batch,
) -> Result<DeliveryReply, ServerTrouble> {
    let body = DeliveryBody {
        agent_id: place.agent.as_ref().map(ToString::to_string),
        project: place.scope.project_name().map(str::to_owned),
        items: batch.iter().map(|(_, item)| item.clone()).collect(),
    };
    let unusable = |_| ServerTrouble::Refused("it cannot be written as JSON".to_owned());
    let body = serde_json::to_string(&body).map_err(unusable)?;
    let name = digest::to_hex(&digest::hash_parts([body.as_bytes()])[..16]);
    let answer = client.post("/v1/deliveries", &name, &body, SEND_LIMIT)?;
    serde_json::from_str(&answer).map_err(|_| {
        ServerTrouble::Unreachable("its answer is not that of a hardwon server".to_owned())
    })
}

fn finish_batch(spool: &Spool, batch: &Batch, reply: &DeliveryReply) {
    let refusals: HashMap<&str, &str> = (reply.refused.iter())
        .map(|lesson| (&*lesson.id, &*lesson.why))
        .collect();
    for (path, item) in batch {
        match refusals.get(&*item.id) {
            Some(why) => drop(spool.set_aside(path, why)),
            None => drop(fs::remove_file(path)),
        }
    }
}
