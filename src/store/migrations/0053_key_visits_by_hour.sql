-- Finds the keys that made visits in the last two hours without reading the hours of all keys.
CREATE INDEX key_visits_by_hour ON key_visits (hour);
