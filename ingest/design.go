package ingest

import (
	"context"
	"fmt"
	"io"

	"palate/internal/wording"
)

// Design says which items the tasks of a survey showed, version by version.
type Design struct {
	file     string
	sets     map[[2]string][][]byte // by version and task; of version 0 for all
	versions map[string]bool
}

// ReadDesign reads a design, a task a row: version, if there are several, task, which may be called set, and the items,
// item1,item2,… or as a list.
func ReadDesign(ctx context.Context, name string, r io.Reader) (*Design, error) {
	src, err := newSource(ctx, name, r, 0)
	if err != nil {
		return nil, err
	}
	version, task, set := wording.Find(src.header, versionColumns()...), wording.Find(src.header, taskColumns()...), shownSet(src.header)
	if task < 0 || set == nil {
		why := wording.NoColumns(src.header, []string{"task", "item1", "item2"}) + "; a design has version,task,item1,item2,…"
		return nil, &Error{File: name, Line: src.headerLine, Reason: why}
	}
	w := &ballots{file: name, header: src.header}
	needs := (&layout{use: append([]int{task}, set.at...), deep: set.deep(), user: version, weight: -1, time: -1, ballot: -1}).needs(len(src.header))
	rows, d := src.rows(needs), &Design{name, map[[2]string][][]byte{}, map[string]bool{}}
	var blk block
	for {
		if blk, err = src.next(blk, false); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		var rec record
		for rows.reset(blk); rows.next(&rec); {
			if rec.bad != nil {
				return nil, rec.bad.at(name, rec.line)
			}
			key := [2]string{1: string(rec.fields[task])}
			if version >= 0 {
				key[0] = string(rec.fields[version])
			}
			items, bad := set.read(w, &rec)
			switch {
			case bad != nil:
			case key[1] == "":
				bad = w.fault(task, "is empty")
			case d.sets[key] != nil:
				bad = w.fault(task, fmt.Sprintf("a second task %s%s", key[1], ofVersion(key[0])))
			}
			if bad != nil {
				return nil, bad.at(name, rec.line)
			}
			for _, id := range items {
				d.sets[key] = append(d.sets[key], []byte(string(id)))
			}
			d.versions[key[0]] = true
		}
	}
	if len(d.sets) == 0 {
		return nil, &Error{File: name, Reason: "no tasks: there is nothing after the header"}
	}
	return d, nil
}

// versionColumns are names of the column of the version of a design that a respondent was given.
func versionColumns() []string { return []string{"version", "design_version", "block"} }

// set returns the items of a task, or says why there are none.
func (d *Design) set(version, task string) ([][]byte, string) {
	if version == "" && len(d.versions) == 1 {
		for version = range d.versions {
		}
	}
	items := d.sets[[2]string{version, task}]
	if items == nil {
		items = d.sets[[2]string{"0", task}]
	}
	if items == nil {
		return nil, fmt.Sprintf("%s has no task %s%s", wording.File(d.file), task, ofVersion(version))
	}
	return items, ""
}

func ofVersion(version string) string {
	if version == "" {
		return ""
	}
	return " of version " + version
}
