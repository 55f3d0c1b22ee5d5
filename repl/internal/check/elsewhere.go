package check

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// declaring matches the declarations of a cell, at any level, even if the cell does not parse.
var declaring = startup.Regexp(
	`(?m)(?:^|[{;])[ \t]*(?:(?:for|if) )?(?:(?:var|func|type|const) (\w+)|(\w+(?:, ?\w+)*) :=)`)

func declaredNames(source string) map[string]bool {
	names := map[string]bool{}
	for _, m := range declaring().FindAllStringSubmatch(source, -1) {
		names[m[1]] = true
		for name := range strings.SplitSeq(m[2], ",") {
			names[strings.TrimSpace(name)] = true
		}
	}
	delete(names, "")
	delete(names, "_")
	return names
}

// mostUnrun bounds how many names from cells that were not run are remembered.
const mostUnrun = 10_000

// Unrun records a cell that did not compile or was refused. If a later cell uses one of the names that it declares,
// the advice mentions the cell.
func (s *Session) Unrun(number int, source string) {
	for name := range declaredNames(source) {
		if len(s.unrun) < mostUnrun {
			s.unrun[name] = number
		}
	}
}

// elsewhere returns advice for a name that was declared only in a cell that was not run, or inside a function of
// a cell with a function main.
func (s *Session) elsewhere(name string) string {
	latest := 0
	for number, source := range s.programs {
		if number > latest && declaredNames(source)[name] {
			latest = number
		}
	}
	if n, ok := s.unrun[name]; ok && n > latest {
		return name + " is declared in cell " + strconv.Itoa(n) +
			", which was not run, so it is not there; send that cell again, put right"
	}
	if latest > 0 {
		return name + " is declared inside a function of cell " + strconv.Itoa(latest) +
			", so it ended with it; write statements at the top level of a cell, without func main"
	}
	return ""
}
