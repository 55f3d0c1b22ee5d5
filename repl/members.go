package repl

// Members lists what can stand behind an operand and a dot in the next cell, in order: the fields and methods of a
// value's type, or what a package exports; for the empty operand the packages that need no import. The operand is type-checked
// and never run; one that makes no sense has no members. Members must not be called while a cell runs.
func (n *Notebook) Members(operand string) []string { return n.front.Members(operand) }
