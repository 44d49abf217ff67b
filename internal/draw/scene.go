package draw

// Scene is a picture under construction.
type Scene struct {
	Width, Height float64
	marks         []Mark
}

// Mark is something that can draw itself.
type Mark interface {
	svg(*svgWriter)
	paint(*painter)
}

// New returns an empty scene; its Height is for the caller to set.
func New(width float64) *Scene { return &Scene{Width: width} }

// Add puts marks on top of those that are there.
func (s *Scene) Add(marks ...Mark) { s.marks = append(s.marks, marks...) }

// Put puts another scene on top, moved right and down.
func (s *Scene) Put(o *Scene, dx, dy float64) {
	s.Add(Group{DX: dx, DY: dy, Marks: o.marks})
}

// Scaled returns the scene in another size, all of it larger or smaller.
func (s *Scene) Scaled(by float64) *Scene {
	return &Scene{Width: by * s.Width, Height: by * s.Height, marks: []Mark{Group{Scale: by, Marks: s.marks}}}
}

// Point is a place.
type Point struct{ X, Y float64 }
