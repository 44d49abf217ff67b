package web

import (
	"cmp"
	"encoding/json"
	"time"

	"palate/server"
	"palate/store"
)

// The types of this file are the JSON interface's.

// ItemJSON is an item to vote on.
type ItemJSON struct {
	ID       string             `json:"id,omitempty" doc:"What files call it, unique on the board; made from the text when left out." maxLength:"300"`
	Kind     string             `json:"kind,omitempty" enum:"text,markdown,image,link" doc:"What it shows; text when left out."`
	Body     string             `json:"body,omitempty" doc:"The text, or what to say in place of a picture."`
	URL      string             `json:"url,omitempty" doc:"Where a link leads."`
	Image    []byte             `json:"image,omitempty" doc:"A PNG, JPEG, GIF or WebP file, in base 64."`
	Media    string             `json:"media,omitempty" readOnly:"true" doc:"Where the picture is."`
	Features map[string]float64 `json:"features,omitempty" doc:"Numbers by name, the same names for all items."`
	Excluded string             `json:"excluded,omitempty" readOnly:"true" doc:"Why the item is out."`
	Point    json.RawMessage    `json:"point,omitempty" readOnly:"true" doc:"On a board of a space, the values of the parameters."`
}

func (f *Front) itemJSON(b store.Board, i store.Item) ItemJSON {
	j := ItemJSON{ID: i.ID, Kind: string(i.Kind), Body: i.Body, URL: i.URL, Excluded: i.Excluded}
	if i.Media != "" {
		j.Media = f.At("/b/" + i.Board + "/media/" + i.Media)
	}
	for k, x := range i.Features {
		if j.Features == nil {
			j.Features = map[string]float64{}
		}
		j.Features[b.Features[k]] = x
	}
	return j
}

// shownJSON is an item as a voter is to see it: features of a text are a page of
// numbers.
func (f *Front) shownJSON(b store.Board, i store.Item) ItemJSON {
	i.Features = nil
	return f.itemJSON(b, i)
}

func newItem(j ItemJSON) server.NewItem {
	return server.NewItem{ID: j.ID, Kind: store.ItemKind(j.Kind), Body: j.Body, URL: j.URL, Image: j.Image, Features: j.Features}
}

// SettingsJSON say what is asked.
type SettingsJSON struct {
	Goal    string  `json:"goal,omitempty" doc:"ranking, top-first, best, top-K, personal or coverage; optimum of a board of a space."`
	Explore float64 `json:"explore,omitempty" doc:"Share of random pairs; 0.1 when left out, none when negative."`
	Novice  int     `json:"novice,omitempty" minimum:"0" doc:"Number of a voter's first votes that are spared near-ties."`
	Level   float64 `json:"level,omitempty" doc:"Certainty at which the goal counts as settled; 0.95 when left out."`
	Ask     string  `json:"ask,omitempty" enum:"pairs,choice,best-worst,ranking" doc:"How voters are asked: which of two, which of several, which is the best and which the worst, in which order; pairs when left out."`
	Size    int     `json:"size,omitempty" minimum:"3" maximum:"8" doc:"How many items at a time, unless in pairs; 4 when left out."`
	Over    string  `json:"over,omitempty" enum:"hour,day,week,month,quarter,year" doc:"From one to the next of which utilities may move: the leaderboard is as of now. They stay when left out."`
}

func (s SettingsJSON) settings() store.Settings {
	ask := store.Way(s.Ask)
	if s.Ask == pairs {
		ask = store.Pairs
	}
	return store.Settings{Goal: s.Goal, Explore: s.Explore, Novice: s.Novice, Level: s.Level, Ask: ask, Size: s.Size, Over: s.Over}
}

func settingsJSON(s store.Settings) SettingsJSON {
	return SettingsJSON{Goal: s.Goal, Explore: s.Explore, Novice: s.Novice, Level: s.Level, Ask: wayJSON(s.Ask), Size: s.Size, Over: s.Over}
}

// pairs is what the interface calls store.Pairs.
const pairs = "pairs"

func wayJSON(w store.Way) string { return cmp.Or(string(w), pairs) }

