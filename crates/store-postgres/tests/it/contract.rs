//! The contract, on a database whose role does not bypass the wall between tenants.

use std::cell::Cell;

use hardwon_core::{Recall, TenantId};
use hardwon_server::KeyStore;
use hardwon_store::{
    Durability, ErasedTenant, FlushCounts, Read, Result, SpoolLevel, Store, Write,
};
use hardwon_store_postgres::PostgresStore;
use hardwon_store_suite::{
    CASES, KEY_CASES, MemoryStore, RerunStore, SESSION_CASES, arbitrary_steps, check_agreement,
};
use proptest::prelude::*;

use crate::server::{TestDatabase, server};

/// A store that holds its database until it is dropped.
pub(crate) struct StoreOfTest {
    store: PostgresStore,
    _database: TestDatabase,
}

impl StoreOfTest {
    pub(crate) fn new(store: PostgresStore, database: TestDatabase) -> Self {
        Self {
            store,
            _database: database,
        }
    }
}

impl Store for StoreOfTest {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        self.store.snapshot()
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        self.store.transact(tenant, durability, work)
    }

    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        self.store.spool_recall(recall)
    }

    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts> {
        self.store.flush(tenant)
    }

    fn send_noted_recalls(&self) -> Result<()> {
        self.store.send_noted_recalls()
    }

    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant> {
        self.store.erase_tenant(tenant)
    }
}

#[test]
fn postgres_keeps_the_contract_of_keys() {
    let Some(server) = server() else { return };
    for (says, tell) in KEY_CASES {
        println!("{says}");
        let database = server.database();
        tell(&KeyStore::new(database.open().keys()));
    }
}

#[test]
fn postgres_keeps_the_contract_of_sessions() {
    let Some(server) = server() else { return };
    for (says, tell) in SESSION_CASES {
        println!("{says}");
        let database = server.database();
        let made = Cell::new(0);
        tell(&|| {
            made.set(made.get() + 1);
            assert_eq!(made.get(), 1, "a case makes one store");
            Box::new(database.open().sessions())
        });
    }
}

#[test]
fn postgres_keeps_the_contract() {
    let Some(server) = server() else { return };
    let make = || -> Box<dyn Store> {
        let database = server.database();
        Box::new(StoreOfTest::new(database.open(), database))
    };
    for (says, tell) in CASES {
        println!("{says}");
        tell(&make);
        tell(&|| Box::new(RerunStore::new(make(), 7)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn postgres_agrees_with_memory(steps in arbitrary_steps(), seed: u64, is_rerun: bool) {
        let Some(server) = server() else { return Ok(()) };
        let database = server.database();
        let open = || -> Box<dyn Store> {
            if is_rerun {
Box::new(RerunStore::new(Box::new(database.open()), seed))
} else {
Box::new(database.open())
}
        };
        let reopen = |store: Box<dyn Store>| {
            drop(store);
            open()
        };
        check_agreement(&MemoryStore::new(), open(), &reopen, &steps);
    }
}
