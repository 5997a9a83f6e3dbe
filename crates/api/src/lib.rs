//! The JSON that goes in and out of hardwon, whichever door it goes through.
//!
//! Types of the domain do not serialise themselves, so that they can change without breaking a
//! program that reads our output; the types here can not. Each module of [`v1`] is one resource, and
//! each type says what its JSON looks like, in which unit a number is, and what it means that a key is
//! absent or null. Most are made of a value of the domain by `From` or a constructor and borrow from it.
//!
//! The verbs that every door has are in [`v1::verbs`], each done at the desk that the door gives it. Doors that show how two texts
//! differ find that in [`word_diff`]. Nothing here reads or prints. What belongs to one door alone stays there: the payloads of agents'
//! hooks, and what `hardwon` says about the machine that it runs on (`init`, `doctor`, `config`).

pub mod api_key;
pub mod v1;
pub mod word_diff;
