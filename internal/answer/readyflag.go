package answer

import (
	"fmt"
	"reflect"
	"strings"
)

// Ready reads the key "ready" of the answer map, in which cells can build an answer step by step: whether the
// answer is complete. It accepts the ways in which Go programs and models write yes and no (true, "yes", 1; false,
// "no", 0, nil). Anything else is an error addressed to the model, because it may have meant yes.
func Ready(v any) (bool, error) {
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Invalid:
		return false, nil
	case reflect.Bool:
		return value.Bool(), nil
	case reflect.String:
		return readyText(value.String())
	}
	if value.CanInt() {
		return value.Int() != 0, nil
	}
	if value.CanFloat() {
		return value.Float() != 0, nil
	}
	return false, fmt.Errorf("it is a %T, and has to be true or false", v)
}

func readyText(text string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "y", "1":
		return true, nil
	case "false", "no", "n", "0", "":
		return false, nil
	}
	return false, fmt.Errorf("%.40q is neither true nor false", text)
}
