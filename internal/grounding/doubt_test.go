package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestUnknownFormsAreDoubted: a number rests where its digits are, if nothing there is known to speak against it.
func TestUnknownFormsAreDoubted(t *testing.T) {
	const (
		links = "xe-0/0/3 up 25Gb/s full-duplex\nxe-0/0/4 up 40Gb/s full-duplex\n"
		peers = "peer 10.8.0.4  up 6w3d\npeer 10.8.0.9  up 2d07h\npeer 10.8.0.12 up 02:41:55\n"
		vote  = "The motion of the northern clubs on the fee was lost by 27\nvotes to 58.\n--\nThe minutes were read."
		trial = "whereas along the grain no change of damping was found (p = 0.37)."
	)
	judge(t, []expect{
		{"How fast is xe-0/0/4?", links, "It runs at 40 Gb/s.", grounding.Grounded},
		{"How fast is xe-0/0/4?", links, "It runs at 10 Gb/s.", grounding.Not},
		{"Since when is it up?", peers, "10.8.0.9 is up for 2 days and 7 hours.", grounding.Grounded},
		{"Since when is it up?", peers, "10.8.0.12 is up for 2 h 41 min.", grounding.Grounded},
		{"Since when is it up?", peers, "10.8.0.12 is up for 2 h 14 min.", grounding.Partly},
		{"How was the vote?", filler + vote, "The motion was lost, 27 to 58.", grounding.Grounded},
		{"How was the vote?", filler + vote, "The motion was lost, 27 to 85.", grounding.Partly},
		{"What changed along the grain?", trial, "No change was found along the grain (p = 0.37).", grounding.Grounded},
		{"What changed along the grain?", trial, "No change was found along the grain (p = 0.73).", grounding.Not},
		{
			"Which versions are installed?", "ii  libz1:amd64  1:1.4.11.dfsg-2  amd64\nii  libpam0g  1.5.2-6  amd64\n",
			"- libz1 1:1.4.17.dfsg-2\n- libpam0g 1.5.2-6", grounding.Partly,
		},
		{
			"Which target took longest?", "//balance:gauge  elapsed= 318.4s  warnings=6\n//fan:pitch  elapsed= 61.0s  warnings=0\n",
			"`//balance:gauge` took longest, about 5.3 minutes (318.4 s).", grounding.Grounded,
		},
	})
}

// TestATaskIsToldInOtherWords: its words stand in one line, in whatever form and order.
func TestATaskIsToldInOtherWords(t *testing.T) {
	const (
		board = "Der Vorstand beschließt, die Miete der Halle bis Ende 2027 zu verlängern. Zuständig: Antje Rickmers.\n"
		plan  = "Open: pump in hall 3 to be replaced by the tenant, the cellar is painted in May.\n"
	)
	judge(t, []expect{
		{"Was wurde beschlossen?", board, "- Verlängerung der Miete (Antje Rickmers)", grounding.Grounded},
		{"Was wurde beschlossen?", board, "- Erhöhung der Miete (Antje Rickmers)", grounding.Partly},
		{"What is left to do?", plan, "- replacing the pump\n- painting the cellar", grounding.Grounded},
		{"What is left to do?", plan, "- replacing the boiler\n- painting the cellar", grounding.Partly},
	})
}
