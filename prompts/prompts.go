// Package prompts is what the model is told. It knows no other room: it renders plain values through
// embedded templates, so that every word a model sees can be read in templates/. A Variant puts other
// templates in their place.
//
// No function of the notebook is named in a template: names come from the caller (Names, Builtin), so a
// notebook whose functions go by other names gets prompts that are right for it. The observation format is
// stable: it is what a guard recognises when a model writes down an observation of its own.
package prompts

import (
	"embed"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/units"
)

//go:embed templates
var files embed.FS

// shipped are the templates as they come with the program, parsed when the first prompt is rendered. They are embedded, so a failure is a
// defect that every test run shows.
var shipped = sync.OnceValues(func() (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		"about":  units.About,
		"count":  units.Count,
		"of":     units.Of[int64],
		"binary": units.Binary,
		"indent": func(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") },
		"line":   func(s string) string { first, _, _ := strings.Cut(s, "\n"); return first },
		"list":   func(s []string) string { return strings.Join(s, ", ") },
		"fence":  func() string { return "```" },
		"trim":   func(s string) string { return strings.Trim(s, "\n") },
	}).ParseFS(files, "templates/*"+extension)
})

// squeeze joins runs of blank lines into one, so that optional sections of a template leave no holes.
func squeeze(s string) string {
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return s
}

// Short is the signature, with the fields of the types in it.
func (b Builtin) Short() string {
	head, rest, _ := strings.Cut(b.Doc, "\n")
	if fields := typeFields().FindString(rest); fields != "" {
		head += " // " + fields
	}
	if b.Signal {
		head += " // ends the run"
	}
	return head
}

// typeFields is a type in a documentation, with its fields.
var typeFields = startup.Regexp(`\b[A-Z]\w*\{[^}]*\}`)

// Names are the names under which the notebook knows the functions that worked examples and advice use.
// An empty name means that the notebook has no such function; what needs it is left out.
type Names struct {
	Query        string // one sub-call
	QueryBatched string // many sub-calls at once
	QueryJSON    string // a sub-call decoded into a Go value
	Judge        string // verdicts of sub-calls over many items
	ChildQuery   string // a child run with a notebook of its own
	Final        string // the answer is a value
	FinalVar     string // the answer is a variable
	Finish       string // the mode's own completion signal
	Vars         string // lists the variables
	Grep         string
	Chunks       string
	Cite         string // marks a passage in the answer
}

// Signal is the name that a nudge tells the model to end with: the plainest completion signal there is.
func (n Names) Signal() string {
	for _, s := range []string{n.Final, n.Finish, n.FinalVar} {
		if s != "" {
			return s
		}
	}
	return ""
}

// Builtin documents one function of the notebook. Doc's first line is the signature; a completion signal says of itself that it is one.
type Builtin struct {
	Name string
	Doc  string
	// Signal marks a completion signal.
	Signal bool
	// Minor marks one that is not named where the window is small.
	Minor bool
}

// Brief says that the documentation is the signature alone.
func (b Builtin) Brief() bool { return !strings.Contains(b.Doc, "\n") }

// Setup is what the system prompt depends on. It stays the same for a whole conversation.
type Setup struct {
	Task        bool // autonomous work that a person reviews, instead of a conversation
	Interactive bool // a person is there and may ask on
	Child       bool // this is a child run: another notebook waits for the answer
	Names       Names
	Builtins    []Builtin     // the functions of the notebook, tools of the embedding program among them
	Outside     bool          // some of them are tools of MCP servers
	Refused     []string      // those whose calls are refused, which Builtins does not hold
	Packages    []string      // importable packages
	Output      int           // bytes of a cell's output that are shown
	CellTime    time.Duration // how long a cell may compute
	CellMemory  int64         // bytes that a cell may use
	QueryChars  int64         // characters that one sub-call's prompt can have; 0 if not known
	Window      int64         // tokens that the model takes; 0 if not known
	Concurrency int           // sub-calls that run at once
	Answer      string        // declaration of the Go type of the answer; empty if it may be anything
	Example     string        // an answer of that type, as a cell writes it
	Additions   string        // the user's own additions
}

// FatPrompt is how many characters a good sub-prompt has: large, but well inside of what the sub-model takes.
func (s Setup) FatPrompt() int64 {
	const usual, most = 100_000, 500_000
	if s.QueryChars <= 0 {
		return usual
	}
	fat := min(s.QueryChars/2, most)
	if fat > 10_000 {
		fat -= fat % 5_000
	}
	return fat
}

// Others are the signatures of functions that are documented by nothing else.
func (s Setup) Others() (all []string) {
	for _, b := range s.Builtins {
		if b.Brief() {
			all = append(all, b.Doc)
		}
	}
	return all
}

// Readable is how many tokens of text a model reads itself rather than hand them to sub-models.
func (s Setup) Readable() int64 {
	const most = 15_000
	if s.Window <= 0 {
		return most
	}
	return min(most, s.Window/4)
}

// Seconds is CellTime in seconds.
func (s Setup) Seconds() int { return int(s.CellTime.Seconds()) }
