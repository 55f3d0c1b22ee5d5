package runner_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
)

const bookForm = "name string, year int, tags []string"

const book = `{"name":"Emma","year":1815,"tags":["novel"]}`

// TestAnswerFollowsItsSchema: each way to answer gives the same compact JSON. An answer that does not fit costs a
// turn, and the message names the field.
func TestAnswerFollowsItsSchema(t *testing.T) {
	t.Parallel()
	final := fence(`FINAL(Answer{Name: "Emma", Year: 1815, Tags: []string{"novel"}})`)
	for name, c := range map[string]struct {
		replies []string
		told    string // part of the second prompt
		turns   int
		answer  string
	}{
		"cell": {[]string{final}, "", 1, book},
		"variable": {[]string{
			fence("best := map[string]any{\"year\": 1815, \"tags\": []string{\"novel\"}, \"name\": \"Emma\"}\nFINAL_VAR(\"best\")"),
		}, "", 1, book},
		"JSON in a string": {
			[]string{
				fence("FINAL_VAR(\"raw\")\nvar raw = `" + book + "`"),
				fence("raw := `{\"tags\": [\"novel\"], \"year\": 1815.0, \"name\": \"Emma\"}`\nFINAL_VAR(\"raw\")"),
			},
			"raw", 2, book,
		},
		"answer map": {[]string{
			fence("answer[\"content\"] = Answer{Name: \"Emma\", Year: 1815, Tags: []string{\"novel\"}}\nanswer[\"ready\"] = true"),
		}, "", 1, book},
		"finish_response": {[]string{
			fence(`finish_response(Answer{Name: "Emma", Year: 1815, Tags: []string{"novel"}})`),
		}, "", 1, book},
		"nil list": {
			[]string{fence(`FINAL(Answer{Name: "Emma", Year: 1815})`)},
			"", 1,
			`{"name":"Emma","year":1815,"tags":[]}`,
		},
		"in a function": {[]string{
			fence("func pick(n int) int {\n\tif n > 3 { return n }\n\tFINAL(Answer{\"Emma\", 1815, []string{\"novel\"}})\n}\npick(1)"),
		}, "", 1, book},
		"prose": {[]string{`FINAL({"name": "Emma", "year": 1815, "tags": ["novel"]})`}, "", 1, book},
		"wrong field": {
			[]string{fence(`x := 1` + "\n" + `FINAL(Answer{Name: "Emma", Born: 1815})`), final},
			"line 2", 2, book,
		},
		"wrong type": {
			[]string{fence(`FINAL(Answer{Name: "Emma", Year: "1815"})`), final},
			"CompileError", 2,
			book,
		},
		"a text": {[]string{fence(`FINAL("Emma")`), final}, "Answer", 2, book},
		"wrong value": {[]string{
			fence("best := map[string]any{\"year\": \"1815\", \"tags\": []string{}, \"name\": \"Emma\"}\nFINAL_VAR(\"best\")"), final,
		}, `[cell 1] UnfitAnswer` + "\n" + `cell 1: FINAL_VAR: field year should be a whole number, and is "1815"`, 2, book},
		"wrong in prose": {
			[]string{`FINAL({"name": "Emma", "year": 1815})`, final},
			"Your answer was not taken: field tags is missing", 2, book,
		},
		"nil pointer": {[]string{fence("var p *Answer\nFINAL_VAR(\"p\")"), final}, "the answer", 2, book},
		"the type shadowed": {
			[]string{fence("type Answer struct{ X int }\nfmt.Println(Answer{1})"), final},
			"{1}", 2,
			book,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := root(c.replies, nil)
			r := newRunner(t, model, runner.WithSchema(bookForm))
			res, err := r.Answer(timeout(t), "Which book?")
			require.NoError(t, err)
			if c.told != "" {
				seen := model.Requests()[1].Messages
				require.Contains(t, seen[len(seen)-1].Content, c.told)
			}
			require.Equal(t, c.answer, res.Answer)
			require.Equal(t, c.turns, res.Turns)
			require.True(t, res.Typed)
			require.Equal(t, termination.Completed, res.Status)
			require.Contains(t, model.Requests()[0].Messages[0].Content,
				"type Answer struct {\n\tName string   `json:\"name\"`")
			require.Contains(t, model.Requests()[0].Messages[0].Content, "FINAL(answer Answer)")
		})
	}
}

