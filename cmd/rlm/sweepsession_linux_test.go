package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner/trajectory"
)

// sweepSession types a cell and a question. Whatever was not done is typed again, or continued by /retry, in
// the same session if there is one.
func sweepSession(p *shellEnvironment, inject string) bool {
	typed := []string{"> kept := 7", "How many?"}
	_, stderr, code, hit := p.failing(inject, strings.Join(typed, "\n")+"\n", "chat", "data.txt")
	again, now := []string{"chat", "data.txt"}, p.recorded()
	if now.read {
		again = []string{"open", now.run}
	}
	require.True(p, code != 0 ||
		now.ran && now.answer == "3", "it did not say that something was not done: %s\n%s", inject, stderr)
	if now.ran {
		typed[0] = ""
	}
	switch {
	case now.answer != "":
		typed[1] = ""
	case now.asked:
		typed[1] = "/retry"
	}
	cmd, said := p.command(p.bin, again...)
	cmd.Stdin = strings.NewReader(strings.Join(append(typed, `> fmt.Println("kept", kept)`), "\n") + "\n")
	require.NoError(p, cmd.Run(), "%s: exit %d: %s\n%s", inject, code, stderr, said)
	require.Contains(p, said.String(), "kept 7", inject)
	require.Equal(p, "3", p.recorded().answer, "%s\n%s\n%s", inject, stderr, said)
	p.checkPaid(inject, 1)
	return hit
}

// record is the content of a session's log.
type record struct {
	run    string // id of the run
	read   bool   // whether the context was read
	ran    bool   // whether the cell ran
	asked  bool
	answer string
}

// recorded returns the record of the session whose context was read, if there is one.
func (p *shellEnvironment) recorded() (r record) {
	p.Helper()
	list, err := trajectory.List(trajectory.RunsDir(p.path("data")))
	if err != nil {
		return r // there is no run yet
	}
	for _, one := range list {
		if r = recordOf(p, one); r.read {
			return r
		}
	}
	return record{}
}

func recordOf(p *shellEnvironment, run trajectory.Summary) record {
	p.Helper()
	r := record{run: run.ID}
	for ev, err := range trajectory.Read(run.Dir) {
		require.NoError(p, err)
		switch d := ev.Data.(type) {
		case trajectory.ContextAdded:
			r.read = true
		case trajectory.CellEnded:
			r.ran = r.ran || d.OK
		case trajectory.RunStarted:
			r.asked = true
		case trajectory.RunEnded:
			r.answer = d.Answer
		}
	}
	return r
}

// sweepServer asks a server through the API. If there is no answer, it asks a second server with the same keys.
func sweepServer(p *shellEnvironment, inject string) bool {
	answer, said := p.served(inject)
	hit := p.hit()
	if answer == "" {
		require.NotEmpty(p, said, inject)
		var again string
		answer, again = p.served("")
		said += "\n" + again
	}
	require.Equal(p, "3", answer, "%s\n%s", inject, said)
	p.checkPaid(inject, 1)
	return hit
}

// served starts a server, asks it and ends it. If there is no answer, said has the errors.
func (p *shellEnvironment) served(inject string) (answer, said string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 5*time.Minute)
	defer cancel()
	args := []string{"serve", "--json", "--no-open", "--listen", "127.0.0.1:0"}
	cmd, _ := p.command(p.bin, args...)
	if inject != "" {
		cmd = p.injected(ctx, inject, args...)
	}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = nil, &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(p, err)
	require.NoError(p, cmd.Start())
	var at struct{ URL, Token string }
	if err = json.NewDecoder(out).Decode(&at); err == nil {
		answer, err = p.asks(ctx, at.URL, at.Token, inject == "")
		_ = cmd.Process.Signal(syscall.SIGTERM) // the process may have ended
		said = fmt.Sprint(err)
	}
	_ = cmd.Wait() // it was interrupted
	require.NoError(p, ctx.Err(), "it hangs: %s\n%s\n%s", inject, said, stderr.String())
	return answer, said + "\n" + stderr.String()
}

// asks asks a server a question over a text; with goOn it continues a question that ended without an answer.
// The error is why there is no answer.
func (p *shellEnvironment) asks(ctx context.Context, url, token string, goOn bool) (answer string, err error) {
	c, err := client.New(url, token)
	if err != nil {
		return "", err
	}
	defer c.Close()
	texts := session.ContextSpec{Texts: []session.Text{{Name: "data.txt", Text: p.read("data.txt")}}}
	s, err := session.Do[session.Summary](
		ctx, c, session.Request{Command: "create", Key: "create", Args: session.CreateRequest{ContextSpec: texts}})
	if err != nil {
		return "", err
	}
	if _, err = c.Ask(ctx, s.ID, "ask", "How many?", session.Choice{}); err != nil {
		return "", err
	}
	for h, err := range c.Events(ctx, s.ID, session.EventOptions{}) {
		if err == nil && h.Failed != nil {
			err = errors.New(h.Failed.Message)
		}
		d, ended := h.Event.Data.(trajectory.RunEnded)
		if ended && !d.HasAnswer && goOn {
			goOn = false
			_, err = c.Do(ctx, session.Request{Command: "resume", Session: s.ID, Key: "resume"})
			ended = false
		}
		if ended || err != nil {
			return d.Answer, errors.Join(err, errors.New(d.Reason))
		}
	}
	return "", errors.New("the events ended")
}
