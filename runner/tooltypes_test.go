package runner_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// urgency is an enum with a text form.
type urgency int

func (s urgency) MarshalText() ([]byte, error) { return []byte([]string{"low", "high"}[s]), nil }

func (s *urgency) UnmarshalText(text []byte) error {
	if *s = 0; string(text) == "high" {
		*s = 1
	}
	return nil
}

// money has a JSON form, through pointer methods.
type money struct{ cents int }

func (m *money) MarshalJSON() ([]byte, error) { return json.Marshal(m.cents) }

func (m *money) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &m.cents) }

// unread can write text but not read it.
type unread int

func (unread) MarshalText() ([]byte, error) { return []byte("text"), nil }

// reported has fields of the types above.
type reported struct {
	Level  urgency             `json:"level"`
	Levels map[urgency]int     `json:"levels"`
	Addr   netip.Addr          `json:"addr"`
	Big    *big.Int            `json:"big"`
	Number json.Number         `json:"number"`
	Price  *money              `json:"price"`
	At     time.Time           `json:"at"`
	Hosts  map[netip.Addr]bool `json:"hosts"`
}

// uuid and decimal are like those of libraries: an array with a text form, a struct with a JSON form.
type uuid [2]byte

func (u uuid) MarshalText() ([]byte, error)     { return hex.AppendEncode(nil, u[:]), nil }
func (u *uuid) UnmarshalText(text []byte) error { _, err := hex.Decode(u[:], text); return err }

type decimal struct{ value *big.Rat }

func (d decimal) MarshalJSON() ([]byte, error) { return json.Marshal(d.value.FloatString(2)) }
func (d *decimal) UnmarshalJSON(data []byte) error {
	d.value, _ = new(big.Rat).SetString(strings.Trim(string(data), `"`))
	return nil
}

// hidden is not exported, but types that embed it have its field.
type hidden struct{ ID uuid }

// order has fields of type uuid and decimal.
type order struct {
	hidden
	Total decimal         `json:"total"`
	Of    map[uuid]string `json:"of"`
}

// filed is a second type like reported, for a parameter.
type filed reported

// Types with a text or JSON form are results, parameters, keys and fields of tools, in both engines.
func TestToolsWithTypesThatWriteThemselves(t *testing.T) {
	t.Parallel()
	addr := netip.MustParseAddr("10.0.0.1")
	var got reported
	options := []runner.Option{
		runner.WithTool("level", "", func() urgency { return 1 }),
		runner.WithTool("raise", "", func(s urgency) urgency { return s + 1 }),
		runner.WithTool("addr", "", func(a netip.Addr) netip.Addr { return a.Next() }),
		runner.WithTool("factorial", "", func() *big.Int { return big.NewInt(720) }),
		runner.WithTool("value", "", func() big.Int { return *big.NewInt(7) }),
		runner.WithTool("number", "", func() json.Number { return "7" }),
		runner.WithTool("price", "", func(m money) money { return money{m.cents + 1} }),
		runner.WithTool("weekday", "", func() time.Weekday { return 3 }),
		runner.WithTool("report", "", func() reported {
			return reported{
				1,
				map[urgency]int{1: 2},
				addr, big.NewInt(8), "9", &money{5}, time.Unix(0, 0).UTC(),
				map[netip.Addr]bool{addr: true},
			}
		}),
		runner.WithTool("file", "", func(r filed) { got = reported(r) }),
	}
	const cell = `r := report()
file(filed(r))
year := r.At.Year()
fmt.Println(level(), raise("low"), addr("10.0.0.1"), factorial(), value(), number(), price(41), int(weekday()))
fmt.Println(r.Level, r.Addr, r.Big, r.Number, r.Price, year)
n, ok := r.Levels["high"], r.Hosts["10.0.0.1"]
fmt.Println(n, ok)`
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		got = reported{}
		s, err := newRunner(t, root(nil, nil), append(options, runner.WithEngine(engine))...).NewSession(timeout(t))
		require.NoError(t, err)
		res, err := s.Exec(timeout(t), cell)
		require.NoError(t, err)
		require.Nil(t, res.Error, "%s: %v", engine, res.Error)
		require.Equal(t, "high high 10.0.0.2 720 7 7 42 3\nhigh 10.0.0.1 8 9 5 1970\n2 true\n", res.Output)
		require.Equal(t, urgency(1), got.Level)
		require.Equal(t, addr, got.Addr)
		require.Equal(t, 5, got.Price.cents)
		require.NoError(t, s.Close())
	}
	for _, fn := range []any{
		func(unread) {}, func(
			map[unread]int) {
		}, func() map[[2]int]int { return nil }, func() *strings.Reader {
			return nil
		}, func([]strings.Builder) {}, func() listed { return nil },
		//lint:ignore ST1008 that is what is refused
		func() (error, int) { return nil, 0 },
	} {
		_, err := runner.New(llm.NewScripted("s"), runner.WithTool("tool", "", fn))
		require.Error(t, err)
	}
}

