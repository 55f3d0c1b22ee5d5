package trajectory

import (
	"encoding/json"
	"time"
)

// RunStarted opens a run (one question). A session's log holds several.
type RunStarted struct {
	Run       string          `json:"run"`                  // id of the run; the session's id for its first
	Number    int             `json:"number"`               // number of the question in its session, from 1
	Question  string          `json:"question"`             // as asked
	Mode      string          `json:"mode"`                 // how a reply of prose is taken; see the termination package
	Model     string          `json:"model"`                // who answers
	SubModel  string          `json:"sub_model,omitempty"`  // who answers sub-calls, if another
	Sandbox   string          `json:"sandbox"`              // level of the sandbox: strict, standard, basic
	Version   string          `json:"version"`              // of the program that wrote the log
	Config    json.RawMessage `json:"config,omitempty"`     // what it takes to resume; no secrets
	Metadata  json.RawMessage `json:"metadata,omitempty"`   // the caller's own, kept as it is
	ParentRun string          `json:"parent_run,omitempty"` // id of the run that this one was forked from
	Batch     string          `json:"batch,omitempty"`      // whose job the run is
	Request   string          `json:"request,omitempty"`    // names what the caller was asked, so that one who is asked again finds what it began
	// Interactive is set when a person is there: a reply of prose is then an answer.
	Interactive bool `json:"interactive,omitempty"`
	// Review is set when the run goes on after a rejected review; Question is then the reviewer's note.
	Review bool `json:"review,omitempty"`
}

// ContextAdded says what cells see as context from here on.
type ContextAdded struct {
	Size      int64    `json:"size"`               // bytes of the whole text
	Hash      string   `json:"hash"`               // SHA-256 of the whole text
	File      string   `json:"file"`               // folder of the run that holds a copy of the text; "" if the sources are read again
	Sources   []string `json:"sources,omitempty"`  // paths and URLs it was made from, as they were given
	Absolute  []string `json:"absolute,omitempty"` // the same as absolute paths; a URL stands for itself
	Documents int      `json:"documents"`          // how many
	Skipped   []string `json:"skipped,omitempty"`  // files left out, each with the reason
	// Files are the documents with the files that they were read from, as JSON: name, size in the text, and
	// path, size and time of the last change of the file. Empty where the text was not read from files.
	Files Text `json:"files,omitzero"`
	// Offset places the text of a child run in the context of the run above it, where it is a part of that.
	Offset int64 `json:"offset,omitempty"`
	// Text is the text of a child run where it is not a part of the context above; empty otherwise.
	Text Text `json:"text,omitzero"`
}

// Reading is how far the reading of a context is, told now and then, at most five times a second; of what is read at once nothing is told. That
// of a run's first context comes before all other events of the run. Transient.
type Reading struct {
	Documents   int           `json:"documents"`      // files, pages and streams that were read
	Of          int           `json:"of"`             // of so many
	Bytes       int64         `json:"bytes"`          // their bytes
	OfBytes     int64         `json:"of_bytes"`       // of so many, as far as sizes are known
	Conversions int           `json:"conversions"`    // of the files, pages and streams, how many were converted so far
	Made        int           `json:"made,omitempty"` // documents that came of conversions so far, with members of archives
	Elapsed     time.Duration `json:"elapsed"`        // since the reading began
	Left        time.Duration `json:"left,omitempty"` // that it will still take, about; absent where nobody can tell
}

// LimitReached says that a budget is used up; the model gets one last turn.
type LimitReached struct {
	Limit string `json:"limit"` // which budget
	Used  string `json:"used"`  // how much of it was used, for people
	Bound string `json:"bound"` // how much there was, for people
}

// Warned is something a person should know (sandbox level basic, unknown price, skipped files).
type Warned struct {
	About string `json:"about"` // what kind of remark it is
	Text  string `json:"text"`  // for people
}

