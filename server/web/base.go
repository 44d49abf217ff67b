package web

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// CheckURL says why an address is not one at which people can reach a server; an empty one
// is that of each request.
func CheckURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("it is https:// and a name, and maybe a path")
	case baseOf(address) != "" && (u.EscapedPath() != u.Path || strings.Contains(u.Path, "//") || strings.Contains(u.Path, ";") || strings.Contains(u.Path, "..")):
		return fmt.Errorf("its path is of plain letters")
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(baseOf(address), "/"), "/")
	if slices.Contains([]string{"b", "api", "static", "boards", "my", "language", "admin", "sso", "livez", "readyz", "healthz", "metrics"}, first) {
		return fmt.Errorf("its path begins like those of the server itself, /%s", first)
	}
	return nil
}

// baseOf is the path of an address, without a slash at its end.
func baseOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}

// At returns the path, as browsers see it, of an address of this server.
func (f *Front) At(path string) string { return f.base + path }

// unbased takes the base off the path of a request, where a proxy has left it.
func (f *Front) unbased(r *http.Request) *http.Request {
	rest, found := strings.CutPrefix(r.URL.Path, f.base)
	if f.base == "" || !found || rest != "" && rest[0] != '/' {
		return r
	}
	other := new(http.Request)
	*other = *r
	u := *r.URL
	u.Path, u.RawPath = rest, strings.TrimPrefix(r.URL.RawPath, f.base)
	u.Path = cmp.Or(u.Path, "/")
	other.URL = &u
	return other
}

// based puts the base before an address of this server that a browser is sent to.
func (f *Front) based(h http.Header) {
	to := h.Get("Location")
	if f.base != "" && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && to != f.base && !strings.HasPrefix(to, f.base+"/") {
		h.Set("Location", f.base+to)
	}
}

// Base puts the base before the addresses of this server in a page: attributes that hold
// addresses, and begin with a slash. What people wrote has no quotation marks of its own in
// pages.
func (f *Front) Base(page []byte) []byte {
	if f.base == "" {
		return page
	}
	for _, attribute := range []string{"href", "src", "action", "hx-get", "hx-post", "sse-connect"} { // action is the end of formaction, too
		page = bytes.ReplaceAll(page, []byte(attribute+`="/`), []byte(attribute+`="`+f.base+`/`))
	}
	return page
}

// CheckFrame says why a word is not the address of a site that may show pages in frames.
func CheckFrame(site string) error {
	u, err := url.Parse(site)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(site, " ;,'\"\r\n") || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return fmt.Errorf("it is https:// and a name, without a path")
	}
	return nil
}

// policyFor is what pages may load and do: nothing but what this server sends, and no
// scripts or styles within the text. Only the sites given may show them in frames.
func policyFor(frames []string) string {
	by := "'none'"
	if len(frames) > 0 {
		by = "'self' " + strings.Join(frames, " ")
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors " + by + "; base-uri 'none'"
}
