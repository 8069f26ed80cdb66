-- The busy rows that last longer than a day. Most are shorter, so that a query for a window finds
-- them by their end, at most a day after the window.
CREATE INDEX booking_segment_long ON booking_segment (business_id, ends_at)
  WHERE is_busy = 1 AND ends_at - starts_at > 86400000;
CREATE INDEX reservation_long ON reservation (business_id, ends_at)
  WHERE status <> 'CANCELLED' AND ends_at - starts_at > 86400000;

-- Lists with a filter, newest first.
CREATE INDEX booking_status ON booking (business_id, status, id);
CREATE INDEX reservation_status ON reservation (business_id, status, id);
CREATE INDEX ticket_order_status ON ticket_order (business_id, status, id);
CREATE INDEX ticket_order_event ON ticket_order (business_id, event_id, id);
CREATE INDEX ticket_event ON ticket (business_id, event_id, id);
