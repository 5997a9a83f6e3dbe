//! `/v1/deliveries`: what the hooks of another machine did with their copy of the lessons, in one route: what happened
//! first is sent first, and nothing of it waits for an answer about the other.

use hardwon_api::v1::delivery::{
    DeliveryBody, DeliveryItem, DeliveryKind, DeliveryReply, RefusedItem,
};
use hardwon_core::{OutsideWords, Recall, RunId, Scope, Trace};
use hardwon_engine::{Error, KeptWrit, KnownRecalls, sessions};
use hardwon_store::{IdempotencyKey, RequestConflict, RequestMark, rows::parse_recall_line};

use super::prelude::*;
use crate::AppState;

/// Most bytes of a delivery: a trace has half a mebibyte of text.
const DELIVERY_BYTES: usize = 8 * 1024 * 1024;
/// Most things of a delivery.
const DELIVERY_ITEMS: usize = 256;
/// Longest name of a thing.
const ITEM_NAME_CHARS: usize = 64;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        own_verb("POST /v1/deliveries", take_delivery)
            .needs(Capability::Learn)
            .counts_once()
            .takes_up_to(DELIVERY_BYTES)
            .sends("What was kept")
            .tells::<DeliveryReply>(200, "What became of it")
            .or(413, "The body is too large"),
    ]
}

/// Take in what hooks elsewhere did with their copy of the lessons.
///
/// Recalls that they made, so that the lessons are credited with what follows; `/lesson` lines, carried out with no more
/// than the rights of an agent; that a run read content from outside, so that what its agent records is checked as such;
/// and what happened in runs, to learn from. Each counts once, however often it is sent,
/// and after a 5xx all of it may be sent again.
async fn take_delivery(door: Door, JsonBody(body): JsonBody<DeliveryBody>) -> Result<Response> {
    let asked_scope = parse_asked_scope(body.agent_id, body.project)?;
    if body.items.len() > DELIVERY_ITEMS {
        return Err(ApiError::bad_request("at most 256 items at once").with_field("items"));
    }
    let names = asked_scope.clone();
    // Reading long traces is not to hold up those who change lessons.
    let delivery = door.clone().run(WorkKind::Read, move |door| {
        let scope = door.read_desk(&names)?.principal().scope.clone();
        let items = body.items.into_iter();
        let items: Vec<SentItem> = items.map(|item| SentItem::parse(item, &scope)).collect();
        note_outside(&door.state, &scope, &items);
        Ok(items)
    });
    let items = delivery.await?;
    let learns = items
        .iter()
        .any(|item| matches!(item.what, Ok(SentThing::Trace(_))));
    let is_outside = |item: &SentItem| matches!(item.what, Err(_) | Ok(SentThing::Outside { .. }));
    let changes = !items.iter().all(is_outside);
    let work = move |door: &Door| {
        let desk = door.write_desk(&asked_scope)?;
        let recalls = items.iter().filter_map(SentItem::as_recall);
        let mut receiver = ItemReceiver {
            known: desk.look_up_recalls(recalls)?,
            desk,
            key: door.caller.record().id.to_string(),
        };
        let mut reply = DeliveryReply::default();
        for item in items {
            receiver.take_item(item, &mut reply)?;
        }
        let tenant = &receiver.desk.principal().scope.tenant;
        door.state.recalled.note(tenant);
        json(&reply)
    };
    let kind = match (learns, changes) {
        (true, _) => WorkKind::Learn,
        (false, true) => WorkKind::Write,
        (false, false) => WorkKind::Read,
    };
    door.run(kind, work).await
}

/// One thing, parsed, or why it cannot be.
struct SentItem {
    id: String,
    what: std::result::Result<SentThing, String>,
}

/// What was kept.
enum SentThing {
    Recall(Recall),
    Writ {
        name: IdempotencyKey,
        run: RunId,
        writ: KeptWrit,
    },
    Outside {
        run: RunId,
        words: OutsideWords,
    },
    Trace(Box<Trace>),
}

impl SentItem {
    fn parse(item: DeliveryItem, scope: &Scope) -> Self {
        Self {
            id: item.id.chars().take(ITEM_NAME_CHARS).collect(),
            what: SentThing::parse(item, scope),
        }
    }

