package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// memoryFile makes an anonymous file in memory that can be sealed.
func memoryFile() (*os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("rlm-context", flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3 does not know the flag
		fd, err = unix.MemfdCreate("rlm-context", flags)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "context in memory"), nil
}

// diskFile creates a file without a name: nobody else can open it, and it disappears with its last descriptor.
func diskFile() (*os.File, error) {
	f, err := os.CreateTemp(scratchFolder(), "rlm-context-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// seal makes the store immutable and returns it open read-only. The store must not be used afterwards, even after
// an error.
//
// The descriptor must be read-only: before Linux 6.7 a write-sealed file cannot be mapped shared through a
// writable one.
func (s *store) seal() (*os.File, error) {
	if s.inPlace {
		return s.f, nil
	}
	if s.inMemory {
		if err := addSeals(s.f); err != nil {
			return nil, errors.Join(fmt.Errorf("seal the context: %w", err), s.f.Close())
		}
	}
	if err := s.f.Chmod(0o400); err != nil {
		return nil, errors.Join(fmt.Errorf("seal the context: %w", err), s.f.Close())
	}
	readOnly, err := openAgain(s.f)
	if err != nil {
		if s.inMemory {
			return s.f, nil // without /proc the descriptor stays writable, but the file is sealed
		}
		return nil, errors.Join(fmt.Errorf("seal the context: open it again for reading: %w", err), s.f.Close())
	}
	return readOnly, s.f.Close()
}

// addSeals seals a file. While the kernel itself holds one of its pages, for example to move or reclaim memory, the
// file is busy, and addSeals retries.
func addSeals(f *os.File) error {
	const all = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	for tries := 1; ; tries++ {
		_, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, all)
		if !errors.Is(err, unix.EBUSY) || tries == 20 {
			return err
		}
		time.Sleep(25 * time.Millisecond)
	}
}

// openAgain reopens an open file read-only.
func openAgain(f *os.File) (*os.File, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// copyFile appends size bytes of src to dst inside the kernel.
func copyFile(dst, src *os.File, size int64) (int64, error) {
	var done, offset int64
	for done < size {
		n, err := unix.Sendfile(int(dst.Fd()), int(src.Fd()), &offset, int(min(size-done, 1<<30)))
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			return done, os.NewSyscallError("sendfile", err)
		}
		if n == 0 {
			return done, io.ErrUnexpectedEOF
		}
		done += int64(n)
	}
	return done, nil
}

// freeMemory is the memory that can safely be used: of the machine, or of the control group if that has less.
func freeMemory() int64 {
	free := int64(math.MaxInt64)
	if kib := readField("/proc/meminfo", "MemAvailable:"); kib > 0 {
		free = kib << 10
	}
	return min(free, groupMemory())
}

// readField returns the number after a name in a file of names and numbers, 0 if there is none.
func readField(file, name string) int64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close() // an error after reading does not matter
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == name {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}

// groupMemory is the memory left by the limits of this process's control groups (version 2, or 1).
func groupMemory() int64 {
	free := int64(math.MaxInt64)
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return free
	}
	for line := range strings.Lines(string(b)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		root, limit, used := "/sys/fs/cgroup", "memory.max", "memory.current"
		if fields[1] == "memory" {
			root, limit, used = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		} else if fields[0] != "0" {
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			most, ok1 := readNumber(path.Join(root, group, limit))
			now, ok2 := readNumber(path.Join(root, group, used))
			if ok1 && ok2 {
				// Inactive file pages are reclaimed before any process is killed.
				free = min(free, max(most-now+readField(path.Join(root, group, "memory.stat"), "inactive_file"), 0))
			}
			if group == "/" {
				break
			}
		}
	}
	return free
}

func readNumber(file string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}

func closeFile(f *os.File) error { return f.Close() }
