// Package broken compiles here, and on Windows vet has something against it.
package broken