// TestProseThatIsNoAnswerIsNone: prose that would count as the answer must follow the schema, or there is no
// answer.
func TestProseThatIsNoAnswerIsNone(t *testing.T) {
	t.Parallel()
	says := []string{"It is surely Emma.", "It really is Emma.", "I mean Emma, of course."}
	res, err := newRunner(t, root(says, nil), runner.WithSchema(bookForm)).Answer(timeout(t), "Which book?")
	require.NoError(t, err)
	require.False(t, res.HasAnswer)
	require.Equal(t, termination.Failed, res.Status)
	require.Contains(t, res.Reason, "does not fit the schema")

	says[2] = "As JSON:\n\n```json\n" + `{"year": 1815, "tags": ["novel"], "name": "Emma"}` + "\n```\n"
	res, err = newRunner(t, root(says, nil), runner.WithSchema(bookForm)).Answer(timeout(t), "Which book?")
	require.NoError(t, err)
	require.Equal(t, book, res.Answer)

	limit := []runner.Option{runner.WithSchema(bookForm), runner.WithBudgets(runner.Budgets{Iterations: 1})}
	res, err = newRunner(t, root([]string{fence("x := 1"), "Emma, probably."}, nil), limit...).Answer(
		timeout(t), "Which book?")
	require.NoError(t, err)
	require.False(t, res.HasAnswer)
	require.Equal(t, termination.MaxIterations, res.Status)
	require.Equal(t, exitcode.Limit, res.ExitCode())

	s, err := newRunner(t, root([]string{"Emma!", book}, nil), runner.WithSchema(bookForm)).NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	res, err = s.Answer(timeout(t), "Which book?") // a person reads the answer, so prose counts
	require.NoError(t, err)
	require.Equal(t, book, res.Answer)
	require.Equal(t, 2, res.Turns)
}

func TestAnswerAs(t *testing.T) {
	t.Parallel()
	type Author struct {
		Name string     `json:"name"`
		Born *time.Time `json:"born"`
	}
	type Book struct {
		Title   string        `json:"title" description:"as it is printed"`
		Authors []Author      `json:"authors"`
		Took    time.Duration `json:"took"`
		Note    string        `json:"note,omitempty"`
	}
	model := root([]string{
		fence(`FINAL(Answer{Title: "Emma", Authors: []Author{{Name: "Austen"}}, Took: "a while"})`),
		fence(`FINAL(Answer{Title: "Emma", Authors: []Author{{Name: "Austen"}}, Took: "1h30m"})`),
	}, nil)
	got, res, err := runner.AnswerAs[Book](timeout(t), newRunner(t, model), "Which book?")
	require.NoError(t, err)
	require.Equal(t, Book{Title: "Emma", Authors: []Author{{Name: "Austen"}}, Took: 90 * time.Minute}, got)
	require.Equal(t, `{"title":"Emma","authors":[{"name":"Austen","born":null}],"took":"1h30m"}`, res.Answer)
	require.Contains(t, model.Requests()[1].Messages[3].Content, "field took should be")
	require.Contains(t, model.Requests()[0].Messages[0].Content, "// as it is printed")

	found, _, err := runner.AnswerAs[*Author](
		timeout(t), newRunner(t, root([]string{fence(`FINAL(Answer{Name: "Austen"})`)}, nil)), "Who?")
	require.NoError(t, err)
	require.Equal(t, &Author{Name: "Austen"}, found)

	_, _, err = runner.AnswerAs[chan int](timeout(t), newRunner(t, model), "Which book?")
	require.EqualError(t, err, "an answer cannot be a chan int: JSON has no such value")

	prose := root([]string{"Emma, I think.", "Emma, I believe.", "Emma, I guess."}, nil)
	_, res, err = runner.AnswerAs[Book](timeout(t), newRunner(t, prose), "Which book?")
	require.ErrorIs(t, err, runner.ErrNoAnswer)
	require.False(t, res.HasAnswer)
}

type (
	severity string
	priority int8
)

