// Package opc finds the parts of Office Open XML documents by relationships and content types, as the standard
// requires. The names of parts mean nothing and vary between producers.
package opc

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Relationship is a reference from one part to another, or out of the document.
type Relationship struct {
	ID       string
	Type     string // its last path element: "header", "hyperlink"
	Target   string // a part of the package, or an address if External
	External bool
}

// Relationships are the relationships of one part, in order.
type Relationships []Relationship

// ByID returns the relationship with an ID.
func (rs Relationships) ByID(id string) (Relationship, bool) {
	for _, r := range rs {
		if r.ID == id {
			return r, true
		}
	}
	return Relationship{}, false
}

// ByType returns the parts of a type such as "styles".
func (rs Relationships) ByType(kind string) []string {
	var parts []string
	for _, r := range rs {
		if r.Type == kind && !r.External {
			parts = append(parts, r.Target)
		}
	}
	return parts
}

// First returns the first part of a type, or "".
func (rs Relationships) First(kind string) string { return cmp.Or(rs.ByType(kind)...) }

// maxRelationships limits the relationships of one part; a sheet with a link in each row stays below.
const maxRelationships = 200_000

// Package is an open document.
type Package struct {
	*container.Archive
	Main string        // the document's own part: the target of the relationship "officeDocument"
	Rels Relationships // relationships of the main part
	root Relationships
}

// errMain means that the zip archive is not an Office document.
var errMain = errors.New("its main part is missing")

// Open opens a package and finds its main part.
func Open(ctx context.Context, src format.Source, out format.Output) (*Package, error) {
	a, err := container.Open(ctx, src, out)
	if err != nil {
		return nil, err
	}
	p := &Package{Archive: a}
	p.root, err = p.Relationships("")
	if ctx.Err() != nil || errors.Is(err, format.ErrPassword) {
		return nil, errors.Join(ctx.Err(), err)
	}
	if err == nil {
		p.Main = p.root.First("officeDocument")
	}
	if p.Main == "" || !p.Has(p.Main) {
		if p.Main = p.guessMain(); p.Main == "" {
			return nil, errMain
		}
	}
	return p, nil
}

// Begin opens a document of a kind, writes its head and reads the relationships of its main part.
func Begin(ctx context.Context, src format.Source, out format.Output, kind string) (*Package, error) {
	if err := out.Kind(kind); err != nil {
		return nil, err
	}
	p, err := Open(ctx, src, out)
	if err != nil {
		return nil, err
	}
	if err := p.Metadata(out); err != nil {
		return nil, err
	}
	p.Rels, err = p.Relationships(p.Main)
	return p, p.Optional("its relationships", err)
}

// guessMain finds the main part by its content type if the relationships are damaged.
func (p *Package) guessMain() (main string) {
	_ = p.Elements("[Content_Types].xml", func(r *xmlread.Reader) error {
		if main == "" && r.Name == "types:Override" && strings.HasSuffix(r.Attr("ContentType"), ".main+xml") {
			if name := container.Clean(r.Attr("PartName")); p.Has(name) {
				main = name
			}
		}
		return nil
	})
	return main
}

// Relationships returns the relationships of a part, or of the package for "". A part may have none.
func (p *Package) Relationships(part string) (rs Relationships, err error) {
	name := "_rels/.rels"
	if part != "" {
		name = path.Join(path.Dir(part), "_rels", path.Base("/"+part)+".rels")
	}
	err = p.Elements(name, func(r *xmlread.Reader) error {
		if r.Name != "rels:Relationship" || len(rs) >= maxRelationships {
			return nil
		}
		rel := Relationship{
			r.Attr("Id"), path.Base(r.Attr("Type")), r.Attr("Target"),
			r.Attr("TargetMode") == "External",
		}
		if !rel.External {
			rel.Target = container.Resolve(part, rel.Target)
		}
		rs = append(rs, rel)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return rs, err
}

// Part calls read with the part that a relationship ID refers to, unless it is outside the document.
func (p *Package) Part(rs Relationships, id string, read func(r *xmlread.Reader) error) error {
	rel, ok := rs.ByID(id)
	if !ok || rel.External {
		return nil
	}
	return p.Read(rel.Target, read)
}

// Metadata writes the head of the document from its core properties, which may be missing. A damaged property
// affects only its line.
func (p *Package) Metadata(out format.Output) error {
	found := map[string]string{}
	_ = p.Elements(p.root.First("core-properties"), func(r *xmlread.Reader) (err error) {
		if found[r.Name] == "" && !strings.HasPrefix(r.Name, "cp:core") {
			found[r.Name], err = r.Inner()
		}
		return err
	})
	return format.Head(out, found, "Title", "dc:title", "Subject", "dc:subject", "Author", "dc:creator", "Keywords",
		"cp:keywords",
		"Category", "cp:category", "Description", "dc:description", "Language", "dc:language",
		"Created", "dcterms:created", "Modified", "dcterms:modified")
}
