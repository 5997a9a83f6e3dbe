//! What a lesson is, and every decision about one.
//!
//! This crate is pure: it reads no clock, no file, no environment and no randomness. What it needs
//! it takes as an argument, and what it decides it returns as a value; the store and the engine
//! carry decisions out. The modules stand in the order in which data meets them.
//!
//! ```text
//! RawEvent --redact--> Event --trace--> Trace --capture--> Episode? --distil--> Draft
//!    Draft --guard---> Lesson | Rejection --change--> Vec<Change>      (the write side)
//!    Query --bm25----> Hit --rank--> Ranked --preamble--> Preamble     (the read side)
//! ```

// Nouns.
pub mod evidence;
pub mod id;
pub mod lesson;
pub mod limits;
pub mod scope;
pub mod text;

// Verbs, in the order data meets them.
pub mod event;
pub mod redact;
pub mod trace;
pub mod loops;
pub mod capture;
pub mod distil;
pub mod writ;
pub mod guard;
pub mod change;
pub mod journal;
pub mod tokens;
pub mod bm25;
pub mod rank;
pub mod preamble;
