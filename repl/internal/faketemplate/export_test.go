package template

// For the tests, which cannot be in this package: what they walk through imports it.
var (
	Reaches = reaches
	Leads   = func(name string) bool { return leads()[name] }
)
