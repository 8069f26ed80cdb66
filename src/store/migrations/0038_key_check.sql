-- A text that the last rotation encrypted with its new master key: the stored data may all need an
-- older key that is lost. NULL: no rotation yet.
ALTER TABLE server ADD COLUMN key_check BLOB;
