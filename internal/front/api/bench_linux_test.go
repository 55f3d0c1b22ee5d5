package api_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// asks makes a model for a run of one turn with a thousand slow sub-calls and some output.
func asks() *talker {
	return &talker{takes: 20 * time.Millisecond, replies: []string{fence(`qs := make([]string, 1000)
for i := range qs { qs[i] = fmt.Sprint("part ", i) }
rs := llm_query_batched(qs)
for i := range 500 { fmt.Println(i, rs[i]) }
FINAL(len(rs))`)}}
}

// BenchmarkRun measures a run on the server while a number of readers follow it.
func BenchmarkRun(b *testing.B) {
	for _, readers := range []int{0, 200} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			s := start(b, asks())
			for b.Loop() {
				b.StopTimer()
				id := s.session()
				st := s.follow("session="+id+":0&detail=brief", "")
				st.until(free)
				for range readers {
					other := s.follow("session="+id+":0&detail=brief", "")
					other.until(free)
					go func() { _, _ = io.Copy(io.Discard, other.lines) }() // reads until the stream is closed
				}
				b.StartTimer()
				s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
				st.until(ofKind("run_ended"))
			}
		})
	}
}

// BenchmarkOverhead measures a run of one turn without and with the server.
func BenchmarkOverhead(b *testing.B) {
	model := &talker{replies: []string{fence("FINAL(1)")}}
	b.Run("runner", func(b *testing.B) {
		r, err := runner.New(model, runner.WithDataDir(b.TempDir()))
		require.NoError(b, err)
		for b.Loop() {
			for _, err := range r.Run(b.Context(), "q") {
				require.NoError(b, err)
			}
		}
	})
	b.Run("server", func(b *testing.B) {
		s := start(b, model)
		for b.Loop() {
			id := s.session()
			st := s.follow("session="+id+":0", "")
			s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
			st.until(ofKind("run_ended"))
			st.close()
		}
	})
}

// BenchmarkIdleSessions measures the memory of the server and its workers with a hundred idle sessions, once those
// beyond the limit have released their workers.
func BenchmarkIdleSessions(b *testing.B) {
	for b.Loop() {
		s := start(b, &talker{})
		for i := range 100 {
			id := s.session(object{"name": "a", "text": "text"})
			s.do(id, "cells", object{"source": fmt.Sprint("x := ", i)})
		}
		for open := 100; open > 16; time.Sleep(100 * time.Millisecond) {
			open = 0
			for _, listed := range s.call("GET", "sessions", nil).list("sessions") {
				if listed.at("state")["open"] == true {
					open++
				}
			}
		}
		runtime.GC()
		b.ReportMetric(memory(b)/1e6, "MB")
		s.end()
	}
}

// BenchmarkIdleReaders measures the cost of a thousand idle streams, and the latency of an event on one of them.
func BenchmarkIdleReaders(b *testing.B) {
	const readers = 1000
	s := start(b, &talker{})
	id := s.session()
	before := memory(b)
	for range readers - 1 {
		s.follow("session="+id+":0&detail=brief", "").until(free)
	}
	st := s.follow("session="+id+":0&detail=brief", "")
	st.until(free)
	each := (memory(b) - before) / readers / 1e3
	for b.Loop() {
		s.call("POST", "sessions/"+id+"/cells", object{"source": "1"})
		st.until(ofKind("cell_ended"))
		st.until(free)
	}
	b.ReportMetric(each, "kB/reader")
}

// memory returns the memory in bytes of this process and its children, with their shares of shared pages.
func memory(b *testing.B) (bytes float64) {
	b.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(b, err)
	children := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			children[fields[1]] = append(children[fields[1]], filepath.Base(filepath.Dir(file)))
		}
	}
	todo := []string{strconv.Itoa(os.Getpid())}
	for len(todo) > 0 {
		pid := todo[0]
		todo = append(todo[1:], children[pid]...)
		text, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
		for line := range strings.Lines(string(text)) {
			if kb, ok := strings.CutPrefix(line, "Pss:"); ok {
				n, _ := strconv.ParseFloat(strings.Fields(kb)[0], 64)
				bytes += n * 1024
			}
		}
	}
	return bytes
}

// BenchmarkFirstEvent measures the time from a question to the first event of its run, by stream and by WebSocket.
func BenchmarkFirstEvent(b *testing.B) {
	started := func(m message) bool { return m.kind() == "run_started" }
	b.Run("stream", func(b *testing.B) {
		s := start(b, &talker{replies: []string{fence("FINAL(1)")}})
		for b.Loop() {
			b.StopTimer()
			id := s.session()
			st := s.follow("session="+id+":0", "")
			st.until(free)
			b.StartTimer()
			s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
			st.until(started)
			b.StopTimer()
			st.until(free)
			st.close()
			b.StartTimer()
		}
	})
	b.Run("socket", func(b *testing.B) {
		s := start(b, &talker{replies: []string{fence("FINAL(1)")}})
		w := s.socket()
		for b.Loop() {
			b.StopTimer()
			id := s.session()
			w.do(object{"do": "follow", "session": id})
			w.until(id, free)
			b.StartTimer()
			w.do(object{"do": "POST sessions/" + id + "/ask", "body": object{"question": "q"}})
			w.until(id, started)
			b.StopTimer()
			w.until(id, free)
			w.do(object{"do": "unfollow", "session": id})
			w.kept = nil
			b.StartTimer()
		}
	})
}
