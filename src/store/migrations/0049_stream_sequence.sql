-- The highest sequence number that the stream gave to an event: null while nothing was published, 0 if it is not known.
ALTER TABLE destination ADD COLUMN stream_sequence INTEGER;
UPDATE destination SET stream_sequence = 0;
-- Epoch milliseconds of a lower number, which shows that the stream began anew; null once its events are redelivered.
ALTER TABLE destination ADD COLUMN recreated_at INTEGER;
