package feature

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// Floats are numbers kept to single precision, in JSON as little-endian bytes in base64.
type Floats []float32

// MarshalJSON writes the numbers.
func (f Floats) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 4*len(f))
	for _, x := range f {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(raw))
}

// UnmarshalJSON reads the numbers.
func (f *Floats) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(raw)%4 != 0 {
		return fmt.Errorf("ingest: numbers are not base64 of whole float32s")
	}
	*f = make(Floats, len(raw)/4)
	for k := range *f {
		(*f)[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:]))
		if x := float64((*f)[k]); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("ingest: number %d is %v", k, x)
		}
	}
	return nil
}

func narrowed(x []float64) Floats {
	f := make(Floats, len(x))
	for k, v := range x {
		f[k] = float32(v)
	}
	return f
}

func (f Floats) widened() []float64 {
	x := make([]float64, len(f))
	for k, v := range f {
		x[k] = float64(v)
	}
	return x
}
