PRAGMA page_size = 512;
PRAGMA synchronous = OFF;
CREATE TABLE "odd ""names""" ([a b] TEXT, `c,d` REAL DEFAULT -1.5 CHECK (`c,d` <> 7), "e" INT /* , f */, PRIMARY KEY ("e", [a b])) WITHOUT ROWID; -- a remark
INSERT INTO "odd ""names""" VALUES ('zwei
Zeilen', 2, 2), ('"quoted", with commas', 1e300, 1), ('Größe 灯台', 0.1, 3), ('', NULL, 4);
CREATE TABLE numbers (id INTEGER PRIMARY KEY DESC, v, twice INT GENERATED ALWAYS AS (v * 2) VIRTUAL, stored TEXT AS (v || 'x') STORED);
INSERT INTO numbers (id, v) VALUES (7, 0), (8, 1), (9, -1), (10, 127), (11, -128), (12, 32768), (13, -8388609), (14, 2147483648), (15, 140737488355328),
 (16, 9223372036854775807), (17, -9223372036854775808), (18, 3.5), (19, 1e15), (20, 123456789012345.0), (21, 0.0001), (22, 1.25e-5);
CREATE TABLE long (id INTEGER, text TEXT, PRIMARY KEY (id));
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO long SELECT i * 1000, replace(hex(zeroblob(i * i)), '00', 'aö') FROM n;
DELETE FROM long WHERE id % 7000 = 0;
ALTER TABLE long ADD COLUMN later TEXT DEFAULT 'it''s';
INSERT INTO long VALUES (-5, 'last', 'own');
CREATE TABLE wide (id TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO wide SELECT printf('%05d', i * 7919 % 1000) || replace(hex(zeroblob(i % 90)), '00', 'k'), i FROM n;
