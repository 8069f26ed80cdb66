-- A closing that was made on a desk, so that it can be taken back: the opening hours of a date may
-- have differed from the weekly ones before it.
CREATE TABLE desk_closing (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  date        TEXT NOT NULL,
  -- The exceptions of the date before the closing and with it, as JSON arrays.
  before      TEXT NOT NULL CHECK (json_valid(before)),
  closed      TEXT NOT NULL CHECK (json_valid(closed)),
  PRIMARY KEY (business_id, date)
) STRICT, WITHOUT ROWID;
