// Package house holds the tests of the project's structure: what may be at the top level, and which package may
// import which.
package house
