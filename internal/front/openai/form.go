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

// anyObject is the schema of answers where a request wants JSON and does not say which.
const anyObject = `{"type":"object"}`

// form checks the schema of an answer, so that nothing begins with one that is not understood.
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

// withoutDialect takes away which draft a schema names: clients put draft 7 there, which says the same with all keywords that are
// understood, and others are refused by name. The order of the members stays.
func withoutDialect(schema json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(schema))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", errors.New("a schema is a JSON object")
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

// nullModel is a model that answers nothing.
type nullModel struct{}

func (nullModel) Name() string { return "nobody" }

func (nullModel) Generate(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.ErrNotRecorded, Message: "nobody answers"}
}
