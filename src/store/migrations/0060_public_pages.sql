UPDATE business SET doc = json_insert(doc, '$.type', NULL, '$.postalAddress', NULL, '$.geo', NULL,
  '$.images', json('[]'), '$.priceRange', NULL, '$.links', json('[]'),
  '$.legal', json('{"privacyUrl":null,"imprintUrl":null,"imprint":null}'),
  '$.publicPage', json('{"enabled":false,"booking":"OFF","embedOrigins":[],"theme":{"accent":null,"logo":null}}'));
