package sheets

import (
	"cmp"
	"strconv"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// builtin are the formats that workbooks refer to by number without defining them.
var builtin = [...]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
	21: "h:mm:ss",
	22: "m/d/yy h:mm", 27: "yyyy/m", 28: "m/d", 29: "m/d", 30: "m/d/yy", 31: "yyyy/m/d", 32: "h:mm", 33: "h:mm:ss",
	34: "h:mm",
	35: "h:mm:ss", 36: "yyyy/m", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss",
	47: "mm:ss.0",
	48: "##0.0E+0", 50: "yyyy/m", 51: "m/d", 52: "yyyy/m", 53: "m/d", 54: "m/d", 55: "h:mm", 56: "h:mm:ss",
	57: "yyyy/m", 58: "m/d",
}

// maxStyles limits the cell styles; Excel allows 65 490.
const maxStyles = 100_000

// readStyles reads the number format of each cell style.
func (b *workbook) readStyles(name string) error {
	codes := map[string]string{}
	known := map[string]*display{}
	cells := false
	return b.pkg.Events(name, func(r *xmlread.Reader, kind xmlread.Kind) error {
		if r.Name == "x:cellXfs" && kind != xmlread.Text {
			cells = kind == xmlread.Start
		}
		if kind != xmlread.Start {
			return nil
		}
		switch {
		case r.Name == "x:numFmt" && len(codes) < maxStyles:
			codes[r.Attr("numFmtId")] = r.Attr("formatCode")
		case r.Name == "x:xf" && cells && len(b.displays) < maxStyles:
			id := r.Attr("numFmtId")
			if known[id] == nil {
				code, own := codes[id]
				if n, err := strconv.Atoi(id); !own && err == nil && n >= 0 && n < len(builtin) {
					code = builtin[n]
				}
				d := parseFormat(cmp.Or(code, "General"))
				known[id] = &d
			}
			b.displays = append(b.displays, known[id])
		}
		return nil
	})
}

var general = &display{sections: []section{{general: true}}}

// display returns the display for a cell style.
func (b *workbook) display(style []byte) *display {
	if len(style) == 0 {
		return general
	}
	if n, err := strconv.Atoi(string(style)); err == nil && n >= 0 && n < len(b.displays) {
		return b.displays[n]
	}
	return general
}
