-- Nobody is told any more; with the addresses go the secrets. The log keeps what was done.
DROP TABLE webhook;