// RulesJSON say what voters may do, and until when.
type RulesJSON struct {
	Quota       int       `json:"quota,omitempty" minimum:"0" maximum:"1000000" doc:"How many votes of one voter may stand; 0: any number."`
	Closes      time.Time `json:"closes,omitzero" doc:"When the board takes no more votes."`
	WhenSettled bool      `json:"when_settled,omitempty" doc:"Close it once its goal is settled."`
	Hidden      bool      `json:"hidden,omitempty" doc:"Keep rankings from voters until it is closed."`
	Comments    bool      `json:"comments,omitempty" doc:"Voters may say why."`
	Proposals   bool      `json:"proposals,omitempty" doc:"Voters may propose items."`
}

func (r RulesJSON) rules() store.Rules {
	return store.Rules{Quota: r.Quota, Closes: r.Closes, WhenSettled: r.WhenSettled, Hidden: r.Hidden, Comments: r.Comments, Proposals: r.Proposals}
}

// CreateJSON is what a board is made from.
type CreateJSON struct {
	Title    string       `json:"title,omitempty" maxLength:"200"`
	Question string       `json:"question,omitempty" maxLength:"500"`
	Access   string       `json:"access,omitempty" enum:"open,private,sso" doc:"How voters come in; open when left out."`
	Public   bool         `json:"public,omitempty" doc:"Whether the leaderboard may be seen without voting."`
	Settings SettingsJSON `json:"settings,omitempty"`
	Password string       `json:"password,omitempty" doc:"The owner's, beside the secret."`
	Items    []ItemJSON   `json:"items,omitempty" doc:"Two at least; none with a space."`
	// Of a board that searches a space.
	Space        json.RawMessage `json:"space,omitempty" doc:"A space of parameters in place of items, as palate tune reads it: an object, or a text of lines such as dose=14..22."`
	URLTemplate  string          `json:"url_template,omitempty" maxLength:"2000" doc:"Where a point leads: an address, in whose path and query {gain} stands for the value of gain."`
	TextTemplate string          `json:"text_template,omitempty" maxLength:"2000" doc:"What voters see of a point, as Gain {gain}; its values when left out."`
	Seed         uint64          `json:"seed,omitempty" doc:"Of the questions of a space."`
}

// CreatedJSON is a new board.
type CreatedJSON struct {
	Board  BoardJSON `json:"board"`
	Secret string    `json:"secret" doc:"Makes its holder the owner; it is shown only here. As a token: Authorization: Bearer SECRET."`
	Vote   string    `json:"vote" doc:"The link for voters."`
	Owner  string    `json:"owner" doc:"The owner's link."`
}

// BoardJSON describes a board.
type BoardJSON struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Question string       `json:"question"`
	Access   string       `json:"access"`
	Closed   bool         `json:"closed"`
	Public   bool         `json:"public"`
	Settings SettingsJSON `json:"settings"`
	Rules    RulesJSON    `json:"rules"`
	Deleted  time.Time    `json:"deleted,omitzero" doc:"When its owner deleted it; a day later it is gone."`
	Items    int          `json:"items"`
	Created  time.Time    `json:"created"`
}

func boardJSON(b store.Board, items int) BoardJSON {
	return BoardJSON{
		ID: b.ID, Title: b.Title, Question: b.Question, Access: string(b.Access), Closed: b.Closed, Public: b.Public,
		Settings: settingsJSON(b.Settings), Items: items, Created: b.Created, Deleted: b.Rules.Deleted,
		Rules: RulesJSON{b.Rules.Quota, b.Rules.Closes, b.Rules.WhenSettled, b.Rules.Hidden, b.Rules.Comments, b.Rules.Proposals},
	}
}

// VoterJSON names a voter, where a program acts for several.
type VoterJSON struct {
	Voter string `json:"voter,omitempty" maxLength:"200" doc:"Whom a token with the scope vote acts for, by any name; a new name is a new voter."`
}

