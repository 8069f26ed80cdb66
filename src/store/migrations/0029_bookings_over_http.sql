-- Who made a visit, until when its guest may cancel it, and how it ended. Visits of earlier versions
-- were made and cancelled by the operator; their deadline is their start.
ALTER TABLE booking ADD COLUMN created_by_key TEXT;
ALTER TABLE booking ADD COLUMN cancel_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE booking ADD COLUMN decide_by INTEGER;
ALTER TABLE booking ADD COLUMN cancelled_by TEXT CHECK (cancelled_by IN ('GUEST', 'BUSINESS', 'SYSTEM'));
ALTER TABLE booking ADD COLUMN cancel_reason TEXT;
UPDATE booking SET cancel_until = starts_at, cancelled_by = iif(status = 'CANCELLED', 'BUSINESS', NULL);
ALTER TABLE reservation ADD COLUMN created_by_key TEXT;
ALTER TABLE reservation ADD COLUMN cancel_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reservation ADD COLUMN decide_by INTEGER;
ALTER TABLE reservation ADD COLUMN cancelled_by TEXT CHECK (cancelled_by IN ('GUEST', 'BUSINESS', 'SYSTEM'));
ALTER TABLE reservation ADD COLUMN cancel_reason TEXT;
UPDATE reservation SET cancel_until = starts_at, cancelled_by = iif(status = 'CANCELLED', 'BUSINESS', NULL);
ALTER TABLE ticket_order ADD COLUMN created_by_key TEXT;
ALTER TABLE ticket_order ADD COLUMN cancel_reason TEXT;
ALTER TABLE ticket_order ADD COLUMN payment_ref TEXT;

-- Names at the time of booking. Those of a variant are part of its service's document.
ALTER TABLE booking_segment ADD COLUMN service_name TEXT;
ALTER TABLE booking_segment ADD COLUMN variant_name TEXT;
ALTER TABLE booking_segment ADD COLUMN staff_name TEXT;
UPDATE booking_segment SET
  service_name = (SELECT json_extract(doc, '$.name') FROM catalog_object WHERE id = service_id),
  staff_name = (SELECT json_extract(doc, '$.name') FROM catalog_object WHERE id = staff_id);

-- Lists are sorted by start or by change. The indexes of a key's own objects make the cost of its
-- lists independent of the other objects.
CREATE INDEX booking_start ON booking (business_id, starts_at, id);
CREATE INDEX booking_change ON booking (business_id, updated_at, id);
CREATE INDEX booking_own_start ON booking (created_by_key, starts_at, id) WHERE created_by_key IS NOT NULL;
CREATE INDEX booking_own_change ON booking (created_by_key, updated_at, id) WHERE created_by_key IS NOT NULL;
CREATE INDEX booking_undecided ON booking (decide_by) WHERE status = 'PENDING';
CREATE INDEX reservation_start ON reservation (business_id, starts_at, id);
CREATE INDEX reservation_change ON reservation (business_id, updated_at, id);
CREATE INDEX reservation_own_start ON reservation (created_by_key, starts_at, id) WHERE created_by_key IS NOT NULL;
CREATE INDEX reservation_own_change ON reservation (created_by_key, updated_at, id) WHERE created_by_key IS NOT NULL;
CREATE INDEX reservation_undecided ON reservation (decide_by) WHERE status = 'PENDING';
CREATE INDEX ticket_order_change ON ticket_order (business_id, updated_at, id);
CREATE INDEX ticket_order_own ON ticket_order (created_by_key, id) WHERE created_by_key IS NOT NULL;
CREATE INDEX ticket_order_own_change ON ticket_order (created_by_key, updated_at, id) WHERE created_by_key IS NOT NULL;

-- A time or table that a key holds for a few minutes. `segments` are those of a booking; a hold of a
-- table has none.
CREATE TABLE hold (
  id                TEXT PRIMARY KEY,
  business_id       TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  key_id            TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  -- An open hold is over at `expires_at`; no row changes then.
  status            TEXT NOT NULL CHECK (status IN ('OPEN', 'USED', 'RELEASED')),
  starts_at         INTEGER NOT NULL,
  ends_at           INTEGER NOT NULL CHECK (ends_at > starts_at),
  segments          TEXT NOT NULL CHECK (json_valid(segments)),
  guests            INTEGER NOT NULL CHECK (guests > 0),
  area_id           TEXT,
  table_id          TEXT,
  total_cents       INTEGER NOT NULL,
  currency          TEXT NOT NULL,
  currency_digits   INTEGER NOT NULL,
  requires_approval INTEGER NOT NULL CHECK (requires_approval IN (0, 1)),
  cancel_until      INTEGER NOT NULL,
  booking_id        TEXT,
  reservation_id    TEXT,
  expires_at        INTEGER NOT NULL,
  created_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX hold_open ON hold (business_id, expires_at) WHERE status = 'OPEN';
CREATE INDEX hold_key ON hold (key_id, created_at);
CREATE INDEX hold_expiry ON hold (expires_at);

ALTER TABLE api_key ADD COLUMN max_holds INTEGER NOT NULL DEFAULT 20;

-- The guest of a booking, reservation or ticket order, encrypted with the master key.
CREATE TABLE guest (
  visit_id    TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  sealed      BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX guest_business ON guest (business_id);
