package sandbox

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// knobs are kernel settings that decide whether an ordinary user may create namespaces.
var knobs = []struct{ path, name, bad, hint string }{
	{
		"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", "0",
		"Allow user namespaces: sysctl user.max_user_namespaces=10000.",
	},
	{
		"/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone", "0",
		"Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1.",
	},
	{
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "kernel.apparmor_restrict_unprivileged_userns", "1",
		"AppArmor keeps ordinary users from using user namespaces: give rlm an AppArmor profile with userns, or set sysctl kernel.apparmor_restrict_unprivileged_userns=0.",
	},
}

func kernelFacts() []Fact {
	var list []Fact
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		list = append(list, Fact{"kernel", unix.ByteSliceToString(u.Release[:])})
	}
	list = append(list,
		Fact{"landlock ABI", fmt.Sprint(jail.LandlockABI())},
		Fact{"seccomp actions", firstLine("/proc/sys/kernel/seccomp/actions_avail")},
		Fact{"security modules", firstLine("/sys/kernel/security/lsm")},
		Fact{"overcommit", firstLine("/proc/sys/vm/overcommit_memory")},
	)
	for _, k := range knobs {
		if v := firstLine(k.path); v != unknownFact {
			list = append(list, Fact{k.name, v})
		}
	}
	return list
}

const unknownFact = "unknown"

func firstLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return unknownFact
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// namespaceHints explains what prevents this user from creating namespaces.
func namespaceHints() []string {
	var hints []string
	for _, k := range knobs {
		if firstLine(k.path) == k.bad {
			hints = append(hints, k.hint)
		}
	}
	if len(hints) == 0 {
		hints = append(hints, "Allow namespaces: in a container this needs a seccomp profile that permits mount and clone with namespace flags, or --privileged for rlm's own container.")
	}
	return hints
}
