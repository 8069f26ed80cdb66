-- Public events whose tickets left have changed by a sale. A row stays after its change has been
-- sent, so that the next one is sent ten seconds later at the earliest.
CREATE TABLE event_availability (
  event_id    TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  -- When to send the change; null: it has been sent.
  due_at      INTEGER,
  sent_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX event_availability_due ON event_availability (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX event_availability_business ON event_availability (business_id);
