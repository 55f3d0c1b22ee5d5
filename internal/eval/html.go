package eval

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

//go:embed report.html
var page string

// pageData is the content of the page.
type pageData struct {
	Title  string
	Report Report
	Charts []pageChart
	Strips []strip
	Worst  []Result
	// Failures are the first failures of the report.
	Failures []Result

	AllScores, AllEffort, PartScores, PartEffort pageTable
}

// pageTable is a table of rows of an evaluation.
type pageTable struct {
	Head []string
	Rows [][]string
}

func tableOf(head []string, rows []Row, cells func(Row) []string) pageTable {
	t := pageTable{Head: head}
	for _, r := range rows {
		t.Rows = append(t.Rows, cells(r))
	}
	return t
}

type pageChart struct {
	Title string
	SVG   template.HTML // made by package chart, which escapes all text
}

// strip is a row of squares, one for each item, from wrong to right.
type strip struct {
	Arm   string
	Items []square
}

type square struct {
	Hue   int // hue of the colour, from red (0, wrong) to green (120, right)
	Title string
	Run   string
}

// WriteHTML writes the report as one self-contained page. link, if set, returns the address of a run.
func (rep Report) WriteHTML(w io.Writer, title string, link func(run string) string) error {
	funcs := template.FuncMap{
		"percent": percent,
		"bound":   bound,
		"dollars": dollars,
		"brief":   func(s string) string { return text.Line(s, 160) },
		"link": func(run string) string {
			if link == nil || run == "" {
				return ""
			}
			return link(run)
		},
	}
	t, err := template.New("report").Funcs(funcs).Parse(page)
	if err != nil {
		return err
	}
	data := pageData{
		Title: title, Report: rep, Charts: rep.charts(), Strips: rep.strips(), Worst: rep.worst(20),
		Failures:   rep.Failures[:min(len(rep.Failures), 200)],
		AllScores:  tableOf(scoreHead, rep.All, Row.scoreCells),
		AllEffort:  tableOf(effortHead, rep.All, Row.effortCells),
		PartScores: tableOf(scoreHead, rep.Parts, Row.scoreCells),
		PartEffort: tableOf(effortHead, rep.Parts, Row.effortCells),
	}
	if err := t.Execute(w, data); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// charts returns charts of score and cost over length, for each suite.
func (rep Report) charts() []pageChart {
	var out []pageChart
	var suites []string
	for _, r := range rep.Parts {
		if !slices.Contains(suites, r.Suite) {
			suites = append(suites, r.Suite)
		}
	}
	for _, s := range suites {
		for _, what := range []struct {
			title string
			of    func(Row) (float64, bool)
		}{
			{"score", func(r Row) (float64, bool) { return r.Score.Mean, true }},
			{"US dollars per item", func(r Row) (float64, bool) {
				if r.Cost == nil {
					return 0, false
				}
				return *r.Cost / float64(r.N), true
			}},
		} {
			if c, ok := rep.chart(s, what.of); ok {
				title := s + ": " + what.title
				if c.Kind == chart.Line {
					title += " by tokens of context"
				}
				out = append(out, pageChart{title, template.HTML(c.SVG())})
			}
		}
	}
	return out
}

// chart has a line for each arm over the lengths of a suite, or bars if there is one length; false if nothing is
// known.
func (rep Report) chart(suite string, of func(Row) (float64, bool)) (chart.Chart, bool) {
	var series []chart.Series
	points := 0
	for _, r := range rep.Parts {
		v, ok := of(r)
		if r.Suite != suite || !ok {
			continue
		}
		i := slices.IndexFunc(series, func(x chart.Series) bool { return x.Name == r.Arm })
		if i < 0 {
			series = append(series, chart.Series{Name: r.Arm})
			i = len(series) - 1
		}
		series[i].X = append(series[i].X, chart.Number(r.Length))
		series[i].Y = append(series[i].Y, chart.Number(v))
		points = max(points, len(series[i].X))
	}
	if points == 1 {
		var arms []string
		var values []float64
		for _, s := range series {
			arms, values = append(arms, s.Name), append(values, float64(s.Y[0]))
		}
		return chart.NewBars(arms, values), true
	}
	c := chart.NewLine(series, false)
	c.Log = true
	return c, points > 0
}

func (rep Report) strips() []strip {
	var out []strip
	for _, r := range rep.Results {
		i := slices.IndexFunc(out, func(s strip) bool { return s.Arm == r.Arm })
		if i < 0 {
			out = append(out, strip{Arm: r.Arm})
			i = len(out) - 1
		}
		title := fmt.Sprintf("%s: %.3f, %s, %s", r.Item, r.Score.Value, r.Ended(), short(r.Wall))
		if r.Cost != nil {
			title += ", " + units.Dollars(*r.Cost)
		}
		out[i].Items = append(out[i].Items, square{int(r.Score.Value * 120), title, r.Run})
	}
	return out
}

// worst returns the answers with the lowest scores.
func (rep Report) worst(most int) []Result {
	list := slices.Clone(rep.Results)
	slices.SortStableFunc(list, func(a, b Result) int { return cmp.Compare(a.Score.Value, b.Score.Value) })
	list = slices.DeleteFunc(list, func(r Result) bool { return r.Score.Value == 1 || r.failed() })
	return list[:min(most, len(list))]
}
