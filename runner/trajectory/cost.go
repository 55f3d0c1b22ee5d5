package trajectory

// Cost is the total cost of model calls, of which all, some or none have a known price. The zero value means no
// calls.
type Cost struct {
	USD      float64 // as far as prices are known
	Known    bool    // the price of some call is known
	Unpriced bool    // the price of some call is not known
}

// Add adds a call. One without usage costs nothing.
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

// Part is the known part of the cost in USD, nil if no price is known.
func (c Cost) Part() *float64 {
	if !c.Known {
		return nil
	}
	return &c.USD
}
