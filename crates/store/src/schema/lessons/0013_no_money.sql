-- A day's limit is one of tokens.
ALTER TABLE spent DROP COLUMN micros;
