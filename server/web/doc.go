// Package web is a [server.Service] as HTTP: the JSON interface, cookies, and the
// checks that every request passes.
//
//	front := web.New(svc, web.Options{})
//	pages, err := ui.New(svc, front, ui.Options{})
//	http.ListenAndServe(addr, front.Handler(pages))
//
// The service knows nothing of HTTP, and this package nothing of votes: it reads a
// request, finds out who makes it ([Front.Identify]), calls one method of the
// service, and writes what that returns. Errors become codes by what they wrap.
// Types whose names end in JSON are what goes over the wire.
//
// Pages (server/ui) are handed to [Front.Handler], which puts [Front.Guard] before
// them, too.
package web
