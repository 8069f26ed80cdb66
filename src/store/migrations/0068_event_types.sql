-- This index finds the events of one type without reading all events.
CREATE INDEX event_type ON event (type, id);
