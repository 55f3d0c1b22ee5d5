package sandbox

import (
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/windows"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// link is the connection between host and worker: two pipes, which are the worker's standard input and output.
type link struct {
	host  io.ReadWriteCloser
	child [2]*os.File
}

type pipes struct {
	*os.File          // the end for reading
	out      *os.File // the end for writing
}

func (p pipes) Write(b []byte) (int, error) { return p.out.Write(b) }

func (p pipes) Close() error {
	err := p.out.Close()
	if rerr := p.File.Close(); err == nil {
		err = rerr
	}
	return err
}

func newLink() (*link, error) {
	childIn, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, childOut, err := os.Pipe()
	if err != nil {
		_, _ = childIn.Close(), out.Close()
		return nil, err
	}
	return &link{host: pipes{in, out}, child: [2]*os.File{childIn, childOut}}, nil
}

func (l *link) closeChild() { _, _ = l.child[0].Close(), l.child[1].Close() }
func (l *link) closeHost()  { _ = l.host.Close() }

func (l *link) attach(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout = l.child[0], l.child[1] }

// executable returns the path of the running program.
func executable() (string, error) { return os.Executable() }

// confine does nothing: on this system the worker is an ordinary child process.
func confine(*exec.Cmd, startMode) {}

// canNamespace is false: there are no namespaces on this system.
const canNamespace = false

// shedPrivileges does nothing on this system.
func shedPrivileges() error { return nil }

// verifyLayers does nothing: there are no layers on this system.
func verifyLayers(int, *jail.Layers, bool) {}

// threadsEnd does nothing: no threads were checked.
func threadsEnd(int) {}

// shareable duplicates the file's handle into the worker; files cannot be sent over pipes.
func (p *process) shareable(f *os.File) (*os.File, uint64, error) {
	worker, err := windows.OpenProcess(windows.PROCESS_DUP_HANDLE, false, uint32(p.cmd.Process.Pid))
	if err != nil {
		return nil, 0, os.NewSyscallError("OpenProcess", err)
	}
	defer func() { _ = windows.CloseHandle(worker) }()
	var there windows.Handle
	err = windows.DuplicateHandle(windows.CurrentProcess(), windows.Handle(f.Fd()), worker, &there,
		windows.GENERIC_READ, false, 0)
	if err != nil {
		return nil, 0, os.NewSyscallError("DuplicateHandle", err)
	}
	return nil, uint64(there), nil
}

// signal returns "": there are no signals on this system.
func (p *process) signal() string { return "" }

// freeze and thaw do nothing on this system: whatever a cell leaves running continues between cells.
func (p *process) freeze() {}
func (p *process) thaw()   {}

// dump does nothing on this system.
func (p *process) dump() {}

// obstacle recognises nothing on this system.
func obstacle(error) string { return "" }
