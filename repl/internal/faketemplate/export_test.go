package template

// Reaches and the other names here are for tests that cannot be in this package, because the packages that they
// inspect import it.
var (
	Reaches = reaches
	Leads   = func(name string) bool { return leads()[name] }
)
