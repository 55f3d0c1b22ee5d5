package opendocument

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// maxLevels limits the nesting of lists.
const maxLevels = 10

// style is the subset of a style's properties that this converter needs.
type style struct {
	parent  string
	title   bool
	program bool // each paragraph is a line of a program
	hidden  bool // hidden text, slide or sheet
	raised  int  // superscript (1) or subscript (-1)
	list    string
}

// preformatted is the style of office programs for text with its own indentation.
const preformatted = "Preformatted_20_Text"

// level is the appearance of items on one level of a list.
type level struct {
	bullet         bool
	format         string
	prefix, suffix string
	start, shows   int // shows: how many numbers are shown, including those of higher levels
}

type styles struct {
	byName  map[string]*style
	lists   map[string]*[maxLevels]level
	outline [maxLevels]level // levels of headings
	open    *style           // the style whose properties follow
	levels  *[maxLevels]level
}

func newStyles() styles {
	return styles{byName: map[string]*style{}, lists: map[string]*[maxLevels]level{}}
}

// key distinguishes styles of different families with the same name.
func key(family, name string) string { return family + "/" + name }

// maxStyles limits the number of styles.
const maxStyles = 200_000

// style handles an element that belongs to a style, and ignores others.
func (s *styles) style(r *xmlread.Reader) error {
	switch r.Name {
	case "style:style":
		s.open = &style{parent: r.Attr("style:parent-style-name"), list: r.Attr("style:list-style-name")}
		name := r.Attr("style:name")
		s.open.program = name == preformatted
		s.open.title = name == "Title" && r.Attr("style:family") == "paragraph"
		if len(s.byName) < maxStyles {
			s.byName[key(r.Attr("style:family"), name)] = s.open
		}
	case "style:text-properties":
		if s.open != nil {
			s.open.hidden = s.open.hidden || r.Attr("text:display") == "none"
			switch position := r.Attr("style:text-position"); {
			case strings.HasPrefix(position, "super"), position != "" && position[0] >= '1' && position[0] <= '9':
				s.open.raised = 1
			case strings.HasPrefix(position, "sub"), strings.HasPrefix(position, "-"):
				s.open.raised = -1
			}
		}
	case "style:drawing-page-properties":
		if s.open != nil {
			s.open.hidden = r.Attr("presentation:visibility") == "hidden"
		}
	case "style:table-properties":
		if s.open != nil {
			s.open.hidden = r.Attr("table:display") == "false"
		}
	case "text:list-style":
		s.levels = &[maxLevels]level{}
		if len(s.lists) < maxStyles {
			s.lists[r.Attr("style:name")] = s.levels
		}
	case "text:outline-style":
		s.levels = &s.outline
	case "text:list-level-style-number", "text:outline-level-style", "text:list-level-style-bullet",
		"text:list-level-style-image":
		if n, err := strconv.Atoi(r.Attr("text:level")); err == nil && s.levels != nil && n >= 1 && n <= maxLevels {
			s.levels[n-1] = readLevel(r)
		}
	}
	return nil
}

func readLevel(r *xmlread.Reader) level {
	l := level{prefix: r.Attr("style:num-prefix"), suffix: r.Attr("style:num-suffix"), start: 1, shows: 1}
	l.bullet = r.Name == "text:list-level-style-bullet" || r.Name == "text:list-level-style-image"
	l.format = r.Attr("style:num-format")
	if n, err := strconv.Atoi(r.Attr("text:start-value")); err == nil {
		l.start = n
	}
	if n, err := strconv.Atoi(r.Attr("text:display-levels")); err == nil {
		l.shows = min(max(n, 1), maxLevels)
	}
	return l
}

// find reports whether a style, or one that it is based on, has a property.
func (s *styles) find(family, name string, has func(*style) bool) bool {
	for range 50 {
		st := s.byName[key(family, name)]
		if st == nil {
			return false
		}
		if has(st) {
			return true
		}
		name = st.parent
	}
	return false
}

func (s *styles) isHidden(family, name string) bool {
	return s.find(family, name, func(st *style) bool { return st.hidden })
}

// marker returns the number or bullet of an item at a level, counted from 0.
func marker(levels *[maxLevels]level, counts *[maxLevels]int, at int) string {
	l := levels[at]
	if l.bullet {
		return "-"
	}
	if l.format == "" {
		return strings.TrimSpace(l.prefix + l.suffix)
	}
	var numbers []string
	for i := max(at-l.shows+1, 0); i <= at; i++ {
		if levels[i].format != "" {
			numbers = append(numbers, markdown.Ordinal(max(counts[i], 1), levels[i].format))
		}
	}
	return strings.TrimSpace(l.prefix + strings.Join(numbers, ".") + l.suffix)
}
