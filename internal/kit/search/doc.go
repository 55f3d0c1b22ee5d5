// Package search searches long texts at the speed of compiled code: lines, patterns, passages that match a query
// (BM25), similar places, tables, and the places of quotations. Except for tables, its results are slices of the text;
// positions are byte offsets, and line numbers count from 1.
package search
