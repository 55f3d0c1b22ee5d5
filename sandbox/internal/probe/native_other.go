//go:build !linux

package probe

import (
	"net"
	"os"
)

// native returns the attacks that need no system-specific calls.
func native() []Probe {
	return []Probe{
		{Name: "file.write", Tried: "create a temporary file", try: func(int) (bool, string) {
			f, err := os.CreateTemp("", "rlm-probe")
			if err != nil {
				return false, err.Error()
			}
			_, _ = f.Close(), os.Remove(f.Name())
			return true, "created and removed one"
		}},
		{Name: "net.udp", Tried: "open a UDP socket", try: func(int) (bool, string) {
			c, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				return false, err.Error()
			}
			_ = c.Close()
			return true, "opened one"
		}},
	}
}
