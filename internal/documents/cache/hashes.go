package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// index maps unchanged files to their hashes, so that thousands of files need not be read again. A file is
// identified by its device, inode, size and change times, as in git's index. A file that changed just before it was
// hashed is not added, because it may change again within the same tick of the clock.
//
// The file is only appended to, one write for each save, so several processes may add entries at the same time.
type index struct {
	file  string
	mu    sync.Mutex
	known map[stat]string
	fresh []byte
	saved int // number of entries in the file
}

const (
	indexFile = "index"
	indexHead = "rlm-index-2\n"
	entrySize = 5*8 + 32 + 4 // the fields of a stat, a hash, and a checksum over both
	// mostEntries is how many entries a file may have before it is replaced.
	mostEntries = 200_000
)

// stat identifies a version of a file.
type stat struct {
	device, inode, size, modified, changed int64
}

// settled reports whether the last change to the file is more than a moment ago.
func (s stat) settled() bool {
	const moment = 2 * time.Second
	return s != stat{} && time.Now().UnixNano()-max(s.modified, s.changed) > int64(moment)
}

// openIndex reads the index of a cache. An unreadable index counts as empty.
func openIndex(dir string) *index {
	x := &index{file: filepath.Join(dir, indexFile), known: map[stat]string{}}
	data, err := os.ReadFile(x.file)
	rest, ok := bytes.CutPrefix(data, []byte(indexHead))
	if err != nil || !ok {
		x.saved = mostEntries // the next save replaces it
		return x
	}
	x.saved = len(rest) / entrySize
	for ; len(rest) > 0; rest = rest[entrySize:] {
		if len(rest) < entrySize ||
			crc32.ChecksumIEEE(rest[:entrySize-4]) != binary.BigEndian.Uint32(rest[entrySize-4:]) {
			x.saved = mostEntries // the file is damaged from here on
			break
		}
		var n [5]int64
		for i := range n {
			n[i] = int64(binary.BigEndian.Uint64(rest[8*i:]))
		}
		x.known[stat{n[0], n[1], n[2], n[3], n[4]}] = hex.EncodeToString(rest[40 : entrySize-4])
	}
	return x
}

// look returns the hash of a file that has not changed since it was hashed, or "", and the file's current stat.
func (x *index) look(r io.ReaderAt) (hash string, now stat) {
	now, ok := statOf(r)
	if x == nil || !ok || !now.settled() {
		return "", now
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.known[now], now
}

// add adds the hash of a file, with the stat from before it was hashed.
func (x *index) add(before stat, hash string) {
	sum, err := hex.DecodeString(hash)
	if x == nil || err != nil || !before.settled() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known[before] = hash
	begin := len(x.fresh)
	for _, n := range []int64{before.device, before.inode, before.size, before.modified, before.changed} {
		x.fresh = binary.BigEndian.AppendUint64(x.fresh, uint64(n))
	}
	x.fresh = append(x.fresh, sum...)
	x.fresh = binary.BigEndian.AppendUint32(x.fresh, crc32.ChecksumIEEE(x.fresh[begin:]))
}

// save appends the new entries to the file, or replaces a file that is too long or damaged.
func (x *index) save() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.fresh) == 0 {
		return
	}
	if x.saved+len(x.fresh)/entrySize >= mostEntries {
		f, err := os.CreateTemp(filepath.Dir(x.file), newPrefix+"*")
		if err != nil {
			return
		}
		_, err = f.Write(append([]byte(indexHead), x.fresh...))
		if cerr := f.Close(); err != nil || cerr != nil || os.Rename(f.Name(), x.file) != nil {
			_ = os.Remove(f.Name())
		}
		return
	}
	f, err := os.OpenFile(x.file, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(x.fresh) // files of lost entries are hashed again
	_ = f.Close()
}
