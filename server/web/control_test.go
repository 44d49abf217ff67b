package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"palate/server"
)

// TestControls walks through what an owner does with a board, over the interface.
func TestControls(t *testing.T) {
	s := setScene(t, server.Options{})
	var b BoardJSON
	s.owner.want(200, "PATCH", s.api(""), `{"title":"Dinner","question":"Which tonight?","rules":{"quota":2,"comments":true,"proposals":true,"hidden":true}}`, &b)
	if b.Title != "Dinner" || b.Question != "Which tonight?" || b.Rules.Quota != 2 || !b.Rules.Hidden {
		t.Errorf("%+v", b)
	}
	s.owner.want(422, "PATCH", s.api(""), `{"rules":{"quota":-1}}`, nil)

	told := func(q QuestionJSON, why string) string {
		return fmt.Sprintf(`{"question":%q,"outcome":"left","comment":%q}`, q.Question, why)
	}
	s.ann.want(200, "POST", s.api("/tell"), told(s.ask(s.ann), "less salt"), nil)
	s.ann.want(200, "POST", s.api("/tell"), told(s.ask(s.ann), "=1+1"), nil)
	s.ann.want(410, "POST", s.api("/ask"), `{}`, nil)
	var comments []struct{ Text, Left, Voter string }
	s.owner.want(200, "GET", s.api("/comments"), "", &comments)
	if len(comments) != 2 || comments[1].Text != "less salt" {
		t.Errorf("comments %+v", comments)
	}
	if csv := s.owner.want(200, "GET", s.api("/export"), "", nil); !strings.Contains(csv, ",less salt") || !strings.Contains(csv, ",'=1+1") {
		t.Errorf("the export has no comments, or a formula:\n%s", csv)
	}

	s.ann.want(200, "POST", s.api("/proposals"), `{"body":"tart"}`, nil)
	var proposals []ProposalJSON
	s.bob.want(200, "GET", s.api("/proposals"), "", &proposals)
	if len(proposals) != 0 {
		t.Errorf("one voter sees another's proposals: %+v", proposals)
	}
	s.owner.want(200, "GET", s.api("/proposals"), "", &proposals)
	var decided ProposalJSON
	s.owner.want(200, "POST", s.api("/proposals/"+proposals[0].ID), `{"accept":true}`, &decided)
	s.owner.want(422, "POST", s.api("/proposals/"+proposals[0].ID), `{"accept":false}`, nil)
	if items := s.owner.want(200, "GET", s.api("/items"), "", nil); decided.State != "accepted" || !strings.Contains(items, `"tart"`) {
		t.Errorf("%+v, items %s", decided, items)
	}

	if svg := s.program(t, "").want(200, "GET", s.api("/qr"), "", nil); !strings.HasPrefix(svg, "<svg ") {
		t.Errorf("a QR code %.100s", svg)
	}
	var copied CreatedJSON
	s.owner.want(201, "POST", s.api("/duplicate"), "", &copied)
	if copied.Board.Title != "Dinner" || copied.Board.Items != 5 || copied.Secret == s.secret {
		t.Errorf("%+v", copied)
	}

	var eve struct{ ID, Secret string }
	s.owner.want(200, "POST", s.api("/owners"), `{"name":"Eve"}`, &eve)
	s.program(t, eve.Secret).want(200, "PATCH", s.api(""), `{"title":"Supper"}`, nil)
	if log := s.owner.want(200, "GET", s.api("/audit"), "", nil); !strings.Contains(log, `"owner: Eve"`) {
		t.Errorf("the log does not say who: %s", log)
	}
	s.owner.want(200, "DELETE", s.api("/owners/"+eve.ID), "", nil)
	s.program(t, eve.Secret).want(403, "GET", s.api("/audit"), "", nil)

	s.ann.want(200, "DELETE", s.api("/votes"), "", nil)
	if csv := s.owner.want(200, "GET", s.api("/export?log=true"), "", nil); strings.Count(csv, "\n") != 1 {
		t.Errorf("votes are left:\n%s", csv)
	}
	s.owner.want(200, "DELETE", s.api(""), "", nil)
	s.ann.want(404, "POST", s.api("/ask"), `{}`, nil)
	s.owner.want(200, "GET", s.api("/export"), "", nil)
	s.owner.want(200, "POST", s.api("/restore"), "", nil)
	s.ask(s.ann)
}

// TestDuplicateNeedsToken: where boards are made with the server's token, so are copies.
func TestDuplicateNeedsToken(t *testing.T) {
	s := startSite(t, server.Options{Admin: "the server's own word"})
	var made CreatedJSON
	s.program(t, "the server's own word").want(201, "POST", "/api/boards", fourItems, &made)
	owner := s.program(t, made.Secret)
	owner.want(403, "POST", "/api/boards/"+made.Board.ID+"/duplicate", "", nil)
	owner.header["Palate-Admin"] = "the server's own word"
	owner.want(201, "POST", "/api/boards/"+made.Board.ID+"/duplicate", "", nil)
}

// erasedByOthers: nobody deletes what another has said.
func erasedByOthers(t *testing.T) {
	s := setScene(t, server.Options{})
	s.ann.want(200, "POST", s.api("/tell"), tellJSON(s.ask(s.ann), "left"), nil)
	for _, v := range s.people(t, s.board) {
		s.bob.want(403, "DELETE", s.api("/votes?voter="+v.ID), "", nil)
	}
	s.bob.want(200, "DELETE", s.api("/votes"), "", nil) // his own, of which there are none
	s.program(t, "").want(403, "DELETE", s.api("/votes"), "", nil)
	s.owner.want(422, "DELETE", s.api("/votes"), "", nil) // is no voter
	forged := *s.ann
	forged.header = map[string]string{"Cookie": s.ann.header["Cookie"], "Sec-Fetch-Site": "cross-site"}
	forged.want(403, "DELETE", s.api("/votes"), "", nil)
	if n := len(s.votes(t, s.board)); n != 1 {
		t.Errorf("%d votes are left of 1", n)
	}
}

