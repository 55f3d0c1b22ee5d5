package main

import (
	"errors"
	"fmt"

	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says of a value that a flag cannot take what it does take, in place of the parser's own words.
func flagError(_ *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		wanted := map[string]string{
			"int": "a whole number", "int64": "a whole number", "uint": "a whole number of 0 or more", "float64": "a number",
			"bool": "true or false", "duration": "a duration such as 90s, 10m or 2h",
		}
		if want := wanted[bad.GetFlag().Value.Type()]; want != "" {
			err = fmt.Errorf("--%s takes %s, not %q", bad.GetFlag().Name, want, bad.GetValue())
		}
	}
	return &exit{termination.ExitUsage, err}
}