// QuestionJSON is a pair, or several items, to ask about.
type QuestionJSON struct {
	Question   string     `json:"question" doc:"To be told back with the answer."`
	Ask        string     `json:"ask" enum:"pairs,choice,best-worst,ranking" doc:"What is asked, see the settings of a board."`
	Left       *ItemJSON  `json:"left,omitempty" doc:"Of a pair."`
	Right      *ItemJSON  `json:"right,omitempty" doc:"Of a pair."`
	Items      []ItemJSON `json:"items,omitempty" doc:"Unless it is a pair, in the order in which to show them."`
	Policy     string     `json:"policy"`
	Propensity float64    `json:"propensity" doc:"Probability with which this pair was chosen, or the one that a set was begun with."`
	Votes      int        `json:"votes" doc:"That the voter has cast."`
	Pairs      int        `json:"pairs" doc:"That the voter has not seen together yet."`
}

// questionJSON is a question as a program is asked it.
func (f *Front) questionJSON(b store.Board, q server.Question) QuestionJSON {
	j := QuestionJSON{Question: q.Token, Ask: wayJSON(q.Way), Policy: q.Policy, Propensity: q.Propensity, Votes: q.Votes, Pairs: q.Pairs}
	if q.Way == store.Pairs {
		left, right := f.shownJSON(b, q.Left), f.shownJSON(b, q.Right)
		j.Left, j.Right = &left, &right
	}
	for _, i := range q.Items {
		j.Items = append(j.Items, f.shownJSON(b, i))
	}
	return j
}

// AnswerJSON is what a voter says to a question, or, without one, about two items or several.
type AnswerJSON struct {
	Voter    string `json:"voter,omitempty" maxLength:"200"`
	Question string `json:"question,omitempty" maxLength:"2000"`
	Left     string `json:"left,omitempty"`
	Right    string `json:"right,omitempty"`
	// Points of a board of a space.
	LeftPoint  json.RawMessage `json:"left_point,omitempty" doc:"On a board of a space, in place of left: the values of the parameters."`
	RightPoint json.RawMessage `json:"right_point,omitempty"`
	Key        string          `json:"key,omitempty" maxLength:"100" doc:"Without a question: the client's own, so that telling it twice counts once."`
	Outcome    string          `json:"outcome,omitempty" enum:"left,right,tie,skip" doc:"Of a pair; of several items skip, or nothing."`
	Best       string          `json:"best,omitempty" maxLength:"300" doc:"Of a choice, and of best and worst."`
	Worst      string          `json:"worst,omitempty" maxLength:"300" doc:"Of best and worst."`
	Order      []string        `json:"order,omitempty" maxItems:"50" doc:"Of a ranking: all items, the best first."`
	Items      []string        `json:"items,omitempty" maxItems:"50" doc:"Without a question: all items that were shown, of which a ranking names all anyway."`
	Reason     string          `json:"reason,omitempty" maxLength:"500"`
	Comment    string          `json:"comment,omitempty" maxLength:"2000" doc:"Why, where the board takes comments."`
	Seconds    float64         `json:"seconds,omitempty" minimum:"0" maximum:"86400" doc:"From showing the pair to the answer."`
}

// ReceiptJSON says what became of an answer.
type ReceiptJSON struct {
	Seq   int64 `json:"seq"`
	Fresh bool  `json:"fresh" doc:"False: this had been told before, and counts once."`
	Votes int   `json:"votes" doc:"Of the voter, now."`
}

// LeaderboardJSON is a ranking.
type LeaderboardJSON struct {
	Rows    []RowJSON `json:"rows"`
	Found   int       `json:"found" doc:"Rows that there are, whatever offset and limit."`
	Votes   int       `json:"votes"`
	Skips   int       `json:"skips"`
	Voters  int       `json:"voters"`
	Seq     int64     `json:"seq" doc:"The last vote that the board knows of."`
	Fitted  time.Time `json:"fitted,omitzero" doc:"When the last refit ended; left out when there was none yet."`
	Pending int       `json:"pending" doc:"Votes folded in since."`
	Until   time.Time `json:"until,omitzero" doc:"Up to when votes are in a voter's or a group's ranking; a voter's own are all in."`
	Waiting bool      `json:"waiting,omitempty" doc:"A voter's or a group's ranking is still being learnt; until it is there, this is everybody's."`
	Level   float64   `json:"level"`
	Top     int       `json:"top"`
	Settled float64   `json:"settled" doc:"How sure the goal is, from 0 to 1."`
	Done    bool      `json:"done"`
	Says    string    `json:"says"`
	Goal    string    `json:"goal"`
	AsOf    string    `json:"as_of,omitempty" doc:"The period that the ranking is of, where utilities move."`
	ESS     float64   `json:"ess"`
	Mended  bool      `json:"mended"`
	Coins   float64   `json:"coins" doc:"Probability that votes tell no more than coins: ranks, tiers and chances weigh it in; scores are those of items that differ."`
}