// stolenLink: a private link that was taken away lets nobody in, nor does the cookie that
// it gave; the next one cannot be told from it.
func stolenLink(t *testing.T) {
	s := setScene(t, server.Options{})
	var invited []struct{ Voter, Link string }
	s.owner.want(200, "POST", s.api("/invitations"), `{"names":["Cat"]}`, &invited)
	_, secret, _ := strings.Cut(invited[0].Link, "/v/")
	pass, err := s.svc.EnterPrivate(t.Context(), s.board, secret)
	if err != nil {
		t.Fatal(err)
	}
	thief := s.browser(t)
	w := httptest.NewRecorder()
	s.front.Admit(w, pass)
	for _, c := range w.Result().Cookies() {
		if strings.HasPrefix(c.Path, "/api") {
			thief.header["Cookie"] = c.Name + "=" + c.Value
		}
	}
	s.ask(thief)
	var link struct{ Link string }
	s.owner.want(200, "POST", s.api("/voters/"+invited[0].Voter+"/link"), "", &link)
	thief.want(403, "POST", s.api("/ask"), `{}`, nil)
	if _, err := s.svc.EnterPrivate(t.Context(), s.board, secret); err == nil {
		t.Error("the old link lets in")
	}
	_, fresh, _ := strings.Cut(link.Link, "/v/")
	if len(fresh) != len(secret) || fresh[:8] == secret[:8] {
		t.Errorf("the links %s and %s", secret, fresh)
	}
	s.owner.want(200, "DELETE", s.api("/voters/"+invited[0].Voter+"/link"), "", nil)
	if _, err := s.svc.EnterPrivate(t.Context(), s.board, fresh); err == nil {
		t.Error("a link that was taken away lets in")
	}
	s.ann.want(403, "POST", s.api("/voters/"+invited[0].Voter+"/link"), "", nil)
}

// furtherOwner: who was added as an owner cannot put out the one who added them.
func furtherOwner(t *testing.T) {
	s := setScene(t, server.Options{})
	var eve struct{ ID, Secret string }
	s.owner.want(200, "POST", s.api("/owners"), `{"name":"Eve"}`, &eve)
	p := s.program(t, eve.Secret)
	p.want(200, "GET", s.api("/voters"), "", nil)
	p.want(403, "POST", s.api("/owners"), `{"name":"Mallory"}`, nil)
	p.want(403, "DELETE", s.api("/owners/"+eve.ID), "", nil)
	p.want(403, "DELETE", s.api(""), "", nil)
	p.want(403, "POST", s.api("/tokens"), `{"name":"x","scopes":["vote"]}`, nil)
	p.want(403, "PATCH", s.api(""), `{"password":"correct horse"}`, nil)
	s.ann.want(403, "POST", s.api("/owners"), `{"name":"Ann"}`, nil)
	s.ann.want(403, "GET", s.api("/owners"), "", nil)
}

// earlyResults: while results are hidden no address tells them to voters.
func earlyResults(t *testing.T) {
	s := setScene(t, server.Options{})
	s.owner.want(200, "PATCH", s.api(""), `{"public":true,"rules":{"hidden":true}}`, nil)
	for _, who := range []*program{s.ann, s.program(t, "")} {
		for _, what := range []string{"/board", "/board?voter=me", "/predict?left=soup&right=pie", "/events"} {
			who.want(403, "GET", s.api(what), "", nil)
		}
	}
	s.owner.want(200, "PATCH", s.api(""), `{"closed":true}`, nil)
	s.ann.want(200, "GET", s.api("/board"), "", nil)
}

// deletedBoard: a deleted board is not there for anybody but its owners.
func deletedBoard(t *testing.T) {
	s := setScene(t, server.Options{})
	var k struct{ Token string }
	s.owner.want(200, "POST", s.api("/tokens"), `{"name":"ci","scopes":["vote","read","export","import"]}`, &k)
	q := s.ask(s.ann)
	s.owner.want(200, "DELETE", s.api(""), "", nil)
	for _, who := range []*program{s.ann, s.program(t, k.Token), s.program(t, "")} {
		who.want(404, "GET", s.api(""), "", nil)
		who.want(404, "POST", s.api("/tell"), tellJSON(q, "left"), nil)
		who.want(404, "POST", s.api("/restore"), "", nil)
		who.want(404, "GET", s.api("/export"), "", nil)
	}
}

// TestDescribed: the description names what controls take, and no answer is of a type
// that it does not tell.
func TestDescribed(t *testing.T) {
	s := startSite(t, server.Options{})
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema json.RawMessage }
			}
		}
	}
	s.program(t, "").want(200, "GET", "/api/openapi.json", "", &doc)
	for path, methods := range doc.Paths {
		for method, o := range methods {
			for code, r := range o.Responses {
				for kind, c := range r.Content {
					if code[0] == '2' && (len(c.Schema) == 0 || bytes.Equal(c.Schema, []byte("{}"))) {
						t.Errorf("%s %s answers %s with %s that is not described", method, path, code, kind)
					}
				}
			}
		}
	}
	for _, want := range []string{"delete /api/boards/{board}", "post /api/boards/{board}/duplicate", "delete /api/boards/{board}/votes", "get /api/boards"} {
		method, path, _ := strings.Cut(want, " ")
		if _, ok := doc.Paths[path][method]; !ok {
			t.Errorf("%s is not described", want)
		}
	}
}
