// Package opc finds the parts of Office Open XML documents by their relationships and content types, as the standard has it; names of
// parts mean nothing, and producers differ in them.
package opc

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Relationship leads from one part to another, or out of the document.
type Relationship struct {
	ID       string
	Type     string // its last word: "header", "hyperlink"
	Target   string // a part of the package, or an address if External
	External bool
}

// Relationships are those of one part, in their order.
type Relationships []Relationship

// ByID finds one.
func (rs Relationships) ByID(id string) (Relationship, bool) {
	for _, r := range rs {
		if r.ID == id {
			return r, true
		}
	}
	return Relationship{}, false
}

// ByType finds the parts of a type: "styles".
func (rs Relationships) ByType(kind string) []string {
	var parts []string
	for _, r := range rs {
		if r.Type == kind && !r.External {
			parts = append(parts, r.Target)
		}
	}
	return parts
}

// First is the first part of a type, or empty.
func (rs Relationships) First(kind string) string {
	for _, r := range rs {
		if r.Type == kind && !r.External {
			return r.Target
		}
	}
	return ""
}

// maxRelationships bounds what one part may list; a sheet with a link in each row stays below.
const maxRelationships = 200_000

// Package is an open document.
type Package struct {
	*container.Archive
	Main string // the part that holds the document: the target of the relationship "officeDocument"
	root Relationships
}

// errMain says that the zip archive is none of Office.
var errMain = errors.New("its main part is missing")

// Open opens a package and finds its main part.
func Open(ctx context.Context, src format.Source) (*Package, error) {
	a, err := container.Open(ctx, src)
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

// guessMain finds the main part of a package whose relationships are damaged by its content type.
func (p *Package) guessMain() string {
	r, err := p.Read("[Content_Types].xml")
	if err != nil {
		return ""
	}
	defer r.Close()
	for {
		kind, err := r.Next()
		if err != nil {
			return ""
		}
		if kind == xmlread.Start && r.Name == "types:Override" && strings.HasSuffix(r.Attr("ContentType"), ".main+xml") {
			if name := container.Clean(r.Attr("PartName")); p.Has(name) {
				return name
			}
		}
	}
}

// Relationships are those of a part, or of the package for "". A part without any has none.
func (p *Package) Relationships(part string) (Relationships, error) {
	r, err := p.Read(path.Join(path.Dir(part), "_rels", path.Base("/"+part)+".rels"))
	if part == "" {
		r, err = p.Read("_rels/.rels")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rs Relationships
	for len(rs) < maxRelationships {
		kind, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rs, err
		}
		if kind != xmlread.Start || r.Name != "rels:Relationship" {
			continue
		}
		rel := Relationship{ID: r.Attr("Id"), Type: path.Base(r.Attr("Type")), Target: r.Attr("Target"), External: r.Attr("TargetMode") == "External"}
		if !rel.External {
			rel.Target = container.Resolve(part, rel.Target)
		}
		rs = append(rs, rel)
	}
	return rs, nil
}

// Part is a part that is being read.
type Part struct {
	*xmlread.Reader
	io.Closer
}

// Read opens an XML part.
func (p *Package) Read(name string) (*Part, error) {
	r, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	return &Part{xmlread.New(r), r}, nil
}

// Metadata writes the head of the document from its core properties.
func (p *Package) Metadata(out format.Output) error {
	name := p.root.First("core-properties")
	if name == "" {
		return nil
	}
	r, err := p.Read(name)
	if err != nil {
		return nil // a document without its properties is whole
	}
	defer r.Close()
	found := map[string]string{}
	for {
		kind, err := r.Next()
		if err != nil {
			break // damage here costs a line of the head
		}
		if kind != xmlread.Start || found[r.Name] != "" || strings.HasPrefix(r.Name, "cp:core") {
			continue
		}
		if found[r.Name], err = r.Inner(); err != nil {
			break
		}
	}
	for _, line := range [...][2]string{
		{"Title", "dc:title"},
		{"Subject", "dc:subject"},
		{"Author", "dc:creator"},
		{"Keywords", "cp:keywords"},
		{"Category", "cp:category"},
		{"Description", "dc:description"},
		{"Language", "dc:language"},
		{"Created", "dcterms:created"},
		{"Modified", "dcterms:modified"},
	} {
		if err := out.Meta(line[0], found[line[1]]); err != nil {
			return err
		}
	}
	return nil
}
