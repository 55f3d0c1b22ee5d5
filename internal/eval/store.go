package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// store is a file of results, one line of JSON each. A line that was truncated when the program was killed is
// ignored and written again.
type store struct {
	results map[string]Result // results in the file at the start, by key
	runs    map[string]string // runs that were begun and have no result, by key
	spent   float64           // US dollars, if known

	mu   sync.Mutex
	file *os.File // nil: nothing is stored
}

func (s *store) get(key string) (Result, bool) {
	r, ok := s.results[key]
	return r, ok
}

// begun returns the run that was begun for a missing answer.
func (s *store) begun(key string) string { return s.runs[key] }

func openStore(path string) (*store, error) {
	s := &store{results: map[string]Result{}, runs: map[string]string{}}
	if path == "" {
		return s, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the results: %w", err)
	}
	list, whole, err := readResults(f)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the results in %s: %w", path, err), f.Close())
	}
	for _, r := range list {
		s.count(r)
	}
	s.file = f
	return s, nil
}

// count adds a result of the file. An answer that was scored again occurs twice but was paid for once.
func (s *store) count(r Result) {
	if r.Status == begun {
		s.runs[r.Key] = r.Run
		return
	}
	delete(s.runs, r.Key)
	if old, ok := s.results[r.Key]; (!ok || old.Answer != r.Answer || old.Wall != r.Wall) && r.Cost != nil {
		s.spent += *r.Cost
	}
	if r.Judge != nil && r.Judge.Cost != nil {
		s.spent += *r.Judge.Cost
	}
	s.results[r.Key] = r
}

// readResults reads results, and returns how many bytes of complete lines they take.
func readResults(r io.Reader) (list []Result, whole int64, err error) {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, whole, nil // text after the last line end was truncated
		}
		if err != nil {
			return nil, 0, err
		}
		var one Result
		if err := json.Unmarshal(bytes.TrimSpace(line), &one); err != nil {
			return nil, 0, fmt.Errorf("line %d is not a result: %w", len(list)+1, err)
		}
		list = append(list, one)
		whole += int64(len(line))
	}
}

// begin records the run that makes a result.
func (s *store) begin(r Result, run string) error {
	r.Reply = Reply{Run: run, Status: begun}
	return s.add(r)
}

// add stores a result: it is on disk when add returns, since it was paid for.
func (s *store) add(r Result) error {
	if s.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	return nil
}

func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close() // every line was synced
	}
}

// ReadResults reads a file of results. If an answer was scored or made again, only its last result is returned.
func ReadResults(path string) ([]Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	defer f.Close() // an error after reading does not matter
	list, _, err := readResults(decoding.Lines(f))
	if err != nil {
		return nil, fmt.Errorf("reading results in %s: %w", path, err)
	}
	last := map[string]int{} // index in out, by key
	out := list[:0]
	for _, r := range list {
		if r.Status == begun {
			continue
		}
		if i, again := last[r.Key]; again {
			out[i] = r
			continue
		}
		last[r.Key] = len(out)
		out = append(out, r)
	}
	return out, nil
}
