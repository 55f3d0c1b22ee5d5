// Makes Parquet files with DuckDB and writes what DuckDB reads back from them: columns.mjs CORPUS EXPECTED
import duckdb from "@duckdb/node-api";
const [corpus, expected] = process.argv.slice(2);
const db = await (await duckdb.DuckDBInstance.create()).connect();
await db.run(`CREATE TABLE lights AS SELECT
  i::INTEGER AS id, ['Skerry Point','Gull Rock','Küste, "Nord"','灯台','маяк'][i%5+1] AS name,
  (i*0.25)::DOUBLE AS height, (i/7.0)::FLOAT AS ratio, (i*1.01)::DECIMAL(12,2) AS cost, i%3=0 AS lit,
  DATE '2024-01-01' + i::INTEGER AS day, TIMESTAMP '2024-03-17 12:30:00' + INTERVAL (i) MINUTE AS seen,
  (i*4000000007)::BIGINT AS big, CASE WHEN i%4=0 THEN NULL ELSE 'note ' || i END AS note, (i%200)::UTINYINT AS tiny
  FROM range(1000) t(i)`);
for (const codec of ["uncompressed", "snappy", "gzip", "zstd"]) {
  await db.run(`COPY lights TO '${corpus}/lights-${codec}.parquet' (FORMAT parquet, CODEC '${codec}', ROW_GROUP_SIZE 400)`);
}
await db.run(`COPY (SELECT * FROM lights LIMIT 50) TO '${corpus}/lights-v2.parquet' (FORMAT parquet, PARQUET_VERSION v2)`);
await db.run(`COPY (SELECT * FROM lights ORDER BY id) TO '${expected}/lights.csv' (HEADER, DELIMITER ',')`);
await db.run(`COPY (SELECT i AS id, ['a','b'||i] AS list, {'x': i, 'y': 'Größe'} AS struct, MAP {'k': i*2} AS map, 'blob'::BLOB AS blob, [[i,NULL],[]] AS deep
  FROM range(20) t(i)) TO '${corpus}/nested.parquet' (FORMAT parquet)`);
