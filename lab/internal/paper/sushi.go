package paper

import (
	"strconv"

	"palate"
)

func sushiArchive() archive {
	return archive{"sushi", "sushi3-2016", "https://www.kamishima.net/sushi/"}
}

// setA gives, for each item of set A, the same sushi's number in set B, which is the one that features are kept
// under. Set A is not the first ten of set B.
func setA() []int { return []int{0, 1, 2, 3, 4, 6, 7, 8, 26, 29} }

// LoadSushi reads the SUSHI preference data (Kamishima 2003): rankings of the same ten items by everybody (A) and of
// ten out of a hundred items (B).
func LoadSushi(f Folder) (a, b *Rankings, err error) {
	names, items, err := sushiItems(f)
	if err != nil {
		return nil, nil, err
	}
	ids, users, err := sushiUsers(f)
	if err != nil {
		return nil, nil, err
	}
	b = &Rankings{Items: names, ItemFeatures: items, Users: ids, UserFeatures: users}
	if b.Orders, err = sushiOrders(f, "sushi3b.5000.10.order", len(names), len(ids)); err != nil {
		return nil, nil, err
	}
	a = &Rankings{ItemFeatures: subset(items, setA()), Users: ids, UserFeatures: users}
	for _, k := range setA() {
		a.Items = append(a.Items, names[k])
	}
	a.Orders, err = sushiOrders(f, "sushi3a.5000.10.order", len(a.Items), len(ids))
	return a, b, err
}

// sushiItems reads names and 18 features: style and major group as they are (both binary), the minor group one
// column a group, oiliness, eating frequency, price and how often it is sold.
func sushiItems(f Folder) ([]string, *palate.Features, error) {
	const groups, most = 12, 100
	t, err := f.open(sushiArchive(), "sushi3.idata")
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	x := &palate.Features{Names: []string{"style", "major"}}
	for g := range groups {
		x.Names = append(x.Names, "minor="+strconv.Itoa(g))
	}
	x.Names = append(x.Names, "oiliness", "eaten", "price", "sold")
	x.Cols = len(x.Names)
	var names []string
	for {
		ok, err := t.next("\t", 9)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			break
		}
		id, err := t.whole(0, "item", most)
		if err != nil {
			return nil, nil, err
		}
		if id != len(names) {
			return nil, nil, t.fault("item", "item %d where %d should be", id, len(names))
		}
		row := make([]float64, x.Cols)
		for k, name := range []string{"style", "major group"} {
			v, err := t.whole(2+k, name, 2)
			if err != nil {
				return nil, nil, err
			}
			row[k] = float64(v)
		}
		minor, err := t.whole(4, "minor group", groups)
		if err != nil {
			return nil, nil, err
		}
		row[2+minor] = 1
		for k, name := range []string{"oiliness", "eating frequency", "price", "sold"} {
			if row[2+groups+k], err = t.number(5+k, name); err != nil {
				return nil, nil, err
			}
		}
		names = append(names, t.row[1])
		x.Data = append(x.Data, row...)
	}
	if len(names) != most {
		return nil, nil, t.fault("", "%d items, not %d", len(names), most)
	}
	x.Rows = len(names)
	return names, x, nil
}

// sushiUsers reads identifiers and features: gender, age group and time to fill the form as numbers, prefecture and
// region one column each place, east or west, until the age of 15 and now, and whether the two prefectures differ.
func sushiUsers(f Folder) ([]string, *palate.Features, error) {
	const prefectures, regions = 48, 12 // abroad included
	t, err := f.open(sushiArchive(), "sushi3.udata")
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	limits := []int{2, 6, 1 << 30, prefectures, regions, 2, prefectures, regions, 2, 2}
	names := []string{"gender", "age", "seconds", "prefecture15", "region15", "west15", "prefecture", "region", "west", "moved"}
	x := &palate.Features{}
	places := func(k int) bool { return limits[k] == prefectures || limits[k] == regions }
	for k, name := range names {
		if !places(k) {
			x.Names = append(x.Names, name)
			continue
		}
		for p := range limits[k] {
			x.Names = append(x.Names, name+"="+strconv.Itoa(p))
		}
	}
	x.Cols = len(x.Names)
	var ids []string
	for {
		ok, err := t.next("\t", 1+len(names))
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			break
		}
		for k, name := range names {
			v, err := t.whole(1+k, name, limits[k])
			if err != nil {
				return nil, nil, err
			}
			if !places(k) {
				x.Data = append(x.Data, float64(v))
				continue
			}
			x.Data = append(x.Data, make([]float64, limits[k])...)
			x.Data[len(x.Data)-limits[k]+v] = 1
		}
		ids = append(ids, t.row[0])
	}
	x.Rows = len(ids)
	return ids, x, nil
}

// sushiOrders reads one ranking a user: a header line with the number of items, then lines of 0, the length, and the
// items from the most preferred on.
func sushiOrders(f Folder, file string, items, users int) ([][]int, error) {
	t, err := f.open(sushiArchive(), file)
	if err != nil {
		return nil, err
	}
	defer t.close()
	ok, err := t.next(" ", 2)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, t.fault("", "the file is empty")
	}
	if n, err := t.whole(0, "number of items", items+1); err != nil || n != items {
		return nil, t.fault("number of items", "%s, not %d", t.row[0], items)
	}
	var orders [][]int
	for {
		ok, err := t.next(" ", 2)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		n, err := t.whole(1, "length", items+1)
		if err != nil {
			return nil, err
		}
		if len(t.row) != 2+n {
			return nil, t.fault("length", "%d items, not %d", len(t.row)-2, n)
		}
		order, seen := make([]int, n), make([]bool, items)
		for k := range order {
			if order[k], err = t.whole(2+k, "item", items); err != nil {
				return nil, err
			}
			if seen[order[k]] {
				return nil, t.fault("item", "%d is ranked twice", order[k])
			}
			seen[order[k]] = true
		}
		orders = append(orders, order)
	}
	if len(orders) != users {
		return nil, t.fault("", "%d rankings for %d users", len(orders), users)
	}
	return orders, nil
}
