package corpus

// The labels of the TREC coarse set, as OOLONG names them.
const (
	Numeric      = "numeric value"
	Entity       = "entity"
	Location     = "location"
	Description  = "description and abstract concept"
	Abbreviation = "abbreviation"
	Human        = "human being"
)

// Labels lists the labels in the order of the header.
var Labels = []string{Numeric, Entity, Location, Description, Abbreviation, Human}
