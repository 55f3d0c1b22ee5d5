package openai_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// apart starts a server in a separate process, to measure its memory and processor time.
func apart(b *testing.B, answer func(fakeapi.Request) fakeapi.Reply) *mortal {
	b.Helper()
	model := fakeapi.StartFunc(answer)
	b.Cleanup(model.Close)
	c := &mortal{t: b, dir: b.TempDir(), model: model.URL()}
	c.start()
	b.Cleanup(c.kill)
	return c
}

// status returns a value of the server's memory as the kernel reports it, in MB.
func (c *mortal) status(name string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.process.Process.Pid))
	require.NoError(c.t, err)
	_, rest, _ := strings.Cut(string(text), name+":")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	require.NoError(c.t, err)
	return kb * 1024 / 1e6
}

// spent returns the processor time of the server and its workers, including those that have ended.
func (c *mortal) spent() (all time.Duration) {
	tasks, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(c.t, err)
	server := c.process.Process.Pid
	for _, file := range tasks {
		text, _ := os.ReadFile(file) // the process may have ended
		_, rest, ok := bytes.Cut(text, []byte(") "))
		f := strings.Fields(string(rest))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if !ok || pid != server && f[1] != strconv.Itoa(server) {
			continue
		}
		for _, ticks := range f[11:15] { // user and system time, of the process and of its children
			n, _ := strconv.Atoi(ticks)
			all += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return all
}

func (c *mortal) post(ctx context.Context, body io.Reader, size int64) *http.Response {
	req, err := http.NewRequestWithContext(ctx, "POST", c.url+"v1/chat/completions", body)
	require.NoError(c.t, err)
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(c.t, err)
	return res
}

// BenchmarkLargeChats measures the server's memory, at its peak and afterwards, for concurrent chats with one long
// text each.
func BenchmarkLargeChats(b *testing.B) {
	for _, c := range []struct{ chats, size int }{{1, 50 << 20}, {4, 20 << 20}, {16, 20 << 20}} {
		b.Run(fmt.Sprintf("%dx%dMiB", c.chats, c.size>>20), func(b *testing.B) {
			for b.Loop() {
				s := apart(b, obedient)
				idle := s.status("VmRSS")
				line := "2026-11-26 10:00:00 INFO a line of a log, as there are very many of them\\n"
				head := `{"model":"rlm","messages":[{"role":"user","content":[{"type":"text","text":"`
				tail := `"},{"type":"text","text":"do: FINAL(len(context))"}]}]}`
				lines := c.size / len(line)
				var all sync.WaitGroup
				for range c.chats {
					all.Go(func() {
						text := make([]io.Reader, 0, lines+2)
						text = append(text, strings.NewReader(head))
						for range lines {
							text = append(text, strings.NewReader(line))
						}
						text = append(text, strings.NewReader(tail))
						res := s.post(b.Context(), io.MultiReader(text...), int64(len(head)+lines*len(line)+len(tail)))
						defer res.Body.Close()
						got, err := io.ReadAll(res.Body)
						assert.NoError(b, err)
						assert.Contains(b, string(got), fmt.Sprintf(`"content":"%d"`, lines*(len(line)-1)))
					})
				}
				all.Wait()
				b.ReportMetric(idle, "idle-MB")
				b.ReportMetric(s.status("VmHWM"), "peak-MB")
				b.ReportMetric(s.status("VmRSS"), "after-MB")
			}
		})
	}
}

// BenchmarkFirstText measures concurrent streamed chats of one turn, with a model that takes 200 ms: the time to
// the header, to the first byte, and to the first text minus the model's time; and the processor time per chat.
func BenchmarkFirstText(b *testing.B) {
	const thinks = 200 * time.Millisecond
	for _, chats := range []int{1, 10, 50} {
		b.Run(fmt.Sprint("chats=", chats), func(b *testing.B) {
			s := apart(b, func(req fakeapi.Request) fakeapi.Reply {
				time.Sleep(thinks)
				return obedient(req)
			})
			var mu sync.Mutex
			heads, texts := []time.Duration{}, []time.Duration{}
			body := `{"model":"rlm","stream":true,"messages":[{"role":"user","content":"do: FINAL(1)"}]}`
			round := func() {
				var all sync.WaitGroup
				for range chats {
					all.Go(func() {
						began := time.Now()
						res := s.post(b.Context(), strings.NewReader(body), int64(len(body)))
						defer res.Body.Close()
						head, text := time.Since(began), time.Duration(0)
						lines := bufio.NewScanner(res.Body)
						for lines.Scan() {
							if text == 0 && strings.Contains(lines.Text(), "Next step") {
								text = time.Since(began) - thinks
							}
						}
						assert.NoError(b, lines.Err())
						mu.Lock()
						defer mu.Unlock()
						heads, texts = append(heads, head), append(texts, text)
					})
				}
				all.Wait()
			}
			round() // a first round opens the connections
			heads, texts = heads[:0], texts[:0]
			before, rounds := s.spent(), 0
			for b.Loop() {
				round()
				rounds++
			}
			used := s.spent() - before
			b.ReportMetric(ms(middle(heads)), "head-ms")
			b.ReportMetric(ms(slices.Max(heads)), "head-max-ms")
			b.ReportMetric(ms(middle(texts)), "text-over-model-ms")
			b.ReportMetric(ms(slices.Max(texts)), "text-max-ms")
			b.ReportMetric(ms(used)/float64(rounds*chats), "cpu-ms/chat")
		})
	}
}

func middle(all []time.Duration) time.Duration {
	slices.SortFunc(all, cmp.Compare)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
