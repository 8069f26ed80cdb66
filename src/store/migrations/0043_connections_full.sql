-- The client that had most connections when all that may be open were in use: an address or network,
-- or '' for this machine and trusted proxies. NULL: connections were left.
ALTER TABLE daemon ADD COLUMN connections_full TEXT;
