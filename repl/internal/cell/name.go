package cell

import "github.com/gorlm/rlm/internal/kit/celltype"

// Mark is the letter that makes a name unique in a session (see celltype.Mark).
const Mark = celltype.Mark

// EntryName is the name of the function that contains a cell's statements.
const EntryName = "cell" + Mark

// Display replaces names of hoisted files in a text by the names that cells use.
func Display(text string) string { return celltype.Display(text) }
