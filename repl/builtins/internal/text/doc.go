// Package text reads long texts at the speed of compiled code. What it returns points into the text it was given and is never
// a copy of it; positions are byte offsets, and line numbers count from 1.
package text
