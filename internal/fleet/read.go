package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
)

// mostProblems is how many bad lines are listed.
const mostProblems = 20

// ReadJobs reads jobs as JSON Lines:
//
//	{"id": "…", "question": "…", "context": ["path", "https://…", {"text": "…", "name": "…"}], "model": "…", "sub_model": "…",
//	 "schema": "name string, year int", "budgets": {"cost": 0.5, "time": "10m"}, "metadata": …}
//
// Only the question is required; the default id of a job is its line number. check, which may be nil, finds further
// mistakes in a job. The error lists all bad lines, with reasons.
func ReadJobs(r io.Reader, check func(Job) error) ([]Job, error) {
	var (
		jobs     []Job
		problems []error
		lines    = map[string]int{} // line numbers by id
		in       = bufio.NewReaderSize(decoding.Lines(r), 1<<16)
		n        = 0
	)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading jobs: %w", err)
		}
		n++
		if text := bytes.TrimSpace(line); len(text) > 0 {
			job, problem := readJob(bytes.TrimPrefix(text, []byte(decoding.Mark)), n)
			if problem == nil && check != nil {
				problem = check(job)
			}
			if first, twice := lines[job.ID]; problem == nil && twice {
				problem = fmt.Errorf("the id %q is already used in line %d", job.ID, first)
			}
			if problem != nil {
				problems = append(problems, fmt.Errorf("line %d: %w", n, problem))
			} else {
				lines[job.ID] = n
				jobs = append(jobs, job)
			}
		}
		if err != nil {
			break
		}
	}
	if left := len(problems) - mostProblems; left > 0 {
		problems = append(problems[:mostProblems], fmt.Errorf("and %d more lines", left))
	}
	if len(problems) == 0 && len(jobs) == 0 {
		return nil, errors.New("there are no jobs: a job is a line such as {\"question\": \"…\", \"context\": [\"file\"]}")
	}
	return jobs, errors.Join(problems...)
}

// jobLine is a job as people write it.
type jobLine struct {
	ID       any             `json:"id"`
	Question string          `json:"question"`
	Context  sourceList      `json:"context"`
	Model    string          `json:"model"`
	SubModel string          `json:"sub_model"`
	Schema   json.RawMessage `json:"schema"`
	Budgets  *budgetsLine    `json:"budgets"`
	Metadata json.RawMessage `json:"metadata"`
}

type budgetsLine struct {
	Iterations *int     `json:"iterations"`
	SubCalls   *int64   `json:"sub_calls"`
	Tokens     *int64   `json:"tokens"`
	Cost       *float64 `json:"cost"`
	Time       any      `json:"time"`
	Depth      *int     `json:"depth"`
	Errors     *int     `json:"errors"`
}

// sourceList are the sources of a context: a list, or a single source.
type sourceList []Source

func (o *sourceList) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]Source)(o))
	}
	var one Source
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*o = sourceList{one}
	return nil
}

// UnmarshalJSON reads an object with a path, a URL or a text. A string is a URL if it has the scheme of one, a
// text if it has several lines, and otherwise a path.
func (s *Source) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		switch scheme, _, ok := strings.Cut(text, "://"); {
		case strings.Contains(text, "\n"):
			*s = Source{Text: text}
		case ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
			*s = Source{URL: text}
		default:
			*s = Source{Path: text}
		}
		return nil
	}
	type plain Source
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode((*plain)(s))
}

func readJob(text []byte, n int) (Job, error) {
	var l jobLine
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&l); err != nil {
		return Job{}, plainJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Job{}, errors.New("there is more after the job: each line contains one")
	}
	job := Job{Question: l.Question, Context: l.Context, Model: l.Model, SubModel: l.SubModel, Metadata: l.Metadata}
	switch id := l.ID.(type) {
	case nil:
		job.ID = strconv.Itoa(n)
	case string:
		job.ID = id
	case json.Number:
		job.ID = id.String()
	default:
		return job, errors.New("the id must be text or a number")
	}
	var err error
	if job.Schema, err = schemaText(l.Schema); err != nil {
		return job, err
	}
	if l.Budgets != nil {
		if job.Budgets, err = l.Budgets.read(); err != nil {
			return job, err
		}
	}
	return job, job.Check()
}

// plainJSON rewords a JSON error in terms of the jobs file rather than of this program.
func plainJSON(err error) error {
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Errorf(
			"a job must be a line such as {\"question\": \"…\", \"context\": [\"file\"]}, not %s", typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("%q has the wrong type: %s", typ.Field, typ.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("this is not JSON: %w (at byte %d)", err, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("this is not JSON: it ends in the middle of the object")
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("there is no field %s: the fields of a job are "+
			"id, question, context, model, sub_model, schema, budgets, metadata", field)
	}
	return fmt.Errorf("this is not a job: %w", err)
}

// schemaText returns a schema as WithSchema accepts it: a short list of fields, or JSON, which may be an object in
// the file.
func schemaText(raw json.RawMessage) (string, error) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case raw[0] == '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err
	case raw[0] == '{':
		return string(raw), nil
	}
	return "", errors.New("the schema must be an object, or text such as \"name string, year int\"")
}

func (l budgetsLine) read() (b runner.Budgets, err error) {
	for name, v := range map[string]*float64{
		"iterations": float(l.Iterations), "sub_calls": float(l.SubCalls), "tokens": float(l.Tokens), "cost": l.Cost,
		"errors": float(l.Errors),
	} {
		if v != nil && *v == 0 {
			return b, fmt.Errorf("budgets: %s 0 leaves nothing to do; -1 means no limit", name)
		}
		if v != nil && *v < 0 && *v != -1 {
			return b, fmt.Errorf("budgets: %s must be a number above 0, or -1 for no limit, not %v", name, *v)
		}
	}
	take(&b.Iterations, l.Iterations)
	take(&b.SubCalls, l.SubCalls)
	take(&b.Tokens, l.Tokens)
	take(&b.Cost, l.Cost)
	take(&b.Depth, l.Depth)
	take(&b.Errors, l.Errors)
	if l.Depth != nil && *l.Depth == 0 {
		b.Depth = -1
	}
	if l.Time != nil {
		text, ok := fmt.Sprint(l.Time), false
		if b.Time, ok = units.ParseTime(text); !ok && text == "-1" {
			b.Time, ok = -1, true
		}
		if !ok {
			return b, fmt.Errorf("budgets: time must be a duration such as \"10m\", not %q", text)
		}
	}
	return b, nil
}

func take[N int | int64 | float64](v *N, given *N) {
	if given != nil {
		*v = *given
	}
}

func float[N int | int64](v *N) *float64 {
	if v == nil {
		return nil
	}
	f := float64(*v)
	return &f
}

// check returns an error if a source cannot be read.
func (s Source) check() error {
	set := 0
	for _, v := range []string{s.Path, s.URL, s.Text} {
		if v != "" {
			set++
		}
	}
	switch {
	case set != 1 || s.Object != "" || s.Shared:
		return errors.New("each part of the context must be a path, a URL or a text, and not empty")
	case s.URL != "":
		return runner.CheckURL(s.URL)
	case s.Path == "":
		return nil
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("cannot read %q: %w", path, cause(err))
		}
		_ = f.Close() // opened for reading
	}
	return nil
}
