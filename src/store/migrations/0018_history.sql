-- The history: events, deliveries and attempts. Its size is an estimate, kept by triggers because
-- measuring it would read all of it: a row with its index entries, and the space that SQLite leaves
-- free in pages of large rows.
CREATE TABLE history (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  bytes     INTEGER NOT NULL,
  -- The newest event deleted because of the size before its days were up.
  cut_until INTEGER,
  -- Settings of the daemon, for `status` and `doctor`.
  keep_days INTEGER,
  max_bytes INTEGER
) STRICT;
INSERT INTO history (id, bytes) VALUES (1,
  (SELECT coalesce(sum(length(body) * 7 / 5 + 200), 0) FROM event)
  + (SELECT count(*) * 550 FROM delivery)
  + (SELECT coalesce(sum(100 + coalesce(length(response_text), 0)), 0) FROM attempt));

CREATE TRIGGER history_event_added AFTER INSERT ON event BEGIN
  UPDATE history SET bytes = bytes + length(NEW.body) * 7 / 5 + 200;
END;
CREATE TRIGGER history_event_deleted AFTER DELETE ON event BEGIN
  UPDATE history SET bytes = bytes - length(OLD.body) * 7 / 5 - 200;
END;
CREATE TRIGGER history_delivery_added AFTER INSERT ON delivery BEGIN
  UPDATE history SET bytes = bytes + 550;
END;
CREATE TRIGGER history_delivery_deleted AFTER DELETE ON delivery BEGIN
  UPDATE history SET bytes = bytes - 550;
END;
CREATE TRIGGER history_attempt_added AFTER INSERT ON attempt BEGIN
  UPDATE history SET bytes = bytes + 100 + coalesce(length(NEW.response_text), 0);
END;
CREATE TRIGGER history_attempt_deleted AFTER DELETE ON attempt BEGIN
  UPDATE history SET bytes = bytes - 100 - coalesce(length(OLD.response_text), 0);
END;
CREATE TRIGGER history_response_changed AFTER UPDATE OF response_text ON attempt BEGIN
  UPDATE history SET bytes = bytes + coalesce(length(NEW.response_text), 0) - coalesce(length(OLD.response_text), 0);
END;
