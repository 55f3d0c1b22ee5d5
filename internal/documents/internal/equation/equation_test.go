package equation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// TestInALine converts the same equations from Office and from MathML.
func TestInALine(t *testing.T) {
	const office = `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">`
	const mathML = `<math xmlns="http://www.w3.org/1998/Math/MathML">`
	run := func(s string) string { return "<m:r><w:rPr><w:t>x</w:t></w:rPr><m:t>" + s + "</m:t></m:r>" }
	for text, want := range map[string]string{
		office + `<m:f><m:fPr/><m:num>` + run("a+b") + `</m:num><m:den>` + run("c") +
			`</m:den></m:f></m:oMath>`: "(a+b)/c",
		office + `<m:rad><m:deg>` + run("3") + `</m:deg><m:e>` + run("y") +
			`</m:e></m:rad></m:oMath>`: "root(y, 3)",
		office + `<m:sSub><m:e>` + run("a") + `</m:e><m:sub>` + run("i") + run("j") +
			`</m:sub></m:sSub></m:oMath>`: "a_(ij)",
		office + `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>` + run("x") +
			`</m:e></m:d></m:oMath>`: "[x]",
		office + `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>` + run("i=1") + `</m:sub><m:e>` + run("i") +
			`</m:e></m:nary></m:oMath>`: "∑_(i=1) i",
		office + `<m:m><m:mr><m:e>` + run("1") + `</m:e><m:e>` + run("2") + `</m:e></m:mr><m:mr><m:e>` + run("3") +
			`</m:e></m:mr></m:m></m:oMath>`: "1, 2; 3",
		mathML + `<mfrac> <mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow> <mi>c</mi> </mfrac></math>`:    "(a+b)/c",
		mathML + `<mroot><mi>y</mi><mn>3</mn></mroot><annotation>no</annotation></math>`:             "root(y, 3)",
		mathML + `<msub><mi>a</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></math>`:                   "a_(ij)",
		mathML + `<mfenced><mi>x</mi><mi>y</mi></mfenced><mover><mi>x</mi><mo>¯</mo></mover></math>`: "(x, y)x¯",
		mathML + strings.Repeat("<msqrt>", 200) + "<mi>x</mi>" + strings.Repeat("</msqrt>", 200) +
			"<mi>y</mi></math>": strings.Repeat("√(", maxNested) + "x" +
			strings.Repeat(")", maxNested) + "y",
	} {
		r := xmlread.New(strings.NewReader(text))
		_, err := r.Next()
		require.NoError(t, err)
		got, err := Read(r)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
}
