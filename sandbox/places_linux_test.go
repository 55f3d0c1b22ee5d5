package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox"
)

const nobody = 65534

// startConditions describes a way to start a program in which something that workers need is missing.
type startConditions struct {
	mode   os.FileMode            // mode of the program's file
	start  syscall.SysProcAttr    // attributes of the program's process
	before func(dir string) error // runs in the program before its first worker
	level  sandbox.Level          // the level still available; "" if no worker can be started
	words  string                 // words of the explanation
}

var places = map[string]startConditions{
	"root dropped": {mode: 0o755, before: drop, level: sandbox.Standard},
	"root dropped, program of root alone": {
		mode: 0o700, before: drop, words: "user 65534 may not execute its file, whose mode is 0700",
	},
	"setuid": {
		mode:  os.ModeSetuid | 0o755,
		start: syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}},
		level: sandbox.Basic, words: "a setuid program cannot read the limits of workers (started by user 65534, it runs as 0)",
	},
	"chroot without devices": {mode: 0o755, start: ownMounts, level: sandbox.Standard, before: func(dir string) error {
		at := filepath.Join(dir, "proc")
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return err
		}
		if err := unix.Mount("proc", at, "proc", 0, ""); err != nil {
			return err
		}
		return enter(dir)
	}},
	"chroot without anything": {mode: 0o755, before: enter, words: "found through /proc, but /proc is not mounted"},
	"mounted noexec by now": {mode: 0o755, start: ownMounts, words: "mounted noexec", before: func(dir string) error {
		for { // find the program's mount
			err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOEXEC, "")
			if err == nil || dir == "/" {
				return err
			}
			dir = filepath.Dir(dir)
		}
	}},
}

var ownMounts = syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}

func drop(string) error {
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

func enter(dir string) error {
	if err := syscall.Chroot(dir); err != nil {
		return err
	}
	return os.Chdir("/")
}

// If workers cannot start, or not at the level that the machine offers, errors and the doctor report why.
func TestPlacesWithoutEverything(t *testing.T) {
	t.Parallel()
	const inside = "RLM_TEST_PLACE"
	if name := os.Getenv(inside); name != "" {
		places[name].try(t)
		return
	}
	if os.Getuid() != 0 || raceBuild {
		t.Skip("SKIPPED: programs that drop root, chroots and mounts can only be tried by root, without the race detector")
	}
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
			program := filepath.Join(dir, "program")
			copyProgram(t, program)
			require.NoError(t, os.Chmod(program, p.mode))
			cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestPlacesWithoutEverything$", "-test.v")
			cmd.Dir, cmd.SysProcAttr = dir, &p.start
			cmd.Env = append(os.Environ(), inside+"="+name)
			out, err := cmd.CombinedOutput()
			if strings.Contains(string(out), "SKIPPED") || cmd.ProcessState == nil {
				t.Skipf("SKIPPED: this cannot be tried here: %v %s", err, out)
			}
			require.NoError(t, err, string(out))
			require.Contains(t, string(out), "--- PASS", string(out))
		})
	}
}

func (p startConditions) try(t *testing.T) {
	dir, err := os.Getwd()
	require.NoError(t, err)
	if p.before != nil {
		if err := p.before(dir); err != nil {
			t.Skip("SKIPPED:", err)
		}
	}
	s, err := sandbox.New(t.Context(), sandbox.Config{})
	report, probed := sandbox.Probe(t.Context(), sandbox.Best)
	if err != nil && strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Skip("SKIPPED: this program links C: ", err)
	}
	if p.level == "" {
		require.ErrorContains(t, err, p.words)
		require.ErrorContains(t, err, "no cell can run this way, at any level")
		require.ErrorContains(t, probed, p.words)
		return
	}
	require.NoError(t, err)
	require.NoError(t, probed)
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, "2\n", good(t, s, "fmt.Println(1 + 1)").Output)
	require.Contains(t, strings.Join(s.Missing(), "\n"), p.words)
	require.Contains(t, strings.Join(report.Layers.Missing, "\n"), p.words)
	require.Equal(t, s.Level(), report.Level)
	if p.level == sandbox.Basic {
		require.Equal(t, sandbox.Basic, s.Level())
	} else {
		require.NotEqual(t, sandbox.Basic, s.Level())
	}
}
