-- A day's limit is one of tokens.
ALTER TABLE hardwon.spent DROP COLUMN micros;
