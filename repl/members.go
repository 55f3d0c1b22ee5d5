package repl

// Members lists, in order, the names that may follow an operand and a dot in the next cell: the fields and
// methods of a value's type, or a package's exports; for the empty operand, the packages that need no import.
// The operand is type-checked but never run; an invalid one has no members. Members must not be called while a
// cell runs.
func (n *Notebook) Members(operand string) []string { return n.front.Members(operand) }
