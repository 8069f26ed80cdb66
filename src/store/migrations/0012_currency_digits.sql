-- The decimals of stored amounts. Until now they came from the runtime's ICU, which is not ISO 4217:
-- the currencies with 0 below include 15 that have decimals in ISO 4217.
CREATE TEMPORARY TABLE digits (currency TEXT PRIMARY KEY, digits INTEGER NOT NULL) STRICT;
INSERT INTO digits
SELECT value, 0 FROM json_each('["AFN","ALL","BIF","CLP","COP","DJF","GNF","HUF","IDR","IQD","IRR","ISK","JPY","KMF","KPW","KRW","LAK","LBP","MGA","MMK","PKR","PYG","RWF","SLL","SOS","SYP","UGX","VND","VUV","XAF","XOF","XPF","YER"]')
UNION ALL
SELECT value, 3 FROM json_each('["BHD","JOD","KWD","LYD","OMR","TND"]');

UPDATE business SET doc = json_set(doc, '$.currencyDigits',
  coalesce((SELECT digits FROM digits WHERE currency = doc ->> 'currency'), 2));

ALTER TABLE booking ADD COLUMN currency_digits INTEGER NOT NULL DEFAULT 2;
UPDATE booking SET currency_digits = digits.digits FROM digits WHERE digits.currency = booking.currency;

ALTER TABLE ticket_order ADD COLUMN currency_digits INTEGER NOT NULL DEFAULT 2;
UPDATE ticket_order SET currency_digits = digits.digits FROM digits WHERE digits.currency = ticket_order.currency;

DROP TABLE digits;
