-- Lists of visits with a status, in order of start.
CREATE INDEX booking_status_start ON booking (business_id, status, starts_at, id);
CREATE INDEX reservation_status_start ON reservation (business_id, status, starts_at, id);

-- The start of the whole booking, by which lists of a staff member or service are sorted.
ALTER TABLE booking_segment ADD COLUMN visit_starts_at INTEGER NOT NULL DEFAULT 0;
UPDATE booking_segment SET visit_starts_at = booking.starts_at FROM booking WHERE booking.id = booking_id;
CREATE INDEX booking_segment_staff ON booking_segment (business_id, staff_id, visit_starts_at, booking_id);
CREATE INDEX booking_segment_service ON booking_segment (business_id, service_id, visit_starts_at, booking_id);
