package sandbox_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox"
)

// If the system forbids namespaces, best is the highest of the other levels, and strict is rejected.
func TestLevelsWhereNamespacesAreForbidden(t *testing.T) {
	t.Parallel()
	const inside = "RLM_TEST_NO_NAMESPACES"
	if os.Getenv(inside) == "" {
		out := again(t, "TestLevelsWhereNamespacesAreForbidden", &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}, inside+"=1")
		all := strings.Join(out, "\n")
		if len(out) < 3 || strings.Contains(all, "SKIPPED") {
			t.Skipf("user namespaces cannot be made here: %s", all)
		}
		require.Contains(t, all, "--- PASS", all)
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0o644); err != nil {
		t.Skip("SKIPPED:", err)
	}
	_, err := sandbox.New(t.Context(), sandbox.Config{Level: sandbox.Strict})
	require.Error(t, err)
	s := start(t, sandbox.Config{})
	require.Equal(t, sandbox.Standard, s.Level())
	require.Contains(t, strings.Join(s.Missing(), "\n"), "namespaces")
	require.Equal(t, "2\n", good(t, s, "fmt.Println(1 + 1)").Output)
	kill(t, s)
	require.Equal(t, sandbox.Standard, s.Level())
	report, err := sandbox.Probe(t.Context(), sandbox.Best)
	require.NoError(t, err)
	require.True(t, report.OK())
	require.NotEmpty(t, report.Raise)
}

// A session has the level that it claims; otherwise the suite of attacks would prove little.
func TestLevelsThatCanBeAskedFor(t *testing.T) {
	t.Parallel()
	for _, level := range []sandbox.Level{sandbox.Best, sandbox.Strict, sandbox.Standard, sandbox.Basic} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			s, err := sandbox.New(t.Context(), sandbox.Config{Level: level})
			if err != nil {
				t.Skipf("level %s is not available here: %v", level, err)
			}
			defer func() { require.NoError(t, s.Close()) }()
			require.Equal(t, "2\n", good(t, s, "fmt.Println(1 + 1)").Output)
			if level != sandbox.Best {
				require.Equal(t, level, s.Level())
			}
			if s.Level() == sandbox.Strict {
				require.Empty(t, s.Missing())
			} else {
				require.NotEmpty(t, s.Missing())
			}
		})
	}
}

// A program that links C does not try to start a worker in namespaces: the first reason for the lower level says
// so.
func TestAProgramThatLinksCDoesNotTryNamespaces(t *testing.T) {
	t.Parallel()
	missing := start(t, sandbox.Config{}).Missing()
	if !strings.Contains(strings.Join(missing, "\n"), "built with cgo") {
		t.Skip("SKIPPED: this binary does not link C")
	}
	require.Contains(t, missing[0], "namespaces: a worker of a program that links C")
}

// If the lock-down no longer takes effect, this test must fail, because others would skip.
func TestTheLevelIsWhatTheKernelOffers(t *testing.T) {
	t.Parallel()
	actions, err := os.ReadFile("/proc/sys/kernel/seccomp/actions_avail")
	if err != nil || !strings.Contains(string(actions), "kill_process") || raceBuild {
		t.Skip("SKIPPED: this kernel or this build has no seccomp filters")
	}
	s := start(t, sandbox.Config{})
	require.NotEqual(t, sandbox.Basic, s.Level(), s.Missing())
	if strings.Contains(strings.Join(s.Missing(), "\n"), "links C") {
		t.Skip("SKIPPED: a binary that links C has no namespaces; CGO_ENABLED=0 runs it")
	}
	probe := exec.Command("/proc/self/exe", "-test.run=^$")
	probe.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if err := probe.Run(); err != nil {
		t.Skip("SKIPPED: namespaces cannot be made here:", err)
	}
	require.NotContains(t, strings.Join(s.Missing(), "\n"), "namespaces")
}

// If no more namespaces may be made, strict fails with advice on how to change that.
func TestStrictWithoutNamespacesSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	const inside = "RLM_TEST_NO_NAMESPACES"
	if os.Getenv(inside) == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestStrictWithoutNamespacesSaysWhatIsMissing$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Skip("SKIPPED: namespaces cannot be made here:", err)
		}
		require.NoError(t, err, "%s", out)
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		t.Skip("SKIPPED: the limit of namespaces cannot be set here:", err)
	}
	_, err := sandbox.New(t.Context(), sandbox.Config{Level: sandbox.Strict})
	require.ErrorContains(t, err, "sandbox level strict is not available here: namespaces: ")
	require.ErrorContains(t, err, "amespaces: sysctl user.max_user_namespaces=10000")
}
