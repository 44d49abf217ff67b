package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"palate"
	"palate/store"
)

// DefaultQuestion is what voters are asked when the owner says nothing else. Pages may
// ask it in the voter's language.
const DefaultQuestion = "Which is better?"

// NewBoard is what a board is made from.
type NewBoard struct {
	Title    string
	Question string // empty: DefaultQuestion
	Access   store.Access
	Public   bool
	Settings store.Settings // zero fields stand for the defaults; Explore < 0: none
	Password string         // of the owner, beside the secret link; may be empty
	Items    []NewItem
	Space    *store.Space // in place of items: what they are to be points of
}

// NewItem is what an item is made from.
type NewItem struct {
	ID   string         // empty: the first line of Body, as far as it is unique
	Kind store.ItemKind // empty: text, or image when there is one
	Body string
	URL  string // of a link
	// Image is a PNG, JPEG, GIF or WebP file; it is decoded and encoded anew.
	Image []byte
	// Features are numbers by name; all items of a board have the same names.
	Features map[string]float64
}

// Created is a new board, with the secret that makes its owner, shown once.
type Created struct {
	Board  store.Board
	Secret string
}

// Create makes a board.
func (s *Service) Create(ctx context.Context, n NewBoard) (Created, error) {
	set, err := withDefaults(n.Settings)
	if err != nil {
		return Created{}, err
	}
	b := store.Board{
		ID: token(8), Title: strings.TrimSpace(n.Title), Question: strings.TrimSpace(n.Question), Access: n.Access,
		Public: n.Public, Settings: set, Created: now(),
	}
	b.Title = cmp.Or(b.Title, "Board")
	b.Question = cmp.Or(b.Question, DefaultQuestion)
	b.Access = cmp.Or(b.Access, store.Open)
	if err := cmp.Or(in("title", checkText("the title", b.Title, maxTitle)), in("question", checkText("the question", b.Question, maxPrompt))); err != nil {
		return Created{}, err
	}
	switch {
	case b.Access != store.Open && b.Access != store.Private && b.Access != store.SSO:
		return Created{}, invalid("access %q is not one of open, private and sso", b.Access)
	case b.Access == store.SSO && s.options.SSO == nil:
		return Created{}, invalid("the server has no identity provider")
	case n.Space != nil && len(n.Items) > 0:
		return Created{}, in("items", invalid("items, or a space of parameters to make them of: give either"))
	case n.Space != nil && (set.Ask != store.Pairs || set.Over != ""):
		return Created{}, invalid("a board of a space asks in pairs, and what points are worth stays")
	case n.Space == nil && len(n.Items) < 2:
		return Created{}, in("items", invalid("it takes two items to compare"))
	}
	if n.Space != nil {
		space, first, err := s.newSpace(ctx, n.Space)
		if err != nil {
			return Created{}, in("space", err)
		}
		about := *n.Space
		b.Space, n.Items, b.Settings.Goal = &about, pointItems(space, &about, nil, first), optimumGoal
		for _, p := range space.Parameters {
			b.Features = append(b.Features, p.Name)
		}
	} else if len(n.Items[0].Features) > 0 {
		b.Features = slices.Sorted(maps.Keys(n.Items[0].Features))
	}
	if err := checkTexts("the name of a feature", maxFeature, b.Features...); err != nil {
		return Created{}, err
	}
	items, pictures, err := s.makeItems(ctx, b, nil, n.Items)
	if err != nil {
		return Created{}, in("items", err)
	}
	secret := token(20)
	b.OwnerHash = hashed(secret)
	if n.Password != "" {
		if b.Password, err = s.hashPassword(ctx, n.Password); err != nil {
			return Created{}, in("password", err)
		}
	}
	if err := s.putMedia(ctx, pictures); err != nil {
		return Created{}, err
	}
	if err := s.store.CreateBoard(ctx, b, items, store.Action{Actor: "owner", Verb: "create", Time: b.Created}); err != nil {
		return Created{}, err
	}
	s.log.Info("board created", "board", b.ID, "items", len(items), "access", b.Access)
	return Created{Board: b, Secret: secret}, nil
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func (s *Service) putMedia(ctx context.Context, pictures []store.Media) error {
	for _, m := range pictures {
		if err := s.store.PutMedia(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// AddItems adds items to a board.
func (s *Service) AddItems(ctx context.Context, board, actor string, items []NewItem) ([]store.Item, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.acting.Lock()
	defer l.acting.Unlock()
	l.mu.RLock()
	b, old := l.about, l.items
	l.mu.RUnlock()
	switch {
	case len(items) == 0:
		return nil, invalid("no items")
	case b.Space != nil:
		return nil, invalid("items of this board are points of its space, which are added as they are asked about or told of")
	}
	made, pictures, err := s.makeItems(ctx, b, old, items)
	if err != nil {
		return nil, err
	}
	if err := s.putMedia(ctx, pictures); err != nil {
		return nil, err
	}
	added, err := s.store.AddItems(ctx, board, made, store.Action{Actor: actor, Verb: addItems, Object: fmt.Sprint(len(made)), Time: now()})
	if errors.Is(err, store.ErrExists) {
		return nil, invalid("an item is there already: %v", err)
	}
	if err != nil {
		return nil, err
	}
	return added, s.renew(ctx, l)
}

// makeItems checks items, and gives those without an identifier one.
func (s *Service) makeItems(ctx context.Context, b store.Board, old []store.Item, items []NewItem) (made []store.Item, pictures []store.Media, err error) {
	if len(old)+len(items) > MaxItems {
		return nil, nil, invalid("%d items; a board has at most %d", len(old)+len(items), MaxItems)
	}
	if n := len(b.Features) * (len(old) + len(items)); n > MaxFeatures {
		return nil, nil, invalid("%d features of %d items; those of a board are at most %d in all", len(b.Features), len(old)+len(items), MaxFeatures)
	}
	names := names{}
	for _, i := range old {
		names[i.ID] = 1
	}
	for _, n := range items {
		if n.ID != "" {
			if names[n.ID] > 0 {
				return nil, nil, invalid("two items are named %q", n.ID)
			}
			names[n.ID] = 1
		}
	}
	for k, n := range items {
		i := store.Item{Board: b.ID, ID: n.ID, Kind: n.Kind, Body: n.Body, URL: n.URL, Created: now()}
		if i.ID == "" {
			i.ID = names.free(firstLine(n.Body, 60), len(old)+k+1)
		}
		i.Body = cmp.Or(i.Body, i.ID)
		if i.Kind == "" {
			i.Kind = store.Text
			if n.Image != nil {
				i.Kind = store.Image
			}
		}
		if err := checkItem(i); err != nil {
			return nil, nil, err
		}
		if i.Kind == store.Image {
			m, err := s.reencode(ctx, n.Image)
			if err != nil {
				return nil, nil, fmt.Errorf("%w: item %q", err, i.ID)
			}
			m.Board, i.Media = b.ID, m.Digest
			pictures = append(pictures, m)
		}
		if i.Features, err = row(b.Features, n.Features); err != nil {
			return nil, nil, fmt.Errorf("%w: item %q", err, i.ID)
		}
		if b.Space == nil { // whose points are seen between its bounds
			for j, x := range i.Features {
				if math.Abs(x) > maxNumber {
					return nil, nil, invalid("feature %q of item %q is %g; %g is the most", b.Features[j], i.ID, x, maxNumber)
				}
			}
		}
		made = append(made, i)
	}
	return made, pictures, nil
}

// maxNumber is the most that a feature is, up or down: products of features are numbers, too.
const maxNumber = 1e50

// names are the names that are taken, each with the number up to which it is.
type names map[string]int

// free takes a name that is not taken yet.
func (n names) free(name string, number int) string {
	if name == "" {
		name = fmt.Sprintf("item %d", number)
	}
	try := name
	for n[try] > 0 {
		n[name]++
		try = fmt.Sprintf("%s (%d)", name, n[name])
	}
	n[try] = 1
	return try
}

func checkItem(i store.Item) error {
	if err := cmp.Or(checkText("the name of an item", i.ID, maxItemName), checkText("the text of an item", i.Body, MaxText), checkText("the address of an item", i.URL, maxAddress)); err != nil {
		return fmt.Errorf("%w: item %.60q", err, i.ID)
	}
	if err := palate.CheckID(i.ID); err != nil {
		return invalid("item %q: %v", i.ID, err)
	}
	switch i.Kind {
	case store.Text, store.Markdown, store.Image:
		if i.URL != "" {
			return invalid("item %q: only links lead somewhere", i.ID)
		}
	case store.Link:
		u, err := url.Parse(i.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return invalid("item %q: %q is not an address that begins with http:// or https://", i.ID, i.URL)
		}
	default:
		return invalid("item %q: kind %q is not one of text, markdown, image and link", i.ID, i.Kind)
	}
	return nil
}

// row puts features in the order of their names.
func row(names []string, features map[string]float64) ([]float64, error) {
	if len(features) != len(names) {
		return nil, invalid("%d features; the board's items have %d", len(features), len(names))
	}
	var r []float64
	for _, name := range names {
		x, ok := features[name]
		if !ok || x != x || x-x != 0 {
			return nil, invalid("feature %q is missing, or not a number", name)
		}
		r = append(r, x)
	}
	return r, nil
}

// Duplicate makes another board of the same items that are in, settings and rules, but
// for its dates; without votes, voters and further owners.
func (s *Service) Duplicate(ctx context.Context, board string) (Created, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Created{}, err
	}
	l.mu.RLock()
	b, old := l.about, l.items
	l.mu.RUnlock()
	if b.Space != nil { // the points of its first question
		old = slices.Clone(old[:2])
		old[0].Excluded, old[1].Excluded = "", ""
	}
	b.ID, b.Created, b.Closed, b.Password = token(8), now(), false, ""
	b.Rules = store.Rules{Quota: b.Rules.Quota, WhenSettled: b.Rules.WhenSettled, Hidden: b.Rules.Hidden, Comments: b.Rules.Comments, Proposals: b.Rules.Proposals}
	secret := token(20)
	b.OwnerHash = hashed(secret)
	var items []store.Item
	for _, i := range old {
		if i.Excluded != "" {
			continue
		}
		if i.Media != "" {
			m, err := s.store.Media(ctx, board, i.Media)
			if err != nil {
				return Created{}, err
			}
			m.Board = b.ID
			if err := s.store.PutMedia(ctx, m); err != nil {
				return Created{}, err
			}
		}
		i.Board, i.Created = b.ID, b.Created
		items = append(items, i)
	}
	if len(items) < 2 {
		return Created{}, invalid("it takes two items to compare")
	}
	if err := s.store.CreateBoard(ctx, b, items, store.Action{Actor: "owner", Verb: "create", Object: board, Time: b.Created}); err != nil {
		return Created{}, err
	}
	s.log.Info("board duplicated", "board", b.ID, "of", board, "items", len(items))
	return Created{Board: b, Secret: secret}, nil
}
