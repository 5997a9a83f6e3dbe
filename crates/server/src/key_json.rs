//! The JSON of keys and tenants: [records](key) and their log, and how they are [managed](admin). `hardwon_api` says what
//! holds for such types.

pub mod admin;
pub mod key;
