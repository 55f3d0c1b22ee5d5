// Package jail locks in the process it runs in: after Lock it can compute and use the descriptors it has, and
// nothing else. This cannot be undone, and needs no privilege.
//
// The layer that matters is the seccomp allow-list; namespaces with an empty root, landlock, resource limits and
// dropped capabilities back it up, so that a hole in one layer is not a hole in the whole.
package jail

// Layers are the parts of a lock-down that took hold.
type Layers struct {
	Namespaces bool `json:"namespaces"`   // separate user, net, pid, mount, ipc, uts
	EmptyRoot  bool `json:"empty_root"`   // the root directory is an empty, read-only file system
	Landlock   int  `json:"landlock"`     // ABI version in force; 0: none
	Seccomp    bool `json:"seccomp"`      // allow-list on every thread
	NoNewPrivs bool `json:"no_new_privs"` // on every thread
	Rlimits    bool `json:"rlimits"`
	NoCaps     bool `json:"no_caps"`
	// Why explains each missing layer.
	Why []string `json:"why,omitempty"`
}

// Standard reports whether the layers make up level standard: no system call beyond the allow-list, and no
// privilege that the allowed calls could use.
func (l Layers) Standard() bool { return l.Seccomp && l.NoNewPrivs && l.Rlimits && l.NoCaps }

// Strict reports whether the layers make up level strict: nothing can be seen or reached even without the filter.
func (l Layers) Strict() bool {
	return l.Standard() && l.Namespaces && l.EmptyRoot && l.Landlock > 0
}

// Options describe how the process was started.
type Options struct {
	// Namespaces means that the process was cloned into new namespaces, with the privilege to map its user and to
	// change its root.
	Namespaces bool
	// Reads means that the process may read, at any offset, files that its host hands to it. It still cannot open
	// any.
	Reads bool
	// User and Group are the ids of whoever started the process, as seen outside of the namespaces.
	User, Group int
}
