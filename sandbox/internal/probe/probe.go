// Package probe contains the attacks that rlm doctor and the tests make from inside a worker, in native code. They
// show what code could do once it has taken over its worker. Every attack is harmless if it succeeds: it does the
// least that shows that it got through (signal 0, invalid arguments, a file it does not touch).
package probe

import "fmt"

// Probe is one attack, or an action that must stay possible.
type Probe struct {
	// Name is short and stable: "file.open".
	Name string
	// Tried describes the attack, for people.
	Tried string
	// Possible marks a probe that must succeed, because cells need it.
	Possible bool
	// Always marks an attack that every level promises to stop, even Basic.
	Always bool

	try func(host int) (done bool, outcome string)
}

// All lists the probes of this system, in the order of a report.
func All() []Probe { return append(portable(), native()...) }

// Try makes the named attack. host is the host's process id as the host sees it. done means that the attack
// succeeded.
func Try(name string, host int) (done bool, outcome string) {
	for _, p := range All() {
		if p.Name == name {
			return p.try(host)
		}
	}
	return false, fmt.Sprintf("there is no probe %q", name)
}
