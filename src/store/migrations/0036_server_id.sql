-- Identifies the server whose backups a folder has. A restored copy keeps the ID of its server.
CREATE TABLE server (id TEXT NOT NULL) STRICT;
INSERT INTO server VALUES (lower(hex(randomblob(8))));
