-- The URL at which others reach the running daemon, for commands that print URLs; empty if unknown.
ALTER TABLE daemon ADD COLUMN public_url TEXT NOT NULL DEFAULT '';