// RunEnded closes a run.
type RunEnded struct {
	Status         string           `json:"status"`                    // how it ended
	FinishStatus   string           `json:"finish_status,omitempty"`   // what the model or a done sequence said about its answer
	Answer         string           `json:"answer"`                    // the answer, complete
	HasAnswer      bool             `json:"has_answer"`                // tells an empty answer from none
	Guess          bool             `json:"guess,omitempty"`           // the answer was handed in before anything of the text was looked at, and no cell computed it
	CutReplies     int              `json:"cut_replies,omitempty"`     // replies of sub-calls of the run's cells that reached their limit of tokens and end there
	Typed          bool             `json:"typed,omitempty"`           // the answer is JSON that follows the run's schema
	AnswerFrom     string           `json:"answer_from,omitempty"`     // final, variable, signal, reply, partial, last_turn
	EndedBy        string           `json:"ended_by"`                  // kind of what fired: signal, sequence, guard, limit, prose, error, interrupt, stop
	Name           string           `json:"name,omitempty"`            // which signal, guard, sequence or limit
	Reason         string           `json:"reason,omitempty"`          // for people
	ErrorKind      string           `json:"error_kind,omitempty"`      // of what failed, when it failed
	RequiresReview bool             `json:"requires_review,omitempty"` // a person must approve the answer
	Reply          string           `json:"reply,omitempty"`           // last reply of the model, when there is no answer
	Turns          int              `json:"turns"`                     // turns taken, without the last one that a limit grants
	Limit          int              `json:"limit"`                     // of turns
	Cells          int              `json:"cells"`                     // cells that ran
	SubCalls       int              `json:"sub_calls"`                 // calls of models below the run: its sub-calls, and all turns and sub-calls of child runs; tools and replies from the memo do not count
	Usage          map[string]Usage `json:"usage"`                     // by model, with child runs below this run
	Cost           *float64         `json:"cost"`                      // US dollars, with child runs; null when not known
	UnpricedModels []string         `json:"unpriced_models,omitempty"` // models whose price is not known
	Duration       time.Duration    `json:"duration"`                  // of the run, without the pauses before it resumed
	ModelTime      time.Duration    `json:"model_time"`                // part of Duration: waiting for the replies of the run's own turns
	CellTime       time.Duration    `json:"cell_time"`                 // part of Duration: in the run's own cells, with their sub-calls and child runs
	Metadata       json.RawMessage  `json:"metadata,omitempty"`        // the caller's own, kept as it is
	Evidence       []Evidence       `json:"evidence,omitempty"`        // passages that the answer's marks refer to, in the order of the answer
	UnknownMarks   []string         `json:"unknown_marks,omitempty"`   // what looks like a mark in the answer and stands for no passage of the context
	Unverified     []string         `json:"unverified,omitempty"`      // quotations in the answer that do not stand in the context
	Unsupported    string           `json:"unsupported,omitempty"`     // what an answer lacks that was accepted although evidence is required
	Grounding      *Grounding       `json:"grounding,omitempty"`       // what the answer rests on; absent in earlier versions

	// Err is the failure itself, for the program in which the run failed. It is not in the log.
	Err error `json:"-"`
}

// Renamed gives a session a name that people know it by.
type Renamed struct {
	Name string `json:"name"` // the new name
}

// Undone takes back the last questions of a session: their messages, cells and variables. The events stay.
type Undone struct {
	Runs int `json:"runs"` // how many questions were taken back
}

// Reviewed is a person's decision on a run that is pending review.
type Reviewed struct {
	Approved bool   `json:"approved"`          // the answer holds
	Note     string `json:"note,omitempty"`    // what the person said
	Request  string `json:"request,omitempty"` // as in run_started
}

// Resumed says that a run that was interrupted goes on from here.
type Resumed struct {
	Pause   time.Duration `json:"pause"`             // since the event before
	Request string        `json:"request,omitempty"` // as in run_started
}
