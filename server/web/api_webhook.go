package web

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palate/store"
)

// WebhookJSON is where a board tells what happens on it.
type WebhookJSON struct {
	ID     string    `json:"id"`
	URL    string    `json:"url"`
	Events []string  `json:"events"`
	Secret string    `json:"secret,omitempty" doc:"Signs what is told; shown once."`
	Vote   int64     `json:"vote" doc:"The last vote that was told."`
	Tries  int       `json:"tries" doc:"Failures since the last success."`
	Next   time.Time `json:"next,omitzero" doc:"When it is tried again."`
	Says   string    `json:"says,omitempty" doc:"Why it failed."`
}

func webhookJSON(w store.Webhook) WebhookJSON {
	j := WebhookJSON{ID: w.ID, URL: w.URL, Events: w.Events, Vote: w.Vote, Tries: w.Tries, Says: w.Says}
	if w.Tries > 0 {
		j.Next = w.Next
	}
	return j
}

// webhookAPI has boards tell what happens on them.
func (f *Front) webhookAPI(api huma.API) {
	type newWebhook struct {
		OfBoard
		Body struct {
			URL    string   `json:"url" maxLength:"2000"`
			Events []string `json:"events,omitempty" doc:"vote, settled, closed; all when left out."`
		}
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/webhooks", "new-webhook", "Tell another machine what happens on the board", func(ctx context.Context, who caller, in *newWebhook) (WebhookJSON, error) {
		w, err := f.svc.AddWebhook(ctx, in.Board, who.Actor, in.Body.URL, in.Body.Events)
		j := webhookJSON(w)
		j.Secret = string(w.Secret)
		return j, err
	}, needs(head), func(o *huma.Operation) { o.DefaultStatus = http.StatusCreated })

	op(f, api, http.MethodGet, "/api/boards/{board}/webhooks", "webhooks", "The board's webhooks, and how they do", func(ctx context.Context, _ caller, in *OfBoard) ([]WebhookJSON, error) {
		hooks, err := f.svc.Webhooks(ctx, in.Board)
		return each(hooks, webhookJSON), err
	}, needs(head))

	op(f, api, http.MethodDelete, "/api/boards/{board}/webhooks/{id}", "drop-webhook", "End a webhook", func(ctx context.Context, who caller, in *OfPart) (done, error) {
		return done{true}, f.svc.DropWebhook(ctx, in.Board, who.Actor, in.ID)
	}, needs(head))
}
