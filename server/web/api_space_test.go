package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"palate/server"
	"palate/tune"
)

// TestSpaceAPI plays a board of a space by its JSON interface: the best point that it says is
// the one that a search says of the file it exports, and another board takes that file.
func TestSpaceAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	s := startSite(t, server.Options{Duty: 1})
	const text = `{"parameters": [{"name": "gain", "from": 0.1, "to": 10, "scale": "log"}, {"name": "mode", "choices": ["warm", "clear & cold"]}]}`
	make := func() (string, *program) {
		var made CreatedJSON
		s.program(t, "").want(201, "POST", "/api/boards", `{"title": "Hearing", "space": `+text+`, "seed": 4, "url_template": "https://ear.example/{mode}?gain={gain}"}`, &made)
		if made.Board.Settings.Goal != "optimum" || made.Board.Items != 2 {
			t.Errorf("made: %+v", made.Board)
		}
		return "/api/boards/" + made.Board.ID, s.program(t, made.Secret)
	}
	at, owner := make()
	for range 5 {
		var q QuestionJSON
		owner.want(200, "POST", at+"/ask", `{"voter": "ann"}`, &q)
		var left, right struct {
			Gain float64
			Mode string
		}
		for point, to := range map[*ItemJSON]any{q.Left: &left, q.Right: &right} {
			if err := json.Unmarshal(point.Point, to); err != nil {
				t.Fatal(err)
			}
		}
		u, err := url.Parse(q.Left.URL)
		if err != nil || u.Path != "/"+left.Mode || u.Query().Get("gain") != fmt.Sprint(left.Gain) {
			t.Errorf("%+v leads to %s", left, q.Left.URL)
		}
		outcome := "left"
		if right.Gain < left.Gain {
			outcome = "right"
		}
		owner.want(200, "POST", at+"/tell", fmt.Sprintf(`{"voter": "ann", "question": %q, "outcome": %q}`, q.Question, outcome), nil)
	}
	// Duels of one's own are for programs, and within the space.
	own := `{"voter": "bob", "key": "1", "outcome": "tie", "left_point": {"gain": 5, "mode": "warm"}, "right_point": {"gain": %s, "mode": "warm"}}`
	owner.want(200, "POST", at+"/tell", fmt.Sprintf(own, "6"), nil)
	if code, says := owner.do("POST", at+"/tell", fmt.Sprintf(own, "60")); code != 422 || !strings.Contains(says, "right: gain is 60, outside 0.1 to 10") {
		t.Errorf("%d %s", code, says)
	}
	s.program(t, "").want(403, "POST", at+"/tell", fmt.Sprintf(own, "7"), nil)

	fitted := func(at string, owner *program) (o OptimumJSON) {
		for range 1000 {
			owner.want(200, "GET", at+"/best", "", &o)
			if o.Standing != nil && o.Pending == 0 {
				return o
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("the board is not fitted")
		return o
	}
	best := fitted(at, owner)
	var anns OptimumJSON
	owner.want(200, "GET", at+"/best?voter=ann", "", &anns)
	if anns.Yours == nil || anns.Votes != 5 || anns.Standing == nil {
		t.Errorf("the best of ann: %+v", anns)
	}
	owner.want(404, "GET", at+"/best?voter=nobody+knows", "", nil)
	code, file := owner.do("GET", at+"/export?format=duels", "")
	if code != http.StatusOK {
		t.Fatal(code, file)
	}
	space, err := tune.ParseSpace(t.Context(), "", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := space.ReadLog("export", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	standing, err := tune.NewSearch(space, log).Standing(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(standing.Summary(space))
	if err != nil {
		t.Fatal(err)
	}
	var want tune.Summary
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*best.Standing, want) || len(best.Path) == 0 || !strings.HasPrefix(best.URL, "https://ear.example/") || best.Voters != 2 {
		t.Errorf("%+v\nof the export: %+v", best, want)
	}
	other, owner2 := make()
	owner2.want(200, "POST", other+"/import?name=ear.jsonl", file, nil)
	if got := fitted(other, owner2); !reflect.DeepEqual(got.Standing, best.Standing) {
		t.Errorf("after an import %+v, was %+v", got.Standing, best.Standing)
	}
	if code, says := owner2.do("POST", other+"/import?name=ear.jsonl", strings.Replace(file, "0.1 to 10", "0.2 to 10", 1)); code != 422 || !strings.Contains(says, "the space has changed since these duels") {
		t.Errorf("%d %s", code, says)
	}
	var about SpaceJSON
	owner.want(200, "GET", at+"/space", "", &about)
	if about.Seed != 4 || about.URLTemplate == "" || about.Space == nil {
		t.Errorf("%+v", about)
	}
	// What is not for strangers, and what a list of items has not.
	stranger := s.program(t, "")
	stranger.want(403, "GET", at+"/best", "", nil)
	stranger.want(403, "GET", at+"/space", "", nil)
	stranger.want(403, "GET", at+"/export?format=duels", "", nil)
	owner.want(422, "POST", at+"/items", `{"items": [{"body": "x"}]}`, nil)
	var list CreatedJSON
	stranger.want(201, "POST", "/api/boards", `{"items": [{"body": "a"}, {"body": "b"}]}`, &list)
	lister := s.program(t, list.Secret)
	lister.want(422, "GET", "/api/boards/"+list.Board.ID+"/best", "", nil)
	lister.want(404, "GET", "/api/boards/"+list.Board.ID+"/space", "", nil)
	lister.want(422, "GET", "/api/boards/"+list.Board.ID+"/export?format=duels", "", nil)
	stranger.want(201, "POST", "/api/boards", `{"space": "dose=14..22\nmilk=none|oat"}`, nil)
	stranger.want(422, "POST", "/api/boards", `{"title": "nothing"}`, nil)
}
