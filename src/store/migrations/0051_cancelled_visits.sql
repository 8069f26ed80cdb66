-- How many of the visits of an hour were cancelled since: they do not count towards the limit of a key.
ALTER TABLE key_visits ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
