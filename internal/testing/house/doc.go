// Package house holds the tests of the project's structure: what stands at the top level and who
// may import whom.
package house
