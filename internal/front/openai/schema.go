package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// anyObject is the schema for requests that want JSON but have no schema.
const anyObject = `{"type":"object"}`

// form checks the schema of an answer, so that no run begins with an unsupported one. It returns the schema to use.
func (a *API) form(param string, schema json.RawMessage) (string, error) {
	text, err := withoutDialect(schema)
	if err != nil {
		return "", wrong(param, err.Error())
	}
	if _, err := runner.New(nullModel{}, runner.WithDataDir(a.cfg.DataDir), runner.WithSchema(text)); err != nil {
		return "", &Failure{Status: 400, Code: "invalid_json_schema", Param: param, Message: err.Error()}
	}
	return text, nil
}

// withoutDialect removes the member "$schema" of a schema. Clients name draft 7, in which all supported keywords
// mean the same; unsupported keywords are refused by name. The order of the members is preserved.
func withoutDialect(schema json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(schema))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", errors.New("a schema must be a JSON object")
	}
	var out jsondoc.Object
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return "", err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return "", err
		}
		if name != "$schema" {
			out = append(out, jsondoc.Member{Name: name.(string), Value: v})
		}
	}
	return jsondoc.Compact(out)
}

// nullModel is a model that never answers.
type nullModel struct{}

func (nullModel) Name() string { return "nobody" }

func (nullModel) Generate(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.ErrNotRecorded, Message: "nobody answers"}
}
