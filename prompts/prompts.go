// Package prompts renders the messages to the model. It depends on no other room: it renders plain values through
// embedded templates, so that every word a model sees can be read in templates/. A Variant replaces templates.
//
// No template names a function of the notebook: names come from the caller (Names, Builtin), so a notebook with
// other function names gets correct prompts. The observation format is stable: a guard recognises it when a model
// invents an observation.
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

// shipped parses the templates that come with the program when the first prompt is rendered. They are embedded, so
// a failure is a defect that every test run shows.
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

// squeeze joins runs of blank lines into one, so that optional sections of a template leave no gaps.
func squeeze(s string) string {
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return s
}

// Short is the signature, with the fields of its types.
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

// typeFields matches a type with its fields in a documentation.
var typeFields = startup.Regexp(`\b[A-Z]\w*\{[^}]*\}`)

// Names are the notebook's names for the functions that worked examples and advice use. An empty name means that
// the notebook has no such function; text that needs it is left out.
type Names struct {
	Query        string // one sub-call
	QueryBatched string // many concurrent sub-calls
	QueryJSON    string // a sub-call whose reply is decoded into a Go value
	Judge        string // verdicts of sub-calls over many items
	ChildQuery   string // a child run with its own notebook
	Final        string // ends with a value as the answer
	FinalVar     string // ends with a variable as the answer
	Finish       string // the mode's own completion signal
	Vars         string // lists the variables
	Grep         string
	Chunks       string
	Cite         string // marks a passage in the answer
}

// Signal is the name that a nudge recommends for ending the run: the plainest completion signal there is.
func (n Names) Signal() string {
	for _, s := range []string{n.Final, n.Finish, n.FinalVar} {
		if s != "" {
			return s
		}
	}
	return ""
}

// Builtin documents one function of the notebook. Doc's first line is the signature; Doc of a completion signal
// must state that it is one.
type Builtin struct {
	Name string
	Doc  string
	// Signal marks a completion signal.
	Signal bool
	// Minor marks a function that is left out if the window is small.
	Minor bool
}

// Brief reports whether the documentation is only the signature.
func (b Builtin) Brief() bool { return !strings.Contains(b.Doc, "\n") }

// Setup is the input of the system prompt. It stays the same for a whole conversation.
type Setup struct {
	Task        bool // autonomous work that a person reviews, instead of a conversation
	Interactive bool // a person is there and may ask further questions
	Child       bool // this is a child run: another notebook waits for the answer
	Names       Names
	Builtins    []Builtin     // the functions of the notebook, including tools of the embedding program
	Outside     bool          // some of them are tools of MCP servers
	Refused     []string      // functions whose calls are refused; they are not in Builtins
	Packages    []string      // importable packages
	Output      int           // bytes of a cell's output that are shown
	CellTime    time.Duration // how long a cell may compute
	CellMemory  int64         // bytes that a cell may use
	QueryChars  int64         // the longest prompt of a sub-call in characters; 0 if unknown
	Window      int64         // tokens that the model accepts; 0 if unknown
	Concurrency int           // concurrent sub-calls
	Answer      string        // declaration of the answer's Go type; empty if it may be anything
	Example     string        // an answer of that type, as a cell writes it
	Additions   string        // the user's own additions
}

// FatPrompt is the length of a good sub-prompt in characters: large, but well within the sub-model's window.
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

// Others lists the signatures of functions without further documentation.
func (s Setup) Others() (all []string) {
	for _, b := range s.Builtins {
		if b.Brief() {
			all = append(all, b.Doc)
		}
	}
	return all
}

// Readable is how many tokens of text a model should read itself rather than pass to sub-models.
func (s Setup) Readable() int64 {
	const most = 15_000
	if s.Window <= 0 {
		return most
	}
	return min(most, s.Window/4)
}

// Seconds is CellTime in seconds.
func (s Setup) Seconds() int { return int(s.CellTime.Seconds()) }
