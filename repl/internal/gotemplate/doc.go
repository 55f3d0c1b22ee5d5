// Package template is Go's text/template, copied for the sake of the order in which a program is initialised: packages
// that can be begin by their paths, and what is called github.com/… comes before text/template wherever both wait for
// net/url alone. A worker takes over as soon as all is ready that it needs. With a copy that is before Markdown, the
// message queue and others that a program links for its terminal and its servers; with text/template it was after them,
// and they cost a worker a tenth of its start. What reads files is left out.
package template

//go:generate go run ./gen
