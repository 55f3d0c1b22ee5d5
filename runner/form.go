package runner

import (
	"errors"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/internal/schema"
	"golang.org/x/text/unicode/norm"
)

// formOf parses the schema of the settings; nil means that answers may be anything. It fails if there is a schema
// but the builtin FINAL is left out.
func formOf(s settings) (*schema.Schema, error) {
	if s.Schema == "" {
		return nil, nil
	}
	if name, renamed := s.Rename[answer.NameFinal]; renamed && name == "" {
		return nil, errors.New("answers that follow a schema need the builtin FINAL, which is taken away")
	}
	return schema.Parse(s.Schema)
}

// readForm parses the form of answers as WithSchema accepts it.
func readForm(form string) (*schema.Schema, error) {
	if text := strings.TrimSpace(form); text == "" || text[0] == '{' {
		return schema.Parse(form)
	}
	return schema.Short(norm.NFC.String(form)) // Go accepts no name in which accents are separate characters
}

// Fields returns the field names of answers of a form (see WithSchema), in the form's order; none if answers are
// not objects. The error reports a mistake in the form.
func Fields(form string) ([]string, error) {
	s, err := readForm(form)
	if err != nil {
		return nil, err
	}
	return s.Fields(), nil
}

// typeAnswer makes the type of the answer the type of FINAL's parameter.
func typeAnswer(form *schema.Schema, specs []builtins.Spec) {
	for i := range specs {
		if specs[i].Impl == answer.NameFinal {
			specs[i].Params, specs[i].Types = []string{"answer " + schema.TypeName}, form.Declaration()
			specs[i].Doc = "{{self}}(answer " + schema.TypeName +
				")\nGives the answer and ends the run at once; nothing after it runs. Any value is taken whose JSON has the form of " + schema.TypeName + "."
		}
	}
}
