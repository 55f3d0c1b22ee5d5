package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gorlm/rlm/runner/internal/fetch"
)

// Fetcher fetches pages. It is safe for concurrent use.
type Fetcher interface {
	Fetch(ctx context.Context, url string) (*fetch.Page, error)
}

// pagesAhead bounds the pages that are fetched before it is their turn to be written.
const pagesAhead = 8

// page is a candidate from a URL. It is fetched before its turn, to an unnamed file, and examined only when it is
// complete, so that a slow server does not delay anything else.
type page struct {
	url string

	ready chan struct{} // closed when the fields below are set
	got   *fetch.Page
	file  *os.File
	err   error
}

// addURL adds a page. A URL that cannot be fetched is an error with the reason.
func (l *lister) addURL(address string) error {
	u, err := fetch.Parse(address)
	if err != nil {
		return err
	}
	u.Fragment, u.RawFragment = "", ""
	name := u.String()
	if l.seen[name] { // only a URL was listed under this name: no path looks like one
		l.skip(name, "named twice")
		return nil
	}
	l.seen[name] = true
	l.found = append(l.found, candidate{name: name, blocks: true, page: &page{url: name, ready: make(chan struct{})}})
	return nil
}

// pages fetches the pages of candidates.
type pages struct {
	slots   chan struct{}
	running sync.WaitGroup
	all     []*page
}

// fetchAhead starts fetching the pages among candidates, in their order. It ends with ctx.
func fetchAhead(ctx context.Context, f Fetcher, found []candidate) *pages {
	p := &pages{slots: make(chan struct{}, pagesAhead)}
	for _, c := range found {
		if c.page != nil {
			p.all = append(p.all, c.page)
		}
	}
	if len(p.all) == 0 {
		return p
	}
	p.running.Go(func() {
		for _, page := range p.all {
			select {
			case p.slots <- struct{}{}:
				p.running.Go(func() { page.fetch(ctx, f) })
			case <-ctx.Done():
				page.err = ctx.Err()
				close(page.ready)
			}
		}
	})
	return p
}

func (p *page) fetch(ctx context.Context, f Fetcher) {
	defer close(p.ready)
	if f == nil {
		p.err = errors.New("URLs are not fetched here")
		return
	}
	if p.got, p.err = f.Fetch(ctx, p.url); p.err != nil {
		return
	}
	var n int64
	p.file, n, p.err = spooled(p.got.Body, mostSpooled)
	_ = p.got.Body.Close() // reading reports errors
	if p.err == nil && n == 0 {
		p.err = errors.New("the page is empty")
	}
	if p.err == nil {
		_, p.err = p.file.Seek(0, io.SeekStart)
	}
}

// open waits for a page.
func (p *pages) open(ctx context.Context, page *page) (*os.File, error) {
	select {
	case <-page.ready:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	<-p.slots
	if page.err != nil {
		return nil, page.err
	}
	f := page.file
	page.file = nil
	return f, nil
}

// close waits for fetches in progress and drops pages that were not used. ctx must be done, or all pages must have
// been used.
func (p *pages) close() {
	p.running.Wait()
	for _, page := range p.all {
		if page.file != nil {
			_ = closeFile(page.file) // the page is not needed
		}
	}
}

// fetched returns the origin of a fetched document; nil if it was not fetched.
func (c candidate) fetched() *FetchedPage {
	if c.page == nil || c.page.got == nil {
		return nil
	}
	f := &FetchedPage{URL: c.page.url, Time: c.page.got.Time}
	if c.page.got.URL != f.URL {
		f.To = c.page.got.URL
	}
	return f
}

// alias is the name used to recognise and convert a candidate: the end of a URL reveals little.
func (c candidate) alias() string {
	if c.page == nil || c.page.got == nil {
		return c.name
	}
	return cmp.Or(c.page.got.Name, "page")
}

// head is the line before the converted text of a page.
func (f *FetchedPage) head() string {
	line := fmt.Sprintf("Fetched: %s, %s", oneLine(f.URL), f.Time.UTC().Format("2006-01-02 15:04 UTC"))
	if f.To != "" {
		line += ", from " + oneLine(f.To)
	}
	return line + "\n"
}
