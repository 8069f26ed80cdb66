-- The published businesses in the order of lists, which would otherwise read every business.
CREATE INDEX business_published ON business (slug) WHERE doc ->> '$.publicPage.enabled';
