package documents

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/sandbox"
)

// floods are the endless messages of compromised workers. Those with members claim to be containers, whose members
// are yielded one by one.
var floods = map[string]func(h *sandbox.Host) error{
	"text": func(h *sandbox.Host) error { return h.Send(opText, nil, make([]byte, maxPiece)) },
	"head": func(h *sandbox.Host) error {
		return h.Send(opMeta, metaMeta{strings.Repeat("n", maxShown), strings.Repeat("\u2028", 2000)}, nil)
	},
	"parts": func(h *sandbox.Host) error {
		return h.Send(opBegin, partMeta{Kind: format.Message, Number: 1, Name: strings.Repeat("\x1b", maxShown)}, nil)
	},
	"notes": func(h *sandbox.Host) error { return h.Send(opNote, nil, make([]byte, maxSmall)) },
	"kinds": func(h *sandbox.Host) error { return h.Send(opKind, nil, []byte("kind")) },
	"skipped members": func(h *sandbox.Host) error {
		return h.Send(opSkip, skipMeta{strings.Repeat("p/", maxShown/2), strings.Repeat("r", 10*maxShown)}, nil)
	},
	"small members": func(h *sandbox.Host) error {
		_ = h.Send(opMember, memberMeta{Path: "p"}, nil)
		_ = h.Send(opData, nil, make([]byte, 40<<10))
		return h.Send(opEnd, failure{}, nil)
	},
	"empty members": func(h *sandbox.Host) error {
		_ = h.Send(opMember, memberMeta{Path: strings.Repeat("p/", maxShown/2)}, nil)
		return h.Send(opEnd, failure{}, nil)
	},
	"failed members": func(h *sandbox.Host) error {
		_ = h.Send(opMember, memberMeta{Path: "../../etc/passwd"}, nil)
		return h.Send(opEnd, failure{Error: strings.Repeat("\x1b", 2*maxShown), Which: "none"}, nil)
	},
	"large members": func(h *sandbox.Host) error {
		_ = h.Send(opMember, memberMeta{Path: "\x1b[2J"}, nil)
		for range 1000 {
			_ = h.Send(opData, nil, make([]byte, maxPiece))
		}
		return h.Send(opEnd, failure{}, nil)
	},
}

var _ = func() bool {
	for name, say := range floods {
		for _, text := range []string{"", "text before "} { // after text, members are queued
			convert := func(_ context.Context, _ format.Source, out format.Output) error {
				host := out.(*output).host
				_ = host.Send(opText, nil, []byte(text))
				for say(host) == nil {
				}
				return nil
			}
			converters[testForm("flood "+text+name)] = converter{version: 1, streams: text == "", convert: convert}
		}
	}
	return true
}()

// floodForms yields the documents of all floods.
func floodForms(yield func(string) bool) {
	for name := range floods {
		if !yield(name) || strings.HasSuffix(name, "members") && !yield("text before "+name) {
			return
		}
	}
}

// mostFlooded is the limit of a host's peak memory in a flood. It is less than ownhost's, so that a shorter flood
// exceeds it if the host keeps what it receives.
const mostFlooded = ownhost.Most / 2

// Endless messages end the conversion or are left out beyond a limit. The host's memory stays small, and it
// converts the next document.
func TestTheHostStaysSmallUnderFloods(t *testing.T) {
	ownhost.Each(t, floodForms, func(t *testing.T, name string) {
		p := newPool(t, Options{Output: mostFlooded, Timeout: 300 * time.Millisecond, Level: sandbox.Basic})
		p.members, p.grace = mostFlooded, 100*time.Millisecond
		first := Document{}
		err := p.Convert(t.Context(), Job{
			Name: "doc", Bytes: strings.NewReader("TEST flood " + name + "\n"),
			Size: int64(len("TEST flood \n") + len(name)),
		}, func(d Document) error {
			require.NotContains(t, d.Name+d.Kind+d.Why, "\x1b")
			if first.Why == "" {
				first = d
			}
			return nil
		})
		require.NoError(t, err)
		require.NotEmpty(t, first.Why)
		t.Log(first.Name, first.Why)
		require.Less(t, ownhost.Peak(t, "self"), int64(mostFlooded))
		p.options.Timeout = time.Minute
		require.Equal(t, "fine", convertOne(t, p, "plain\nfine").text)
	})
}
