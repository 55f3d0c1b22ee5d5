package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage measures the resources that a worker uses.
type usage struct {
	pid    int
	statm  *os.File // nil if there is no /proc, or if no file can be opened
	unseen error    // why statm is nil
	tasks  *os.File
}

func openUsage(pid int) *usage {
	u := &usage{pid: pid}
	u.statm, u.unseen = os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if f, err := os.Open(fmt.Sprintf("/proc/%d/task", pid)); err == nil {
		u.tasks = f
	}
	return u
}

func (u *usage) close() {
	if u.statm != nil {
		_ = u.statm.Close()
	}
	if u.tasks != nil {
		_ = u.tasks.Close()
	}
}

// threads returns the number of threads, or 0 if it is unknown. It is the link count of the task folder minus two.
func (u *usage) threads() int {
	if u.tasks == nil {
		return 0
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(u.tasks.Fd()), &st); err != nil {
		return 0
	}
	return int(st.Nlink) - 2
}

// memory returns the address space and the private resident memory in bytes. The context is shared and does not
// count.
func (u *usage) memory() (space, private int64, err error) {
	if u.statm == nil {
		return 0, 0, u.unseen
	}
	var buf [128]byte
	n, err := u.statm.ReadAt(buf[:], 0)
	if n == 0 && err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(buf[:n]))
	if len(fields) < 3 {
		return 0, 0, errors.New("its statm has no three numbers")
	}
	var pages [3]int64
	for i := range pages {
		if pages[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return 0, 0, err
		}
	}
	size := int64(os.Getpagesize())
	return pages[0] * size, (pages[1] - pages[2]) * size, nil
}

// cpu returns the CPU time of all threads, or false if it is unknown.
func (u *usage) cpu() (time.Duration, bool) {
	const processClock = 2 // CPUCLOCK_SCHED of a whole process; see clock_getcpuclockid(3)
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^u.pid<<3|processClock), &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// sleep reports whether the first thread, which runs the program's init functions, is asleep, and whether all
// others are. Waiting for a disk or for a busy processor does not count as sleep.
func (u *usage) sleep() (first, others bool) {
	dir := fmt.Sprintf("/proc/%d/task/", u.pid)
	threads, _ := os.ReadDir(dir)
	others = true
	for _, t := range threads {
		stat, _ := os.ReadFile(dir + t.Name() + "/stat")
		_, state, _ := strings.Cut(string(stat), ") ")
		switch sleeps := strings.HasPrefix(state, "S"); {
		case t.Name() == strconv.Itoa(u.pid):
			first = sleeps
		case !sleeps:
			others = false
		}
	}
	return first, others
}

// wall limits the address space to its present size plus more bytes. It sets only the soft limit, because a host
// without privilege could not raise a hard one again for another context. The worker can change neither.
func (u *usage) wall(more int64) error {
	space, _, err := u.memory()
	if err != nil {
		return fmt.Errorf("the size of process %d cannot be read: %w", u.pid, err)
	}
	return u.setWall(uint64(space + more))
}

func (u *usage) raiseWall(more int64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(u.pid, unix.RLIMIT_AS, nil, &now); err != nil {
		return os.NewSyscallError("prlimit", err)
	}
	if now.Cur == unix.RLIM_INFINITY {
		return nil
	}
	return u.setWall(now.Cur + uint64(more))
}

func (u *usage) setWall(bytes uint64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(u.pid, unix.RLIMIT_AS, nil, &now); err != nil {
		return os.NewSyscallError("prlimit", err)
	}
	next := unix.Rlimit{Cur: min(bytes, now.Max), Max: now.Max}
	return os.NewSyscallError("prlimit", unix.Prlimit(u.pid, unix.RLIMIT_AS, &next, nil))
}
