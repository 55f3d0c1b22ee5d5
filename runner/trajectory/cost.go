package trajectory

// Cost is what calls of models cost together: known in full, in part or not at all. The zero value is that of no calls.
type Cost struct {
	USD      float64 // as far as prices are known
	Known    bool    // the price of a call is
	Unpriced bool    // the price of a call is not
}

// Add takes in a call. One that used nothing costs nothing.
func (c *Cost) Add(u Usage) {
	switch {
	case u.Cost != nil:
		c.USD += *u.Cost
		c.Known = true
	case u.Prompt+u.Completion+u.Wasted > 0:
		c.Unpriced = true
	}
}

// Full is the cost in USD, nil if it is not known in full.
func (c Cost) Full() *float64 {
	if c.Unpriced {
		return nil
	}
	return &c.USD
}

// Part is the cost in USD as far as it is known, nil if it is not known at all.
func (c Cost) Part() *float64 {
	if !c.Known {
		return nil
	}
	return &c.USD
}