// A library type has its own JSON form in cells, also in embedded structs, and in answers.
func TestToolsAndAnswersWithTypesOfLibraries(t *testing.T) {
	t.Parallel()
	total := decimal{big.NewRat(25, 2)}
	var got order
	options := []runner.Option{
		runner.WithTool("fetch", "", func(id uuid) order { return order{hidden{id}, total, map[uuid]string{id: "x"}} }),
		runner.WithTool("pay", "", func(o order, by *uuid, others ...decimal) int { got = o; return len(others) }),
		runner.WithTool("day", "", func() time.Weekday { return time.Wednesday }),
		runner.WithTool("set", "", func(map[string]struct{}, *mutexed, int) {}),
	}
	cell := fence(`o := fetch("00ff")
of := o.Of["00ff"]
n := pay(order(o), nil, "1.50", 2)
d := day()
fmt.Println(o.ID, o.Total, of, n, d)
FINAL(Answer{ID: o.ID, Total: o.Total, Of: map[string]string{o.ID: "y"}})`)
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		model := root([]string{cell}, nil)
		r := newRunner(t, model, append(options[:len(options):len(options)], runner.WithEngine(engine))...)
		answer, res, err := runner.AnswerAs[order](timeout(t), r, "q")
		require.NoError(t, err, "%+v", res.Cells)
		require.Equal(t, "00ff 12.50 x 2 3\n", res.Cells[0].Output)
		require.Equal(t, order{hidden{uuid{0, 255}}, total, map[uuid]string{{0, 255}: "y"}}, answer)
		require.Equal(t, order{hidden{uuid{0, 255}}, total, map[uuid]string{{0, 255}: "x"}}, got)
		require.Contains(t, model.Requests()[0].Messages[0].Content,
			"Weekday is 0 Sunday, 1 Monday, 2 Tuesday, 3 Wednesday")
	}
}

// mutexed has a field without contents in JSON.
type mutexed struct {
	Mu sync.Mutex
	X  int
}

// listed contains itself.
type listed []listed

// Names that have another meaning in a cell are refused before a run begins.
func TestNamesOfToolsThatAreTaken(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"delete", "copy", "close", "print", "len", "append", "new", "min", "string", "int", "nil", "any", "init",
		"main", "_", "type", "context", "docs", "history",
		"grep", "search", "FINAL", "fmt", "strings", "", "Doc", "Hit", "Passage", "Match", "recorded_calls",
	} {
		_, err := runner.New(llm.NewScripted("s"), runner.WithDataDir(t.TempDir()),
			runner.WithTool(name, "", func() {}))
		require.Error(t, err, name)
	}
	for _, names := range [][]string{{"type", "type"}, {"a", "a"}, {"a", "b", "c"}, {""}} {
		_, err := runner.New(llm.NewScripted("s"), runner.WithDataDir(t.TempDir()),
			runner.WithTool("tool", "", func(string, string) {}, runner.Params(names...)))
		require.Error(t, err, names)
	}
}

// A run's id must be the name of a single folder below the data folder.
func TestIDsOfRunsStayInTheDataFolder(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"../../../../escaped", "..", ".", "a/b", `a\b`, "/tmp/x", "c:x", "a\x00b", "a/../b",
		"order.42", "..x", "x.", "a\nb", " a", "\u202ea", strings.Repeat("x", 300),
	} {
		_, err := runner.New(llm.NewScripted("s"), runner.WithDataDir(t.TempDir()), runner.WithRunID(id))
		require.ErrorContains(t, err, "id of a run", id)
	}
	for _, id := range []string{"0a1b2c", "order-42", "a b", "é"} {
		dir := t.TempDir()
		r := newRunner(t, llm.NewScripted("s", fence(`FINAL(1)`)), runner.WithDataDir(dir), runner.WithRunID(id))
		res, err := r.Answer(timeout(t), "q")
		require.NoError(t, err, id)
		require.FileExists(t, r.Trajectory(res.RunID))
		s, err := newRunner(t, llm.NewScripted("s"), runner.WithDataDir(dir)).OpenSession(timeout(t), res.RunID)
		require.NoError(t, err, id)
		require.NoError(t, s.Close())
	}
}
