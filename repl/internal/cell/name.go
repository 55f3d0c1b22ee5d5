package cell

import "github.com/gorlm/rlm/internal/kit/celltype"

// Mark is the letter that makes a name unique in a session (see celltype.Mark).
const Mark = celltype.Mark

// EntryName is the function that holds a cell's statements.
const EntryName = "cell" + Mark

// Display turns names of hoisted files in a text into those that cells wrote.
func Display(text string) string { return celltype.Display(text) }
