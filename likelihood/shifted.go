package likelihood

// Shifted is a likelihood of something beside z that is known: p(z + By).
type Shifted struct {
	Of Scalar
	By float64
}

// Width returns that of the likelihood inside.
func (l Shifted) Width() float64 { return width(l.Of) }

// Flat returns that of the likelihood inside, moved.
func (l Shifted) Flat() float64 { return flat(l.Of) - l.By }

// LogProb is that of the likelihood inside at z + By.
func (l Shifted) LogProb(z float64) (lp, d1, d2 float64) { return l.Of.LogProb(z + l.By) }

// Tilt moves the mean.
func (l Shifted) Tilt(m, v float64) Tilted { return Tilt(l.Of, m+l.By, v) }

// Expect moves the mean.
func (l Shifted) Expect(m, v float64) (e, d1, d2 float64) { return Expect(l.Of, m+l.By, v) }
