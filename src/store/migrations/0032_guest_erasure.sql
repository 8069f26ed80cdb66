-- The booking, reservation or ticket order that an event is about: erasing its guest also removes
-- the customer reference from the event.
ALTER TABLE event ADD COLUMN visit_id TEXT;
UPDATE event SET visit_id = CAST(body AS TEXT) ->> '$.data.resource.id'
WHERE (type GLOB 'booking.*' OR type GLOB 'reservation.*' OR type GLOB 'ticket_order.*')
  AND json_valid(CAST(body AS TEXT));
CREATE INDEX event_visit ON event (visit_id) WHERE visit_id IS NOT NULL;

CREATE TRIGGER history_event_changed AFTER UPDATE OF body ON event BEGIN
  UPDATE history SET bytes = bytes + length(NEW.body) * 7 / 5 - length(OLD.body) * 7 / 5;
END;
