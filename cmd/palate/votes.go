package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"palate"
	"palate/feature"
	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/kernel"
	"palate/model"
)

// voteData are votes as they were read, with the features of their items.
type voteData struct {
	data        *palate.Dataset
	encoder     *feature.Encoder // nil without features
	userEncoder *feature.Encoder // nil without features of voters
	links       *kernel.Graph    // nil without links
	userLinks   *kernel.Graph    // nil without links between voters
	sided       bool             // left and right are sides on which items were shown
	kept        []string         // of every vote, the text of the column that the settings keep
	file        []int            // of every vote, the number of the file it was read from; nil: there is but one
	spool       *model.DiskVotes // the votes, in place of those of data; nil: they are in data
}

// votes goes through the votes, wherever they are.
func (v *voteData) votes() iter.Seq2[int, palate.Vote] {
	if v.spool != nil {
		return v.spool.Votes()
	}
	return v.data.Votes()
}

// counts returns how many votes there are, and how many of them are skips.
func (v *voteData) counts() (votes, skips int) {
	if v.spool == nil {
		return v.data.NumVotes(), v.data.Count(palate.Skip)
	}
	for _, vote := range v.spool.Votes() {
		votes++
		if vote.Outcome == palate.Skip {
			skips++
		}
	}
	return votes, skips
}

// close gives the disk back that votes were kept on.
func (v *voteData) close() {
	if v.spool != nil {
		v.spool.Close()
	}
}

// votesIn does what readVotes does with files that can hold nothing but votes.
func votesIn(ctx context.Context, paths []string, s *settings, c *cli.Console) (*voteData, error) {
	var files []*input
	for _, path := range paths {
		in, err := open(ctx, path)
		if err != nil {
			return nil, err
		}
		defer in.close()
		if in.isModel() && checkModel(in.file, in.size) == nil {
			return nil, fmt.Errorf("%s: this is a model, and votes are needed: name the file that it was fitted to", path)
		}
		files = append(files, in)
	}
	if err := distinct(files); err != nil {
		return nil, err
	}
	return readVotes(ctx, files, s, c)
}

// distinct refuses a file that is given twice, whose votes would count twice.
func distinct(files []*input) error {
	var before []fs.FileInfo
	for _, in := range files {
		info, err := in.file.Stat()
		if err != nil {
			return fmt.Errorf("%s: cannot read: %w", in.path, cli.Reason(err))
		}
		for k, other := range before {
			if os.SameFile(info, other) {
				return cli.Usage("%s and %s are one file: its votes would count twice", files[k].path, in.path)
			}
		}
		before = append(before, info)
	}
	return nil
}

