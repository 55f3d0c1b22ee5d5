package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/gorlm/rlm/repl"
)

const (
	firesRoom = 300_000  // bytes of all timers that fired, packed
	callRoom  = 16 << 10 // bytes of the readings and timers of one call, packed
)

// CutClock returns as many of the readings, from the first, as fit into one call.
func CutClock(readings []int64) []int64 {
	return readings[:min(len(readings), callRoom/binary.MaxVarintLen64)]
}

// CutFires returns as many of the timers, from the first, as fit into one call.
func CutFires(fires []repl.Fire) []repl.Fire {
	return fires[:min(len(fires), callRoom/2/binary.MaxVarintLen64)]
}

// PackFires packs the timers that fired; if there is no room for all, only the first ones.
func PackFires(fires []repl.Fire) []byte {
	var packed []byte
	last := 0
	for _, f := range fires {
		if len(packed) > firesRoom-2*binary.MaxVarintLen64 {
			break
		}
		packed = binary.AppendUvarint(packed, f.Timer)
		packed = binary.AppendVarint(packed, int64(f.After-last))
		last = f.After
	}
	return packed
}

// UnpackFires reverses PackFires. It ignores whatever is damaged.
func UnpackFires(packed []byte) []repl.Fire {
	var fires []repl.Fire
	r := bytes.NewReader(packed[:min(len(packed), firesRoom)])
	last := int64(0)
	for {
		timer, err := binary.ReadUvarint(r)
		if err != nil {
			return fires
		}
		after, err := binary.ReadVarint(r)
		if err != nil {
			return fires
		}
		last += after
		fires = append(fires, repl.Fire{Timer: timer, After: int(last)})
	}
}
