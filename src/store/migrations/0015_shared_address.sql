-- The address that the last requests all had, if a proxy seems to hide the clients' own.
ALTER TABLE daemon ADD COLUMN shared_address TEXT;