// TestAnswerAsTakesOnlyListedValues: the type that the model sees names the values in the tag enum, and an answer
// with another value costs a turn.
func TestAnswerAsTakesOnlyListedValues(t *testing.T) {
	t.Parallel()
	type Step struct {
		Kind severity `json:"kind" enum:"low, high"`
	}
	type Incident struct {
		Severity severity            `json:"severity" enum:"low,high" description:"how bad"`
		Priority priority            `json:"priority" enum:"1,2,-3"`
		Note     severity            `json:"note,omitempty" enum:"new,old"`
		Was      *priority           `json:"was" enum:"1,2"`
		Seen     []severity          `json:"seen" enum:"eu,us"`
		By       map[string]priority `json:"by" enum:"7,8"`
		Steps    []Step              `json:"steps"`
	}
	right := `FINAL(Answer{Severity: "high", Priority: -3, Seen: []string{"us"}, By: map[string]int{"a": 7}, Steps: []Step{{"low"}}})`
	turns := []struct{ old, new, told string }{
		{`"high"`, `"dire"`, `field severity should be one of "low", "high", and is "dire"`},
		{`Severity: "high", `, ``, `field severity should be one of "low", "high", and is ""`},
		{`-3`, `3`, `field priority should be one of 1, 2, -3, and is 3`},
		{
			`FINAL(Answer{`, "odd := \"odd\"\nFINAL(Answer{Note: &odd, ",
			`field note should be one of "new", "old", and is "odd"`,
		},
		{`FINAL(Answer{`, "three := 3\nFINAL(Answer{Was: &three, ", `field was should be one of 1, 2, and is 3`},
		{`"us"`, `"eu", "uk"`, `field seen[1] should be one of "eu", "us", and is "uk"`},
		{`"a": 7`, `"a": 9`, `field by.a should be one of 7, 8, and is 9`},
		{`{"low"}`, `{"low"}, {"lower"}`, `field steps[1].kind should be one of "low", "high", and is "lower"`},
	}
	var replies []string
	for _, turn := range turns {
		require.Contains(t, right, turn.old)
		replies = append(replies, fence(strings.Replace(right, turn.old, turn.new, 1)))
	}
	model := root(append(replies, fence(right)), nil)
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Errors: len(turns) + 1}))
	got, res, err := runner.AnswerAs[Incident](timeout(t), r, "How bad is it?")
	require.NoError(t, err)
	require.Equal(t, Incident{
		Severity: "high", Priority: -3, Seen: []severity{"us"}, By: map[string]priority{"a": 7}, Steps: []Step{{"low"}},
	}, got)
	require.Equal(t, len(turns)+1, res.Turns)
	for i, turn := range turns {
		seen := model.Requests()[i+1].Messages
		require.Contains(t, seen[len(seen)-1].Content, turn.told)
	}
	shown := strings.Join(strings.Fields(model.Requests()[0].Messages[0].Content), " ")
	for _, line := range []string{
		"Severity string `json:\"severity\"` // how bad; one of \"low\", \"high\"",
		"Priority int `json:\"priority\"` // one of 1, 2, -3",
		"Note *string `json:\"note,omitempty\"` // one of \"new\", \"old\"",
		"Was *int `json:\"was\"` // one of 1, 2",
		"Seen []string `json:\"seen\"` // each one of \"eu\", \"us\"",
		"By map[string]int `json:\"by\"` // each one of 7, 8",
		"Kind string `json:\"kind\"` // one of \"low\", \"high\"",
	} {
		require.Contains(t, shown, line)
	}
}

