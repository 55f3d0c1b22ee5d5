package template

// For tests that cannot be in this package, because the packages they walk through import it.
var (
	Reaches = reaches
	Leads   = func(name string) bool { return leads()[name] }
)
