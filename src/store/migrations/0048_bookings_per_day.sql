-- Visits that a key can make in 24 hours. Existing keys can make at least twice as many as on their busiest day.
ALTER TABLE api_key ADD COLUMN max_bookings_day INTEGER NOT NULL DEFAULT 200 CHECK (max_bookings_day > 0);

-- How many visits each key made, by hour since 1970.
CREATE TABLE key_visits (
  key_id TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  hour   INTEGER NOT NULL,
  visits INTEGER NOT NULL,
  PRIMARY KEY (key_id, hour)
) STRICT, WITHOUT ROWID;

INSERT INTO key_visits (key_id, hour, visits)
SELECT created_by_key, created_at / 3600000, count(*)
FROM (
  SELECT created_by_key, created_at FROM booking WHERE created_by_key IS NOT NULL
  UNION ALL SELECT created_by_key, created_at FROM reservation WHERE created_by_key IS NOT NULL
)
WHERE created_by_key IN (SELECT id FROM api_key)
GROUP BY 1, 2;

UPDATE api_key SET max_bookings_day = max(200, 2 * coalesce((
  SELECT max(day) FROM (
    SELECT sum(visits) AS day FROM key_visits WHERE key_id = api_key.id GROUP BY hour / 24
  )), 0));