// TestTagsThatListNoValues: a tag that no answer could follow is an error before anything runs.
func TestTagsThatListNoValues(t *testing.T) {
	t.Parallel()
	refuse := func(err error, want string) {
		t.Helper()
		require.EqualError(t, err, "an answer cannot have field X of type "+want)
	}
	_, _, err := runner.AnswerAs[struct {
		X string `enum:""`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `string: the tag enum:"" has an empty value`)
	_, _, err = runner.AnswerAs[struct {
		X string `enum:"a,b, a"`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `string: the tag enum:"a,b, a" has "a" twice`)
	_, _, err = runner.AnswerAs[struct {
		X []int `enum:"1,two"`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `[]int: the tag enum:"1,two" has "two", which is no whole number`)
	_, _, err = runner.AnswerAs[struct {
		X int8 `enum:"1,128"`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `int8: the tag enum:"…" has 128, which the type cannot hold`)
	_, _, err = runner.AnswerAs[struct {
		X float64 `enum:"1.5"`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `float64: the tag enum:"…" is for text, whole numbers, and lists and maps of these`)
	_, _, err = runner.AnswerAs[struct {
		X struct{ Y int } `enum:"1"`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `struct { Y int }: the tag enum:"…" is for text, whole numbers, and lists and maps of these`)
	_, _, err = runner.AnswerAs[struct {
		X int `json:",string" enum:"1"`
	}](timeout(t), newRunner(t, root(nil, nil)), "")
	refuse(err, `int: the tag enum:"…" does not go with the option string of the tag json`)
}

// TestSchemaSurvivesResume: a resumed run keeps the form of its answer.
func TestSchemaSurvivesResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := root([]string{fence("x := 1")}, nil) // the script has no second reply
	r, err := runner.New(broken, runner.WithDataDir(dir), runner.WithSchema(bookForm))
	require.NoError(t, err)
	res, err := r.Answer(timeout(t), "Which book?")
	require.Error(t, err)
	whole := root([]string{"", fence(`FINAL(Answer{"Emma", 1815, []string{"novel"}})`)}, nil)
	r, err = runner.New(whole, runner.WithDataDir(dir))
	require.NoError(t, err)
	res, err = runner.Collect(r.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Equal(t, book, res.Answer)
	require.True(t, res.Typed)
}

func TestSchemaThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"":                                  "the schema is not JSON: it ends in the middle of a value",
		"name strnig":                       `the schema "name strnig": field name: there is no type strnig here`,
		`{"oneOf":[]}`:                      "the schema at #/oneOf: this keyword is not supported here",
		`{"properties":{"a/b":{"not":{}}}}`: "the schema at #/properties/a~1b/not: this keyword is not supported here",
	} {
		_, err := runner.New(root(nil, nil), runner.WithSchema(form))
		require.ErrorContains(t, err, want)
	}
}

// TestAFormThatIsNeverMetIsWhyARunEnds: if a run reaches a limit because its answers do not fit, the reason says
// so.
func TestAFormThatIsNeverMetIsWhyARunEnds(t *testing.T) {
	t.Parallel()
	says := slices.Repeat([]string{fence(`FINAL(map[string]any{"name": "Emma", "year": "soon", "tags": []string{}})`)}, 4)
	for i := range says {
		says[i] += strings.Repeat("\n", i) // replies must differ
	}
	res, err := newRunner(t, root(says, nil), runner.WithSchema(bookForm),
		runner.WithBudgets(runner.Budgets{Errors: 2})).Answer(timeout(t), "Which book?")
	require.NoError(t, err)
	require.False(t, res.HasAnswer)
	require.Contains(t, res.Reason, "the error limit was reached: ")
	require.Contains(t, res.Reason, "; the last answer was not accepted: ")
	require.Contains(t, res.Reason, "year should be a whole number")
}

// TestReplayOfTypedAnswers: cells that gave an answer, fitting or not, have the same results in a replay.
func TestReplayOfTypedAnswers(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence("best := map[string]any{\"year\": \"1815\", \"tags\": []string{}, \"name\": \"Emma\"}\nFINAL_VAR(\"best\")"),
		fence("best := map[string]any{\"year\": 1815, \"tags\": []string{\"novel\"}, \"name\": \"Emma\"}\nFINAL_VAR(\"best\")"),
	}, nil)
	r := newRunner(t, model, runner.WithSchema(bookForm))
	res, err := r.Answer(timeout(t), "Which book?")
	require.NoError(t, err)
	require.Equal(t, book, res.Answer)
	cells := 0
	for c, err := range r.Replay(timeout(t), res.RunID) {
		require.NoError(t, err)
		require.True(t, c.Same, "%s\n%s", c.Before, c.After)
		cells++
	}
	require.Equal(t, 2, cells)
}

// TestAnswersInProseThatNeverFit end like cells whose answers never fit: at the error limit, or at the turn limit
// if that comes first.
func TestAnswersInProseThatNeverFit(t *testing.T) {
	t.Parallel()
	for status, most := range map[termination.Status]runner.Budgets{
		termination.ErrorLimit: {}, termination.MaxIterations: {Iterations: 2},
	} {
		res, err := newRunner(t, root(slices.Repeat([]string{"FINAL(\"Emma, 1815\")"}, 12), nil),
			runner.WithSchema(bookForm), runner.WithBudgets(most)).Answer(timeout(t), "Which book?")
		require.NoError(t, err)
		require.Equal(t, status, res.Status, res.Reason)
		require.False(t, res.HasAnswer)
		require.Equal(t, exitcode.Limit, res.ExitCode())
	}
}
