// Package search searches long texts at the speed of compiled code: lines, patterns, passages that match a query
// (BM25), similar lines, tables, and the places of quotations. Its results point into the text and never copy it;
// positions are byte offsets, and line numbers count from 1.
package search
