// Package jail locks the process it runs in: after Lock it can compute and talk over the descriptors it has, and
// nothing else. There is no way back, and no privilege is needed.
//
// The layer that matters is the seccomp allow-list; namespaces with an empty root, landlock, resource limits and dropped
// capabilities stand behind it, so that a hole in one is not a hole in the whole.
package jail

// Layers are the parts of a lock-down that took hold.
type Layers struct {
	Namespaces bool `json:"namespaces"`   // user, net, pid, mount, ipc, uts of its own
	EmptyRoot  bool `json:"empty_root"`   // the root directory is an empty, read-only file system
	Landlock   int  `json:"landlock"`     // ABI in force; 0: none
	Seccomp    bool `json:"seccomp"`      // allow-list on every thread
	NoNewPrivs bool `json:"no_new_privs"` // on every thread
	Rlimits    bool `json:"rlimits"`
	NoCaps     bool `json:"no_caps"`
	// Why says of each missing layer why it is missing.
	Why []string `json:"why,omitempty"`
}

// Standard says whether the layers are those of level standard: no system call beyond the allow-list, and no privilege in those.
func (l Layers) Standard() bool { return l.Seccomp && l.NoNewPrivs && l.Rlimits && l.NoCaps }

// Strict says whether the layers are those of level strict: nothing to be seen or reached even without the filter.
func (l Layers) Strict() bool {
	return l.Standard() && l.Namespaces && l.EmptyRoot && l.Landlock > 0
}

// Options say what the process was started with.
type Options struct {
	// Namespaces: the process was cloned into namespaces of its own, with the privilege to map its user and to change its root.
	Namespaces bool
	// Reads: the process reads files that its host hands to it, at any place. It still cannot open one.
	Reads bool
	// User and Group are who started it, outside of the namespaces.
	User, Group int
}
