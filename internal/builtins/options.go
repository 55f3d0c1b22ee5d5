package builtins

import (
	"errors"
	"fmt"
	"math"
)

func model(name string) any {
	return func(model string) Option {
		return Option{apply: func(o *CallOptions) error {
			if model == "" {
				return errors.New("the name of the model is empty")
			}
			o.Model = model
			return nil
		}, text: fmt.Sprintf("%s(%q)", name, model)}
	}
}

func system(name string) any {
	return func(text string) Option {
		return Option{apply: func(o *CallOptions) error {
			o.System = text
			return nil
		}, text: fmt.Sprintf("%s(%q)", name, text)}
	}
}

func temperature(name string) any {
	return func(t float64) Option {
		return Option{apply: func(o *CallOptions) error {
			if math.IsNaN(t) || t < 0 || t > 2 {
				return fmt.Errorf("%s(%v): a temperature lies between 0 and 2", name, t)
			}
			o.Temperature = &t
			return nil
		}, text: fmt.Sprintf("%s(%v)", name, t)}
	}
}

func maxTokens(name string) any {
	return func(n int) Option {
		return Option{apply: func(o *CallOptions) error {
			if n <= 0 {
				return fmt.Errorf("%s(%d): at least one token is needed for a reply", name, n)
			}
			o.MaxTokens = n
			return nil
		}, text: fmt.Sprintf("%s(%d)", name, n)}
	}
}

func memo(name string) any {
	return func() Option {
		return Option{apply: func(o *CallOptions) error { o.Memo = true; return nil }, text: name + "()"}
	}
}
