-- The sections of the schedule that commands edited since the last catalog file, as that file had
-- them: a JSON object, or NULL if there are none.
ALTER TABLE business ADD COLUMN authored_schedule TEXT
  CHECK (authored_schedule IS NULL OR json_valid(authored_schedule));
