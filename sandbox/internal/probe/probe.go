// Package probe holds the attacks that rlm doctor and the tests make from inside a worker, in native code: what could
// the code do that a worker runs, if it had taken the worker over? Every attack is harmless where it succeeds:
// it asks for the least that shows the door to be open (signal 0, invalid arguments, a file it does not touch).
package probe

import "fmt"

// Probe is one attack, or one thing that must stay possible.
type Probe struct {
	// Name is short and stable: "file.open".
	Name string
	// Tried says what is tried, for people.
	Tried string
	// Possible marks what cells need, so that it must work.
	Possible bool
	// Always marks what every level promises to stop, basic too.
	Always bool

	try func(host int) (done bool, outcome string)
}

// All lists the probes of this system, in the order of a report.
func All() []Probe { return append(portable(), native()...) }

// Try makes the named attack. host is the host's process id as the host sees it. done says that it worked.
func Try(name string, host int) (done bool, outcome string) {
	for _, p := range All() {
		if p.Name == name {
			return p.try(host)
		}
	}
	return false, fmt.Sprintf("there is no probe %q", name)
}
