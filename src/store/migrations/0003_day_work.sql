-- Day-to-day data: bookings, reservations, ticket orders, time off. Catalog files do not change it,
-- and IDs of catalog objects are not foreign keys: a booking outlives the service that was booked.

CREATE TABLE booking (
  id           TEXT PRIMARY KEY,
  business_id  TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  status       TEXT NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'CANCELLED', 'COMPLETED', 'NO_SHOW')),
  starts_at    INTEGER NOT NULL,
  ends_at      INTEGER NOT NULL CHECK (ends_at > starts_at),
  guests       INTEGER NOT NULL CHECK (guests > 0),
  total_cents  INTEGER NOT NULL,
  currency     TEXT NOT NULL,
  customer_ref TEXT,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX booking_business ON booking (business_id, id);

-- One service of a booking, with the resources it uses: the catalog may change afterwards.
CREATE TABLE booking_segment (
  booking_id        TEXT NOT NULL REFERENCES booking (id) ON DELETE CASCADE,
  position          INTEGER NOT NULL,
  business_id       TEXT NOT NULL,
  service_id        TEXT NOT NULL,
  variant_id        TEXT,
  addons            TEXT NOT NULL CHECK (json_valid(addons)),
  staff_id          TEXT,
  resources         TEXT NOT NULL CHECK (json_valid(resources)),
  seats             INTEGER NOT NULL CHECK (seats > 0),
  buffer_before_min INTEGER NOT NULL,
  buffer_after_min  INTEGER NOT NULL,
  starts_at         INTEGER NOT NULL,
  ends_at           INTEGER NOT NULL,
  price_cents       INTEGER NOT NULL,
  -- 0 once the booking is cancelled, so that availability queries read only active segments.
  is_busy           INTEGER NOT NULL CHECK (is_busy IN (0, 1)),
  PRIMARY KEY (booking_id, position)
) STRICT, WITHOUT ROWID;
-- By end time, because most bookings are over and are not queried.
CREATE INDEX booking_segment_busy ON booking_segment (business_id, ends_at) WHERE is_busy = 1;

CREATE TABLE reservation (
  id           TEXT PRIMARY KEY,
  business_id  TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  status       TEXT NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'CANCELLED', 'COMPLETED', 'NO_SHOW')),
  party_size   INTEGER NOT NULL CHECK (party_size > 0),
  starts_at    INTEGER NOT NULL,
  ends_at      INTEGER NOT NULL CHECK (ends_at > starts_at),
  area_id      TEXT,
  table_id     TEXT NOT NULL,
  customer_ref TEXT,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX reservation_business ON reservation (business_id, id);
CREATE INDEX reservation_busy ON reservation (business_id, ends_at) WHERE status <> 'CANCELLED';

CREATE TABLE time_off (
  id          TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  staff_id    TEXT NOT NULL,
  starts_at   INTEGER NOT NULL,
  ends_at     INTEGER NOT NULL CHECK (ends_at > starts_at),
  reason      TEXT,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX time_off_business ON time_off (business_id, ends_at);

CREATE TABLE ticket_order (
  id           TEXT PRIMARY KEY,
  business_id  TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  code         TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'CANCELLED', 'EXPIRED')),
  event_id     TEXT NOT NULL,
  total_cents  INTEGER NOT NULL,
  currency     TEXT NOT NULL,
  customer_ref TEXT,
  expires_at   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  UNIQUE (business_id, code)
) STRICT;
CREATE INDEX ticket_order_business ON ticket_order (business_id, id);
CREATE INDEX ticket_order_due ON ticket_order (expires_at) WHERE status = 'PENDING';

CREATE TABLE ticket_order_item (
  order_id         TEXT NOT NULL REFERENCES ticket_order (id) ON DELETE CASCADE,
  ticket_type_id   TEXT NOT NULL,
  quantity         INTEGER NOT NULL CHECK (quantity > 0),
  unit_price_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, ticket_type_id)
) STRICT, WITHOUT ROWID;

-- Tickets of each type held by pending and confirmed orders. Updated with each order, so that
-- selling and counting tickets stay fast after a million orders.
CREATE TABLE ticket_hold (
  business_id    TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  ticket_type_id TEXT NOT NULL,
  taken          INTEGER NOT NULL CHECK (taken >= 0),
  PRIMARY KEY (business_id, ticket_type_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE ticket (
  id             TEXT PRIMARY KEY,
  business_id    TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  order_id       TEXT NOT NULL REFERENCES ticket_order (id) ON DELETE CASCADE,
  event_id       TEXT NOT NULL,
  ticket_type_id TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('VALID', 'CHECKED_IN', 'VOID')),
  -- SHA-256 of the admission code, which is not stored.
  admission_hash BLOB NOT NULL UNIQUE,
  checked_in_at  INTEGER,
  created_at     INTEGER NOT NULL,
  CHECK ((status = 'CHECKED_IN') = (checked_in_at IS NOT NULL))
) STRICT;
CREATE INDEX ticket_business ON ticket (business_id, id);
CREATE INDEX ticket_order_tickets ON ticket (order_id);