// readVotes reads files of votes, and the tables and links that the settings name, until ctx ends.
func readVotes(ctx context.Context, files []*input, s *settings, c *cli.Console) (*voteData, error) {
	v := &voteData{sided: true}
	o, err := s.reading.options(ctx)
	if err != nil {
		return nil, err
	}
	if err = s.pairing.set(&o); err != nil {
		return nil, err
	}
	if err = s.together(); err != nil {
		return nil, err
	}
	o.SkipBad, o.Seed, o.Profiles = s.skipBad, s.seed, &ingest.Table{}
	o.Rated = readsRatings(s.model)
	ofVoters, err := s.voterTable(ctx)
	if err != nil {
		return nil, err
	}
	properties, err := ingest.NewProperties(s.context)
	if err != nil {
		return nil, cli.Usage("--context: %w", err)
	}
	o.Keep = properties.Columns()
	at := func(column string) int { // where it is kept; −1: nowhere
		if column == "" {
			return -1
		}
		o.Keep = append(o.Keep, column)
		return len(o.Keep) - 1
	}
	unit, by := at(s.unit), at(s.keep)
	var per []int
	if ofVoters == nil {
		for _, column := range s.per {
			per = append(per, at(column))
		}
	}
	if s.onDisk != "" {
		if v.spool, err = model.NewDiskVotes(s.onDisk); err != nil {
			return nil, err
		}
		o.Sink = v.spool.Add
	}
	c.Plan("reading", len(files))
	b := palate.NewBuilder()
	var units, categories []string
	var reports []ingest.Report
	for number, in := range files {
		o.Size = in.size
		report, err := ingest.Votes(ctx, in.path, c.Reading(in.name(), in, in.size), b, o)
		c.Clear()
		if err != nil {
			return nil, formless(advised(err, report, s.skipBad, "mend the row"), report)
		}
		noteBad(c, report)
		s.reading.noteRankings(c, report)
		reports = append(reports, report)
		if len(s.context) > 0 {
			if err := properties.Add(report, report.Kept); err != nil {
				return nil, err
			}
		}
		if unit >= 0 {
			units = append(units, report.Kept[unit]...)
		}
		if len(per) > 0 {
			categories = append(categories, combined(report.Kept, per)...)
		}
		if by >= 0 {
			v.kept = append(v.kept, report.Kept[by]...)
		}
		for len(files) > 1 && len(v.file) < b.NumVotes() {
			v.file = append(v.file, number)
		}
		v.sided = v.sided && report.Sided
	}
	if err := oneScale(reports, s.scale.scale != nil); err != nil && o.Rated {
		return nil, err
	}
	if items, users := b.SortNames(); v.spool != nil {
		v.spool.Renumber(items, users)
	}
	if err = v.encode(ctx, s, o.Profiles, ofVoters == nil, b); err != nil {
		return nil, err
	}
	edges, err := s.edges(ctx, b, s.newItems, s.skipBad, c)
	if err != nil {
		return nil, err
	}
	voters, err := s.voterEdges(ctx, b, c)
	if err != nil {
		return nil, err
	}
	if v.data, err = b.Build(); err != nil {
		return nil, err
	}
	if ofVoters != nil {
		if categories, err = perVoterColumn(v.data, ofVoters, s.per); err != nil {
			return nil, err
		}
	}
	v.categorise(categories, s.per, c)
	if s.unit != "" {
		v.data = v.data.WithUnits(units)
	}
	if len(s.context) > 0 {
		if err := v.describe(properties, s.skipBad, c); err != nil {
			return nil, err
		}
	}
	if v.data.ItemFeatures() == nil && s.idle != nil {
		return nil, s.idle
	}
	if s.links != "" {
		if v.links, err = kernel.NewGraph(v.data.NumItems(), edges); err != nil {
			return nil, err
		}
	}
	if s.userLinks != "" {
		if v.userLinks, err = kernel.NewGraph(v.data.NumUsers(), voters); err != nil {
			return nil, err
		}
	}
	for _, vote := range v.votes() {
		if vote.Outcome != palate.Skip {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s: nothing to learn from: every vote is a skip", files[0].name())
}

// encode makes features of the tables of items and, where it is asked for, of voters; profiles
// are items that votes themselves describe.
func (v *voteData) encode(ctx context.Context, s *settings, profiles *ingest.Table, users bool, b *palate.Builder) (err error) {
	if len(profiles.IDs) > 0 {
		if s.items != "" {
			return fmt.Errorf("--items has no place: %s describes its items itself", profiles.File)
		}
		if v.encoder, err = feature.TableItems(ctx, profiles, b, feature.Options{}); err != nil {
			return err
		}
	}
	if s.items != "" {
		t, err := itemTable(ctx, s.items, s.vectors)
		if err != nil {
			return err
		}
		if v.encoder, err = feature.TableItems(ctx, t, b, feature.Options{KnownOnly: !s.newItems}); err != nil {
			if errors.Is(err, feature.ErrNoVote) {
				err = fmt.Errorf("%w; to place such items by their features, add --new-items", err)
			}
			return err
		}
		if v.encoder.Width() == 0 {
			v.encoder = nil
		}
	}
	if s.users == "" || !users {
		return nil
	}
	in, err := open(ctx, s.users)
	if err != nil {
		return err
	}
	defer in.close()
	v.userEncoder, err = feature.Users(ctx, in.path, in, b, feature.Options{})
	return err
}

// categorise puts the categories of votes, by the columns per, in the place of voters.
func (v *voteData) categorise(categories, per []string, c *cli.Console) {
	if len(per) == 0 {
		return
	}
	v.data = v.data.WithUsers(categories)
	none := 0
	for _, of := range categories {
		if of == "" {
			none++
		}
	}
	if none > 0 {
		c.Note("%s: they count for all categories together, and for none of them", wording.Plural(none, "vote")+" without "+strings.Join(per, " and "))
	}
}

// combined are the categories of votes by several columns; empty where one of them is.
func combined(kept [][]string, columns []int) []string {
	of := make([]string, len(kept[columns[0]]))
	for k := range of {
		var values []string
		for _, column := range columns {
			values = append(values, kept[column][k])
		}
		if !slices.Contains(values, "") {
			of[k] = strings.Join(values, " / ")
		}
	}
	return of
}

// describe tells votes what is known of them; those of which it is bad are left out, or
// the first is an error.
func (v *voteData) describe(p *ingest.Properties, skipBad bool, c *cli.Console) error {
	all, bad, err := p.All()
	if err != nil {
		return err
	}
	v.data = v.data.WithProperties(all)
	if len(bad) == 0 {
		return nil
	}
	var good []int
	var kept []string
	var file []int
	var first *ingest.Error
	for k := range v.data.NumVotes() {
		switch {
		case bad[k] == nil:
			good = append(good, k)
			if v.file != nil {
				file = append(file, v.file[k])
			}
			if v.kept != nil {
				kept = append(kept, v.kept[k])
			}
		case first == nil:
			first = bad[k]
		}
	}
	if !skipBad {
		return fmt.Errorf("%w; mend the row, leave bad rows out with --skip-bad, or take all values as words with --context category:COLUMN", first)
	}
	c.Note("%d of %d votes are bad and were left out; the first: %v", len(bad), v.data.NumVotes(), first)
	v.data, v.kept, v.file = v.data.Select(good), kept, file
	return nil
}

// itemTable reads a table of items, and the vectors that go with its rows.
func itemTable(ctx context.Context, items, vectors string) (*ingest.Table, error) {
	t, err := readTable(ctx, items)
	if err != nil || vectors == "" {
		return t, err
	}
	rows, err := open(ctx, vectors)
	if err != nil {
		return nil, err
	}
	defer rows.close()
	return t, t.AddVectors(ctx, "vectors", rows.path, rows)
}

// advised adds to a complaint about a row how to go on.
func advised(err error, r ingest.Report, skipBad bool, advice string) error {
	var e *ingest.Error
	if !skipBad && errors.As(err, &e) && r.Rows > 0 && e.Line > 0 && e.Err == nil {
		return fmt.Errorf("%w; %s, or leave bad rows out with --skip-bad", err, advice)
	}
	return err
}

// formless adds to a complaint about a header where to look.
func formless(err error, r ingest.Report) error {
	var e *ingest.Error
	if errors.As(err, &e) && r.Form == "" && e.Line > 0 && e.Err == nil {
		return fmt.Errorf("%w (palate help formats lists all forms)", err)
	}
	return err
}

func noteBad(c *cli.Console, r ingest.Report) {
	if r.Unmet > 0 {
		c.Note("%s: read %d of %d rows, as --where has it", r.File, r.Rows-r.Unmet, r.Rows)
	}
	for _, says := range r.Unseen {
		c.Note("%s: %s", r.File, says)
	}
	if r.Bad > 0 {
		c.Note("%d of %d rows are bad and were left out; the first: %v", r.Bad, r.Rows, r.Examples[0])
	}
	if r.Sampled > 0 {
		c.Note("%d long rankings, or voters with many ratings, stand for some of their pairs only", r.Sampled)
	}
}
