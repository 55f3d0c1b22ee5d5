package runner_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
)

const notesForm = `{"type": "object", "properties": {"notes": {"type": "array", "items": {"type": "object",
	"properties": {"page": {"type": "integer"}, "text": {"type": "string"}}, "required": ["page", "text"]}}}, "required": ["notes"]}`

// TestAnswersByValue: any value whose JSON fits the form is accepted without another turn, in either engine.
func TestAnswersByValue(t *testing.T) {
	t.Parallel()
	const one = `{"notes":[{"page":1,"text":"a"}]}`
	const own = "type note struct {\n\tPage int `json:\"page\"`\n\tText string `json:\"text\"`\n}\n"
	forms := map[string]string{
		"book": bookForm, "notes": notesForm, "number": `{"type": "integer"}`, "text": `{"type": "string"}`,
		"truth":  `{"type": "boolean"}`,
		"list":   `{"type": "array", "items": {"type": "string"}}`,
		"map":    `{"type": "object", "additionalProperties": {"type": "integer"}}`,
		"choice": `{"enum": ["low", "high"]}`, "null": `{"type": ["integer", "null"]}`,
		"union": `{"type": "object", "properties": {"at": {"$ref": "#/$defs/place"}, "by": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"name": {"type": "string"}}}]}},
			"$defs": {"place": {"anyOf": [{"enum": ["A", "B"]}, {"type": "object", "properties": {"lat": {"type": "number"}, "in": {"$ref": "#/$defs/place"}}, "required": ["lat"]}]}}}`,
	}
	for name, c := range map[string]struct{ form, cell, answer string }{
		"its own type": {"book", `FINAL(Answer{Name: "Emma", Year: 1815, Tags: []string{"novel"}})`, book},
		"a pointer to it": {
			"book", `FINAL(&Answer{Name: "Emma", Year: 1815, Tags: []string{"novel"}})`, book,
		},
		"a variable of it": {"book", "b := Answer{\"Emma\", 1815, []string{\"novel\"}}\nFINAL(b)", book},
		"a map": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": 1815, "tags": []string{"novel"}})`, book,
		},
		"a map of any": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": 1815.0, "tags": []any{"novel"}})`, book,
		},
		"JSON as text": {
			"book", "FINAL(`{\"tags\": [\"novel\"], \"year\": 1815, \"name\": \"Emma\"}`)", book,
		},
		"JSON in a fence": {
			"book",
			"FINAL(\"```json\\n\" + `{\"tags\": [\"novel\"], \"year\": 1815, \"name\": \"Emma\"}` + \"\\n```\")", book,
		},
		"marshalled": {
			"book", "b, _ := json.Marshal(map[string]any{\"name\": \"Emma\", \"year\": 1815, \"tags\": []string{\"novel\"}})\nFINAL(string(b))", book,
		},
		"marshalled, as bytes": {
			"book", "b, _ := json.Marshal(map[string]any{\"name\": \"Emma\", \"year\": 1815, \"tags\": []string{\"novel\"}})\nFINAL(b)", book,
		},
		"JSON in a buffer": {
			"notes", "var b bytes.Buffer\nb.WriteString(`[{\"page\": 1, \"text\": \"a\"}]`)\nFINAL(&b)", one,
		},
		"a struct of one's own": {
			"book", "type mine struct {\n\tName string `json:\"name\"`\n\tYear int `json:\"year\"`\n\tTags []string `json:\"tags\"`\n}\nFINAL(mine{\"Emma\", 1815, []string{\"novel\"}})", book,
		},
		"a struct without a name": {
			"book", "v := struct {\n\tName string `json:\"name\"`\n\tYear int `json:\"year\"`\n\tTags []string `json:\"tags\"`\n}{\"Emma\", 1815, []string{\"novel\"}}\nFINAL(v)", book,
		},
		"an interface": {
			"book", "var v any = map[string]any{\"name\": \"Emma\", \"year\": 1815, \"tags\": []string{\"novel\"}}\nFINAL(v)", book,
		},
		"of a function": {
			"book", "func best() Answer { return Answer{\"Emma\", 1815, []string{\"novel\"}} }\nFINAL(best())", book,
		},
		"in a function": {
			"book", "func give(v any) { FINAL(v) }\ngive(map[string]any{\"name\": \"Emma\", \"year\": 1815, \"tags\": []string{\"novel\"}})", book,
		},
		"nested types": {"notes", `FINAL(Answer{Notes: []AnswerNotesItem{{1, "a"}}})`, one},
		"nested maps": {
			"notes", `FINAL(map[string][]map[string]any{"notes": {{"page": 1, "text": "a"}}})`, one,
		},
		"the only field":            {"notes", `FINAL([]AnswerNotesItem{{1, "a"}})`, one},
		"the only field, of maps":   {"notes", `FINAL([]map[string]any{{"page": 1, "text": "a"}})`, one},
		"the only field, one's own": {"notes", own + "FINAL([]note{{1, \"a\"}})", one},
		"the only field, pointers":  {"notes", own + "FINAL([]*note{{1, \"a\"}})", one},
		"the only field, as JSON":   {"notes", "FINAL(`[{\"page\": 1, \"text\": \"a\"}]`)", one},
		"a field of one's own type": {"notes", own + "FINAL(map[string]any{\"notes\": []note{{1, \"a\"}}})", one},
		"a number":                  {"number", "FINAL(42)", "42"},
		"a number of another type":  {"number", "FINAL(uint8(42))", "42"},
		"a float without a part":    {"number", "FINAL(42.0)", "42"},
		"a variable":                {"number", "n := int64(42)\nFINAL(n)", "42"},
		"a number as text":          {"number", `FINAL("42")`, "42"},
		"a pointer to a number":     {"number", "n := 42\nFINAL(&n)", "42"},
		"a big number":              {"number", "FINAL(big.NewInt(42))", "42"},
		"nothing":                   {"null", "FINAL(nil)", "null"},
		"a text":                    {"text", `FINAL("Emma")`, `"Emma"`},
		"a text of lines":           {"text", `FINAL("Emma\n\"by\" Austen")`, `"Emma\n\"by\" Austen"`},
		"a text of a type":          {"text", "type title string\nFINAL(title(\"Emma\"))", `"Emma"`},
		"true":                      {"truth", `FINAL(1 < 2)`, "true"},
		"true as text":              {"truth", `FINAL("true")`, "true"},
		"a list":                    {"list", `FINAL([]string{"a", "b"})`, `["a","b"]`},
		"an array":                  {"list", `FINAL([2]string{"a", "b"})`, `["a","b"]`},
		"a list of any":             {"list", `FINAL([]any{"a", "b"})`, `["a","b"]`},
		"a list as text":            {"list", "FINAL(`[\"a\", \"b\"]`)", `["a","b"]`},
		"no list":                   {"list", "var none []string\nFINAL(none)", `[]`},
		"counts":                    {"map", `FINAL(map[string]int{"a": 1})`, `{"a":1}`},
		"a choice":                  {"choice", `FINAL("low")`, `"low"`},
		"one alternative":           {"union", `FINAL(Answer{At: "A", By: 3})`, `{"at":"A","by":3}`},
		"an object among them": {
			"union", `FINAL(Answer{At: PlaceObject{Lat: 1.5, In: "B"}, By: AnswerByObject{Name: "x"}})`,
			`{"at":{"lat":1.5,"in":"B"},"by":{"name":"x"}}`,
		},
		"an object in an object": {
			"union", `FINAL(Answer{At: PlaceObject{Lat: 1, In: PlaceObject{Lat: 2}}})`,
			`{"at":{"lat":1,"in":{"lat":2}}}`,
		},
		"a choice of a type": {"choice", "type level string\nconst low level = \"low\"\nFINAL(low)", `"low"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, engine := range []repl.Engine{"", repl.Exact} {
				r := newRunner(t, root([]string{fence(c.cell), fence("x := 1"), fence("x = 2"), fence("x = 3")}, nil),
					runner.WithBudgets(runner.Budgets{Iterations: 2}), runner.WithSchema(forms[c.form]),
					runner.WithEngine(engine))
				res, err := r.Answer(timeout(t), "Which?")
				require.NoError(t, err)
				require.Equal(t, c.answer, res.Answer, "%s: %s %+v", engine, res.Reason, res.Cells)
				require.Equal(t, 1, res.Turns)
			}
		})
	}
}

var toldForm = regexp.MustCompile(`This has the form: (.+)`)

// TestAnswersThatDoNotFitAreNamed: the message names the path that does not fit, and shows a line that would fit
// and can be sent unchanged.
func TestAnswersThatDoNotFitAreNamed(t *testing.T) {
	t.Parallel()
	forms := map[string]string{
		"book": bookForm, "notes": notesForm, "number": `{"type": "integer", "minimum": 3}`,
		"list":   `{"type": "array", "items": {"type": "string"}, "minItems": 2}`,
		"choice": `{"type": "object", "properties": {"level": {"enum": ["low", "high"]}, "on": {"type": "string", "format": "date"}, "at": {"type": "string", "format": "date-time"}, "why": {"type": "string"}}, "required": ["level", "on", "at"]}`,
		"bounds": `{"type": "object", "properties": {"id": {"type": "string", "pattern": "^[A-Z]{2}-\\d{3,}(a|b)?$"}, "why": {"type": "string", "minLength": 9}, "low": {"type": "number", "maximum": -2},
			"n": {"type": "integer", "minimum": 3.5}, "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "items": false}, "v": {"type": ["integer", "string"]}},
			"required": ["id", "why", "low", "n", "pair", "v"]}`,
		"one of": `{"anyOf": [{"type": "object", "properties": {"kind": {"const": "a"}, "xs": {"type": "array", "items": {"type": "boolean"}, "minItems": 2}}, "required": ["kind", "xs"]},
			{"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind", "y"]}]}`,
		"word": `{"const": "yes"}`, "date": `{"type": "string", "format": "date"}`, "truth": `{"type": "boolean"}`,
		"null": `{"type": "object", "properties": {"n": {"type": ["integer", "null"]}, "sub": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}}, "required": ["n", "sub"]}`,
	}
	for name, c := range map[string]struct{ form, cell, told string }{
		"a field that is missing": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": 1815})`, "field tags is missing",
		},
		"another name": {
			"book", `FINAL(map[string]any{"Name": "Emma", "year": 1815, "tags": []string{}})`,
			`field name is missing (the answer has "Name"`,
		},
		"a text for a number": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": "1815", "tags": []string{}})`,
			`field year should be a whole number, and is "1815"`,
		},
		"a part of a number": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": 1815.5, "tags": []string{}})`,
			"field year should be a whole number, and is 1815.5",
		},
		"a text for a list": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": 1815, "tags": "novel"})`,
			"field tags should be a list",
		},
		"an element": {
			"book", `FINAL(map[string]any{"name": "Emma", "year": 1815, "tags": []any{"a", 2}})`,
			"field tags[1] should be text, and is 2",
		},
		"words":          {"book", `FINAL("It is Emma.")`, "the answer is not JSON"},
		"a number":       {"book", `FINAL(1815)`, "the answer should be an object, and is 1815"},
		"a list":         {"book", `FINAL([]string{"Emma"})`, "the answer should be an object"},
		"a map of texts": {"book", `FINAL(map[string]string{"name": "Emma"})`, "field year is missing"},
		"a struct without tags": {
			"book", "type mine struct { Name string; Year int; Tags []string }\nFINAL(mine{})",
			`field name is missing (the answer has "Name"`,
		},
		"a struct without its fields": {"book", "FINAL(struct{}{})", "field name is missing"},
		"JSON that is cut":            {"book", "FINAL(`{\"name\": \"Emma\", \"year\"`)", "the answer is not JSON"},
		"JSON of something else":      {"book", "FINAL(`{\"title\": \"Emma\"}`)", "field name is missing"},
		"a field of an element": {
			"notes", `FINAL([]map[string]any{{"page": 1}})`, "the answer should be an object",
		},
		"deep inside": {
			"notes", `FINAL(map[string]any{"notes": []map[string]any{{"page": "1", "text": "a"}}})`,
			`field notes[0].page should be a whole number, and is "1"`,
		},
		"too small": {"number", `FINAL(2)`, "should be a number of at least 3"},
		"too short": {"list", `FINAL([]string{"a"})`, "a list of at least 2 values"},
		"no choice": {
			"choice", `FINAL(map[string]any{"level": "middle", "on": "2024-05-31", "at": time.Now()})`,
			`field level should be one of "low", "high"`,
		},
		"no date": {
			"choice", `FINAL(map[string]any{"level": "low", "on": "31.5.2024", "at": time.Now()})`,
			"field on should be a date such as",
		},
		"null where nothing can be": {
			"null", `FINAL(map[string]any{"n": nil, "sub": nil})`, "field sub should be an object, and is null",
		},
		"a pattern":      {"bounds", `FINAL(map[string]any{"id": "ab"})`, "field why is missing"},
		"no alternative": {"one of", `FINAL(map[string]any{"kind": "c"})`, "the answer should be"},
		"another word":   {"word", `FINAL("no")`, `the answer should be "yes", and is "no"`},
		"a day that is none": {
			"date", `FINAL("2024-13-01")`, "the answer should be a date such as 2024-05-31",
		},
		"yes for true": {"truth", `FINAL("yes")`, `the answer should be true or false, and is "yes"`},
		"words for a number": {
			"number", `FINAL("about 12")`, `the answer should be a whole number, and is "about 12"`,
		},
		"nothing": {
			"book", "var e error\nFINAL(e)", "the answer should be an object, and is null",
		},
		"a field of another type": {"book", `FINAL(Answer{Name: "Emma", Year: "1815"})`, `cannot use "1815"`},
		"a list of one's own type": {
			"notes", "type note struct { Page int; Text string }\nitems := []note{{1, \"a\"}}\nFINAL(Answer{Notes: items})", "cannot use items",
		},
		"a field that is not exported": {"book", `FINAL(Answer{name: "Emma"})`, "unknown field name"},
		"a text where a number can be": {
			"null", `FINAL(map[string]any{"n": "none", "sub": map[string]any{"ok": true}})`,
			"field n should be a whole number or null",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := root([]string{fence(c.cell), fence("x := 1"), fence("x = 2")}, nil)
			_, err := newRunner(t, first, runner.WithSchema(forms[c.form]),
				runner.WithBudgets(runner.Budgets{Iterations: 2})).Answer(timeout(t), "Which?")
			require.NoError(t, err)
			seen := first.Requests()[1].Messages
			told := seen[len(seen)-1].Content
			require.Contains(t, told, c.told)
			m := toldForm.FindStringSubmatch(told)
			require.NotNil(t, m, told)
			res, err := newRunner(t, root([]string{fence(m[1])}, nil), runner.WithSchema(forms[c.form])).Answer(
				timeout(t), "Which?")
			require.NoError(t, err)
			require.Equal(t, termination.Completed, res.Status, "%s\n%+v", m[1], res.Cells)
			require.Equal(t, 1, res.Turns)
		})
	}
}