    fn as_recall(&self) -> Option<&Recall> {
        match &self.what {
            Ok(SentThing::Recall(recall)) => Some(recall),
            _ => None,
        }
    }
}

impl SentThing {
    fn parse(item: DeliveryItem, scope: &Scope) -> std::result::Result<Self, String> {
        let name = IdempotencyKey::parse(&item.id);
        let (Ok(name), Ok(run)) = (name, RunId::parse(&item.run)) else {
            return Err("its id or run is no name".to_owned());
        };
        match item.what {
            DeliveryKind::Recall { line } => {
                let recall = parse_recall_line(line.as_bytes());
                let recall = recall.ok_or("the recall cannot be read")?;
                Ok(Self::Recall(Recall {
                    scope: scope.clone(),
                    run: Some(run),
                    ..recall
                }))
            }
            DeliveryKind::Writ { writ } => Ok(Self::Writ { name, run, writ }),
            DeliveryKind::Outside { words } => Ok(Self::Outside {
                run,
                words: OutsideWords::from_numbers(words),
            }),
            DeliveryKind::Trace { trace } => match Trace::from_sender(&trace, scope.clone()) {
                Ok(trace) => Ok(Self::Trace(Box::new(trace))),
                Err(bad) => Err(bad.to_string()),
            },
        }
    }
}

/// Notes which runs read content from outside, before anything else: lessons that their agent records here meanwhile
/// may be that content's word. Nobody says when such a run is over, so the note stays until it is old.
fn note_outside(state: &AppState, scope: &Scope, items: &[SentItem]) {
    let sessions = state.sessions.for_scope(scope);
    for item in items {
        match &item.what {
            Ok(SentThing::Outside { run, words }) => {
                sessions::add_told_words(&*sessions, scope, run, words);
            }
            Ok(SentThing::Trace(trace)) if trace.has_read_outside() => {
                let words = trace.outside_words();
                sessions::add_told_words(&*sessions, scope, trace.run(), words);
            }
            _ => {}
        }
    }
}

/// Whether a thing counted, or had counted before; or why it cannot be taken in.
type ItemOutcome = std::result::Result<bool, String>;

/// Takes things in for a key.
struct ItemReceiver<'s> {
    desk: Desk<'s>,
    key: String,
    known: KnownRecalls,
}

impl ItemReceiver<'_> {
    fn take_item(&mut self, item: SentItem, reply: &mut DeliveryReply) -> Result<()> {
        let outcome = match item.what {
            Ok(thing) => self.take_thing(thing)?,
            Err(why) => Err(why),
        };
        match outcome {
            Ok(true) => reply.counted += 1,
            Ok(false) => reply.known += 1,
            Err(why) => reply.refused.push(RefusedItem { id: item.id, why }),
        }
        Ok(())
    }

    fn take_thing(&mut self, thing: SentThing) -> Result<ItemOutcome> {
        match thing {
            SentThing::Recall(recall) => Ok(Ok(self.desk.take_recall(recall, &mut self.known)?)),
            SentThing::Writ { name, run, writ } => self.run_writ(&name, &run, &writ),
            // It was noted before.
            SentThing::Outside { .. } => Ok(Ok(true)),
            SentThing::Trace(trace) => {
                self.desk.learn_from_run(&trace)?;
                Ok(Ok(true))
            }
        }
    }

    fn run_writ(&self, name: &IdempotencyKey, run: &RunId, writ: &KeptWrit) -> Result<ItemOutcome> {
        let request = serde_json::to_vec(writ).map_err(ApiError::internal)?;
        let mark = RequestMark::new(&self.key, name, [run.as_str().as_bytes(), &request]);
        let desk = self.desk.clone().for_request(&mark);
        match desk.run_sent_writ(run, writ) {
            Ok(_) => Ok(Ok(true)),
            Err(Error::Repeated(RequestConflict::NoAnswer)) => Ok(Ok(false)),
            Err(Error::Repeated(other)) => Ok(Err(other.to_string())),
            Err(error) => Err(error.into()),
        }
    }
}
