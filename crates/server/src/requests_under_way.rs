//! Which requests with a name of their own are being carried out in this process.

use std::{collections::BTreeSet, sync::Arc};

use hardwon_store::Sha256Hash;
use parking_lot::Mutex;

/// The names of the requests that are being carried out.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestsUnderWay(Arc<Mutex<BTreeSet<Sha256Hash>>>);

/// One request, for as long as this lives.
#[derive(Debug)]
pub(crate) struct RequestUnderWay {
    all: RequestsUnderWay,
    name: Sha256Hash,
}

impl RequestsUnderWay {
    /// Notes that a request is being carried out; `None` if one of this name is already.
    pub(crate) fn enter(&self, name: Sha256Hash) -> Option<RequestUnderWay> {
        let is_new = self.0.lock().insert(name);
        is_new.then(|| RequestUnderWay {
            all: self.clone(),
            name,
        })
    }
}

impl Drop for RequestUnderWay {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_free_again_when_its_request_is_over() {
        let all = RequestsUnderWay::default();
        let name = Sha256Hash::from_bytes([7; 32]);
        let first = all.enter(name).unwrap();
        assert!(all.enter(name).is_none());
        assert!(all.enter(Sha256Hash::from_bytes([8; 32])).is_some());
        drop(first);
        assert!(all.enter(name).is_some());
    }
}
