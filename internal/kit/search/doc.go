// Package search reads long texts at the speed of compiled code: lines, patterns, passages that fit a query (BM25),
// similar lines, tables, and the places of quotations. What it returns points into the text and is never a copy of it;
// positions are byte offsets, and line numbers count from 1.
package search
