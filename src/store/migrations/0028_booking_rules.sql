UPDATE business SET doc = json_insert(doc, '$.bookingPolicy.requiresApproval', json('false'),
  '$.bookingPolicy.cancelUntilMin', 0, '$.guestRetentionDays', 90);
UPDATE catalog_object SET
  doc = json_insert(doc, '$.bookingRules.requiresApproval', NULL, '$.bookingRules.cancelUntilMin', NULL),
  authored = json_insert(authored, '$.bookingRules.requiresApproval', NULL, '$.bookingRules.cancelUntilMin', NULL)
WHERE kind = 'service';
