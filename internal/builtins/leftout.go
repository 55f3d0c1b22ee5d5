package builtins

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/repl"
)

// numbered matches a line that begins with the number of an item.
var numbered = startup.Regexp(`(?m)^[ \t]*(?:#|\[|\(|[Ii]tem )?(\d{1,9})[\]).:,|\t -]`)

// fewestItems is how many consecutive numbers form a list of items.
const fewestItems = 3

// mostShown is how many prompts a note names.
const mostShown = 3

// noteLeftOut adds a line to the observation if replies leave out items that their prompts number.
func noteLeftOut(site *repl.Site, name string, prompts []string, values reflect.Value, errs []error) {
	var found []string
	for i, prompt := range prompts {
		if errs[i] != nil {
			continue
		}
		items := itemNumbers(prompt)
		if missing := unanswered(items, values.Index(i)); len(missing) > 0 {
			found = append(found, fmt.Sprintf("%d of %d in prompt %d (numbers %s)",
				len(missing), len(items), i, shorten(missing)))
		}
	}
	if len(found) == 0 {
		return
	}
	more := ""
	if n := len(found) - mostShown; n > 0 {
		more = fmt.Sprintf("; and in %d more prompts", n)
		found = found[:mostShown]
	}
	site.Note(name + ": replies leave out numbered items: " + strings.Join(found, "; ") + more +
		". If all were to be judged, ask again for those")
}

// itemNumbers returns the numbers of the longest list of items in a prompt, which increase by one.
func itemNumbers(prompt string) []int {
	var longest, list []int
	for _, m := range numbered().FindAllStringSubmatch(prompt, -1) {
		n, err := strconv.Atoi(m[1])
		switch {
		case err != nil:
			continue
		case len(list) == 0 || n == list[len(list)-1]+1:
			list = append(list, n)
		case n == 1 || len(list) == 1: // a list begins
			list = []int{n}
		default: // a number inside an item
			continue
		}
		if len(list) > len(longest) {
			longest = list
		}
	}
	if len(longest) < fewestItems {
		return nil
	}
	return longest
}

// unanswered returns the items whose numbers are missing from a list of structs. Without a field that contains only
// item numbers, each at most once, it returns none.
func unanswered(items []int, v reflect.Value) (missing []string) {
	if len(items) == 0 {
		return nil
	}
	wanted := map[int64]bool{}
	for _, n := range items {
		wanted[int64(n)] = true
	}
	list := structsIn(v)
	for field := range fieldsOf(list) {
		given, all := map[int64]bool{}, true
		for i := 0; i < list.Len() && all; i++ {
			n := list.Index(i).Field(field)
			all = n.CanInt() && wanted[n.Int()] && !given[n.Int()]
			if all {
				given[n.Int()] = true
			}
		}
		if !all || len(given) == 0 || len(given) == len(items) {
			continue
		}
		for _, n := range items {
			if !given[int64(n)] {
				missing = append(missing, strconv.Itoa(n))
			}
		}
		return missing
	}
	return nil
}

// structsIn returns the list of structs that a value is, or that is its only list.
func structsIn(v reflect.Value) (list reflect.Value) {
	if v.Kind() == reflect.Slice {
		return v
	}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Slice && fieldsOf(v.Field(i)) > 0 {
				if list.IsValid() {
					return reflect.Value{}
				}
				list = v.Field(i)
			}
		}
	}
	return list
}

// fieldsOf returns the number of fields of the structs in a list; 0 if it is not a list of structs.
func fieldsOf(list reflect.Value) int {
	if !list.IsValid() || list.Type().Elem().Kind() != reflect.Struct {
		return 0
	}
	return list.Type().Elem().NumField()
}
