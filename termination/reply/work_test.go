package reply

import (
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// counting counts what goldmark does for a reply: for each block that is open on a line, or tried there, one and the margin that it reads.
type counting struct {
	parser.BlockParser
	work *int
}

func (c counting) look(reader text.Reader) {
	line, _ := reader.PeekLine()
	*c.work += 1 + margin(line)
}

func (c counting) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	c.look(reader)
	return c.BlockParser.Open(parent, reader, pc)
}

func (c counting) Continue(n ast.Node, reader text.Reader, pc parser.Context) parser.State {
	c.look(reader)
	return c.BlockParser.Continue(n, reader, pc)
}

// workOf is what goldmark does for a reply.
func workOf(reply string) (work int) {
	var parsers []util.PrioritizedValue
	for _, p := range parser.DefaultBlockParsers() {
		parsers = append(parsers, util.Prioritized(counting{p.Value.(parser.BlockParser), &work}, p.Priority))
	}
	parser.NewParser(parser.WithBlockParsers(parsers...)).Parse(text.NewReader(flatten([]byte(reply))))
	return work
}

// Parse takes linear time, whatever it is given. Work is counted, so that the machine does not matter.
func TestTheWorkIsLinear(t *testing.T) {
	const small, large, mostPerByte = 64 << 10, 256 << 10, 100
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		before := kind(small)
		for name, reply := range kind(large) {
			was, is := workOf(before[name]), workOf(reply)
			if perByte := is / large; perByte > mostPerByte {
				t.Errorf("%s: %d steps for a byte", name, perByte)
			}
			if is > 6*was {
				t.Errorf("%s: %d steps for %d bytes, %d for %d", name, was, small, is, large)
			}
		}
	}
}

// So do the parts of it that do not come from goldmark: each piece that they make is counted.
func TestTheAllocationsAreLinear(t *testing.T) {
	const small, large = 32 << 10, 128 << 10
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		before := kind(small)
		for name, reply := range kind(large) {
			was := testing.AllocsPerRun(1, func() { Parse(before[name], DefaultNames(), true) })
			is := testing.AllocsPerRun(1, func() { Parse(reply, DefaultNames(), true) })
			if is > 6*was+1000 {
				t.Errorf("%s: %.0f allocations for %d bytes, %.0f for %d", name, was, small, is, large)
			}
		}
	}
}
