package schema

// mostForeign bounds the parts of a foreign schema that are read: references can relate every part to every other.
const mostForeign = 2000

// Foreign reads a schema of another program, in any dialect. Parts that are not understood or make no sense allow
// anything, because the program checks its input itself. Only text that is not a JSON object is an error.
func Foreign(text string) (*Schema, error) {
	tree, err := decode(text)
	if err != nil {
		return nil, err
	}
	top, ok := tree.(object)
	if !ok {
		return nil, at("#", "a schema is an object, and this is "+shown(tree))
	}
	p := reader{keywords: foreignKeywords(), defs: map[string]*node{}, foreign: true}
	s := &Schema{JSON: compact(tree)}
	for _, where := range []string{"$defs", "definitions"} {
		raw, _ := top.Get(where)
		defs, _ := raw.(object)
		for _, d := range defs {
			path := "#/" + where + "/" + escape(d.Name)
			n, _ := p.node(d.Value, path)
			p.defs[path] = n
			s.defs = append(s.defs, property{d.Name, n})
		}
	}
	s.root, _ = p.node(top, "#")
	p.defs["#"] = s.root
	p.linkForeign()
	return s, nil
}

// linkForeign resolves references, except dangling and circular ones.
func (p *reader) linkForeign() {
	for _, n := range p.all {
		if _, defined := p.defs[n.path]; !defined {
			p.defs[n.path] = n
		}
	}
	for _, n := range p.refs {
		n.to = p.defs[n.ref]
	}
	for _, n := range p.all {
		if n.leadsTo(n, map[*node]bool{}) {
			n.to, n.anyOf, n.allOf = nil, nil, nil
		}
	}
}

// foreignKeywords are the keywords that a Go type or its comment can express.
func foreignKeywords() map[string]func(p *reader, n *node, v any) error {
	all := keywords()
	for _, name := range []string{"pattern", "format", "title", "$schema", "$defs"} {
		all[name] = ignored
	}
	all["oneOf"] = (*reader).anyOf
	all["allOf"] = func(p *reader, n *node, v any) (err error) {
		n.allOf, err = p.nodes(v, n.path+"/allOf")
		return err
	}
	all["items"] = func(p *reader, n *node, v any) error {
		if _, list := v.([]any); list { // the form up to draft 2019-09
			return p.prefixItems(n, v)
		}
		return p.items(n, v)
	}
	all["default"] = func(_ *reader, n *node, v any) error { n.preset = v; return nil }
	all["nullable"] = func(_ *reader, n *node, v any) error { n.nullable = n.nullable || v == true; return nil }
	return all
}
