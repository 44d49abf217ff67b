package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"palate"
)

// format says how one of the MovieLens archives writes its files.
type format struct {
	archive
	ratings   []string // names the file may have
	movies    string
	separator string   // of movies
	genres    []string // of the flags that end a row; nil: the last field names them
	title     int      // columns of movies
	date      int      // −1: none
}

func movieLens100K() format {
	const home = "https://grouplens.org/datasets/movielens/"
	return format{archive{"movielens-100k", "ml-100k", home}, []string{"u.data"}, "u.item", "|", genreNames(), 1, 2}
}

func movieLens1M() format {
	const home = "https://grouplens.org/datasets/movielens/"
	return format{archive{"movielens-1m", "ml-1m", home}, []string{"ratings.dat", "ratings.csv", "ratings.csv.gz"}, "movies.dat", "::", nil, 1, -1}
}

// genreNames are the genres in the order of their flags in u.item, as in u.genre.
func genreNames() []string {
	return []string{"unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
		"Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western"}
}

// LoadMovieLens100K reads the ratings of MovieLens 100K.
func LoadMovieLens100K(f Folder) (*Ratings, error) { return movieLens100K().load(f) }

// LoadMovieLens1M reads the ratings of MovieLens 1M.
func LoadMovieLens1M(f Folder) (*Ratings, error) { return movieLens1M().load(f) }

// opinion is what one user thinks of movies.
type opinion struct{ liked, disliked []int }

// load keeps users who have given both a 5 and a 1, and the movies to which they gave one. Users and items are in the
// order of their numbers, whatever that of the file.
func (m format) load(f Folder) (*Ratings, error) {
	opinions, err := m.opinions(f)
	if err != nil {
		return nil, err
	}
	var users []int
	index := map[int]int{} // of a movie's number among the items
	for u, o := range opinions {
		if len(o.liked) == 0 || len(o.disliked) == 0 {
			continue
		}
		users = append(users, u)
		for _, i := range slices.Concat(o.liked, o.disliked) {
			index[i] = 0
		}
	}
	slices.Sort(users)
	if len(users) == 0 {
		return nil, fmt.Errorf("paper: %s: nobody has given both a 5 and a 1", m.name)
	}
	movies := make([]int, 0, len(index))
	for i := range index {
		movies = append(movies, i)
	}
	slices.Sort(movies)
	r := &Ratings{}
	for k, i := range movies {
		index[i] = k
		r.Items = append(r.Items, strconv.Itoa(i))
	}
	renumber := func(movies []int) []int {
		items := make([]int, len(movies))
		for k, i := range movies {
			items[k] = index[i]
		}
		slices.Sort(items)
		return items
	}
	for _, u := range users {
		r.Users = append(r.Users, strconv.Itoa(u))
		r.Liked = append(r.Liked, renumber(opinions[u].liked))
		r.Disliked = append(r.Disliked, renumber(opinions[u].disliked))
	}
	r.ItemFeatures, err = m.features(f, movies)
	return r, err
}

// opinions reads the ratings 5 and 1 by user. u.data is separated by tabs, ratings.dat by "::", ratings.csv by
// commas and has a header.
func (m format) opinions(f Folder) (map[int]*opinion, error) {
	const most = 1 << 30
	t, err := f.open(m.archive, m.ratings...)
	if err != nil {
		return nil, err
	}
	defer t.close()
	separator, err := t.ratings()
	if err != nil {
		return nil, err
	}
	type rating struct{ user, movie int }
	seen := map[rating]bool{}
	all := map[int]*opinion{}
	for {
		ok, err := t.next(separator, 3)
		if err != nil {
			return nil, err
		}
		if !ok {
			return all, nil
		}
		var r rating
		if r.user, err = t.whole(0, "user", most); err != nil {
			return nil, err
		}
		if r.movie, err = t.whole(1, "movie", most); err != nil {
			return nil, err
		}
		stars, err := t.whole(2, "rating", 6)
		if err != nil {
			return nil, err
		}
		if stars != 1 && stars != 5 {
			continue
		}
		if seen[r] {
			return nil, t.fault("movie", "user %d has rated movie %d twice", r.user, r.movie)
		}
		seen[r] = true
		o := all[r.user]
		if o == nil {
			o = &opinion{}
			all[r.user] = o
		}
		if stars == 5 {
			o.liked = append(o.liked, r.movie)
		} else {
			o.disliked = append(o.disliked, r.movie)
		}
	}
}

// features reads genres, a column each, and the year of release; a movie of unknown year gets the mean year. Titles
// are Latin-1 and only their year is looked at.
func (m format) features(f Folder, movies []int) (*palate.Features, error) {
	t, err := f.open(m.archive, m.movies)
	if err != nil {
		return nil, err
	}
	defer t.close()
	genres, years := map[int][]string{}, map[int]float64{}
	names := map[string]bool{}
	for {
		ok, err := t.next(m.separator, 3+len(m.genres))
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		movie, err := t.whole(0, "movie", 1<<30)
		if err != nil {
			return nil, err
		}
		if genres[movie], err = m.genresOf(t); err != nil {
			return nil, err
		}
		for _, g := range genres[movie] {
			names[g] = true
		}
		if y, ok := m.year(t.row); ok {
			years[movie] = y
		}
	}
	x := &palate.Features{Rows: len(movies)}
	for g := range names {
		x.Names = append(x.Names, g)
	}
	slices.Sort(x.Names)
	x.Names = append(x.Names, "year")
	x.Cols = len(x.Names)
	x.Data = make([]float64, x.Rows*x.Cols)
	var sum, known float64
	for k, movie := range movies {
		list, ok := genres[movie]
		if !ok {
			return nil, fmt.Errorf("paper: %s: movie %d is rated but not in %s", m.name, movie, t.path)
		}
		for _, g := range list {
			c, _ := slices.BinarySearch(x.Names[:x.Cols-1], g)
			x.Row(k)[c] = 1
		}
		if y, ok := years[movie]; ok {
			x.Row(k)[x.Cols-1] = y
			sum += y
			known++
		}
	}
	for k, movie := range movies {
		if _, ok := years[movie]; !ok {
			x.Row(k)[x.Cols-1] = sum / max(known, 1)
		}
	}
	return x, nil
}

func (m format) genresOf(t *table) ([]string, error) {
	if m.genres == nil {
		return strings.Split(t.row[len(t.row)-1], "|"), nil
	}
	list := []string{}
	first := len(t.row) - len(m.genres)
	for g, name := range m.genres {
		flag, err := t.whole(first+g, "genre", 2)
		if err != nil {
			return nil, err
		}
		if flag == 1 {
			list = append(list, name)
		}
	}
	return list, nil
}

// year finds the year in the date (01-Jan-1995) or at the end of the title (Toy Story (1995)).
func (m format) year(row []string) (float64, bool) {
	if m.date >= 0 {
		if date := row[m.date]; len(date) > 4 {
			if y, err := strconv.Atoi(date[len(date)-4:]); err == nil {
				return float64(y), true
			}
		}
	}
	title := strings.TrimRight(row[m.title], " ")
	if n := len(title); n > 6 && title[n-1] == ')' {
		if y, err := strconv.Atoi(title[n-5 : n-1]); err == nil {
			return float64(y), true
		}
	}
	return 0, false
}