// RowJSON is one item on a leaderboard, in the words of `palate rank --json`.
type RowJSON struct {
	Rank        int     `json:"rank"`
	Item        string  `json:"item"`
	Score       float64 `json:"score"`
	SD          float64 `json:"sd"`
	Lo          float64 `json:"lo"`
	Hi          float64 `json:"hi"`
	RankLo      int     `json:"rank_lo"`
	RankHi      int     `json:"rank_hi"`
	PBest       float64 `json:"p_best"`
	PTop        float64 `json:"p_top"`
	Tier        int     `json:"tier"`
	Votes       float64 `json:"votes"`
	Provisional bool    `json:"provisional,omitempty"`
}

// leaderboardJSON is some rows of a leaderboard: those that have a text in their name, from
// one on, and all when limit is 0.
func leaderboardJSON(b *server.Leaderboard, find string, offset, limit int) LeaderboardJSON {
	rows := server.Search(b.Rows(), find)
	found := len(rows)
	rows = rows[min(offset, found):]
	if limit > 0 {
		rows = rows[:min(limit, len(rows))]
	}
	j := LeaderboardJSON{
		Found: found, Votes: b.Votes, Skips: b.Skips, Voters: b.Voters, Seq: b.Seq, Fitted: b.Fitted, Pending: b.Pending, Until: b.Until, Waiting: b.Waiting, Level: b.Level, Top: b.Top,
		Settled: b.Progress.Settled, Done: b.Progress.Done, Says: b.Progress.Says, Goal: b.Progress.Goal, AsOf: b.AsOf, ESS: b.ESS, Mended: b.Mended, Coins: b.Coins,
	}
	for _, r := range rows {
		j.Rows = append(j.Rows, RowJSON{r.Rank, r.ID, r.Score, r.SD, r.Lo, r.Hi, r.RankLo, r.RankHi, r.PBest, r.PTop, r.Tier, r.Votes, b.Provisional[r.Item]})
	}
	return j
}

// RecordJSON is one vote of a voter.
type RecordJSON struct {
	Seq      int64      `json:"seq"`
	Left     string     `json:"left"`
	Right    string     `json:"right"`
	Outcome  string     `json:"outcome"`
	Ask      string     `json:"ask,omitempty" doc:"How several items were asked about; of these left, right and outcome say nothing, but for a skip."`
	Items    []string   `json:"items,omitempty" doc:"Several items, as they were shown."`
	Places   [][]string `json:"places,omitempty" doc:"Where they were put, the best first; those of one place are not ordered."`
	Reason   string     `json:"reason,omitempty"`
	Undone   bool       `json:"undone,omitempty"`
	Replaced bool       `json:"replaced,omitempty" doc:"By a later answer about the same items."`
	Time     time.Time  `json:"time"`
}

// ImportJSON is a file of votes on its way into a board.
type ImportJSON struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state" enum:"receiving,running,done,failed,cancelled"`
	Rows  int    `json:"rows" doc:"Votes of the file, once it is read."`
	Done  int    `json:"done" doc:"Votes gone through."`
	Added int    `json:"added" doc:"Of those, the ones that were not there before; they stay when it is cancelled."`
	Bad   int    `json:"bad" doc:"Rows passed over."`
	Says  string `json:"says,omitempty" doc:"Why it failed, or the first bad row."`
}

func importJSON(i store.Import) ImportJSON {
	return ImportJSON{i.ID, i.Name, string(i.State), i.Rows, i.Done, i.Added, i.Bad, i.Says}
}
