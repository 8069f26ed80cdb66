-- A delivery that is sent again is called a redelivery everywhere.
ALTER TABLE delivery RENAME COLUMN is_replay TO is_redelivery;
