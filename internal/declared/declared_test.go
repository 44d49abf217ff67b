package declared

import (
	"slices"
	"testing"
)

func TestFunctions(t *testing.T) {
	if got := Functions(t); !slices.Equal(got, []string{"Methods", "Functions", "Contexts", "Returning", "Arguments"}) {
		t.Errorf("got %v", got)
	}
	if got := Returning(t, "T"); got != nil {
		t.Errorf("got %v", got)
	}
	if got := Arguments(t, "HasSuffix"); !slices.Equal(got, []string{".go", "_test.go"}) {
		t.Errorf("got %v", got)
	}
	if got := Methods(t, "Read"); got != nil {
		t.Errorf("got %v", got)
	}
}
