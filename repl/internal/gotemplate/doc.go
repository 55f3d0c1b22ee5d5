// Package template is a copy of Go's text/template, without the functions that read files. The copy is initialised
// earlier than the original: of the packages whose imports are initialised, Go initialises the one whose path sorts
// first, and github.com/… comes before text/template. A worker takes over the process as soon as all packages that
// it needs are initialised. With the copy, that is before Markdown, the message queue and others that a program
// links for its terminal and its servers. With text/template it was after them, and they cost a worker a tenth of
// its start.
package template

//go:generate go run ./gen
