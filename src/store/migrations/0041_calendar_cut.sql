-- Epoch milliseconds of the first visit that the feed lacks, because it has too many.
ALTER TABLE calendar ADD COLUMN cut_at INTEGER;
