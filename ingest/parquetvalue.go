package ingest

import (
	"math"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	thrift "github.com/parquet-go/parquet-go/format"
)

// text appends a value as it would be written.
func (c *parquetColumn) text(to []byte, v parquet.Value) []byte {
	logical := c.kind.LogicalType()
	if logical == nil {
		logical = &thrift.LogicalType{}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(to, v.Boolean())
	case parquet.Float:
		return strconv.AppendFloat(to, float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		if x := v.Double(); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return strconv.AppendInt(to, int64(x), 10)
		}
		return appendDecimal(to, v.Double())
	case parquet.Int96: // nanoseconds of a Julian day; 2440588 began in 1970
		x := v.Int96()
		day := int64(int32(x[2])) - 2440588
		return time.Unix(day*86400, int64(x[0])|int64(x[1])<<32).UTC().AppendFormat(to, time.RFC3339Nano)
	case parquet.Int32, parquet.Int64:
		x := v.Int64()
		if v.Kind() == parquet.Int32 {
			x = int64(v.Int32())
		}
		switch {
		case logical.Date != nil:
			return time.Unix(x*86400, 0).UTC().AppendFormat(to, time.DateOnly)
		case logical.Timestamp != nil:
			at := time.UnixMicro(x)
			switch unit := logical.Timestamp.Unit; {
			case unit.Millis != nil:
				at = time.UnixMilli(x)
			case unit.Nanos != nil:
				at = time.Unix(0, x)
			}
			return at.UTC().AppendFormat(to, time.RFC3339Nano)
		case logical.Decimal != nil:
			return strconv.AppendFloat(to, float64(x)/math.Pow10(int(logical.Decimal.Scale)), 'g', -1, 64)
		case logical.Integer != nil && !logical.Integer.IsSigned:
			u := uint64(x)
			if v.Kind() == parquet.Int32 {
				u = uint64(uint32(x))
			}
			return strconv.AppendUint(to, u, 10)
		}
		return strconv.AppendInt(to, x, 10)
	}
	return append(to, v.ByteArray()...)
}

// appendDecimal appends a number in the fewest digits. Times in seconds have few decimals: such a number is a
// whole one divided by a power of ten, which is sooner written.
func appendDecimal(to []byte, x float64) []byte {
	const unit = 1e6
	n := math.Round(x * unit)
	if !(math.Abs(n) < 1<<53) || n/unit != x || n < 0 || x < 1e-3 {
		return strconv.AppendFloat(to, x, 'g', -1, 64)
	}
	to = strconv.AppendInt(to, int64(n)/unit, 10)
	to = append(to, '.')
	for rest, digit := int64(n)%unit, int64(unit/10); rest > 0; digit /= 10 {
		to = append(to, byte('0'+rest/digit))
		rest %= digit
	}
	return to
}

// numeric says how the values of a column are numbers.
type numeric uint8

const (
	noNumber numeric = iota // they are not, or not simply
	plainNumber
	days // since 1970, as the others
	milliseconds
	microseconds
	nanoseconds
)

func numericOf(kind parquet.Type) numeric {
	switch kind.Kind() {
	case parquet.Double:
		return plainNumber
	case parquet.Int32, parquet.Int64:
	default:
		return noNumber
	}
	l := kind.LogicalType()
	if l == nil {
		return plainNumber
	}
	switch {
	case l.Date != nil:
		return days
	case l.Timestamp != nil && l.Timestamp.Unit.Millis != nil:
		return milliseconds
	case l.Timestamp != nil && l.Timestamp.Unit.Nanos != nil:
		return nanoseconds
	case l.Timestamp != nil:
		return microseconds
	case l.Integer != nil && l.Integer.IsSigned:
		return plainNumber
	}
	return noNumber
}

// raw returns the bits of a number.
func raw(v parquet.Value) int64 {
	switch v.Kind() {
	case parquet.Double:
		return int64(math.Float64bits(v.Double()))
	case parquet.Int32:
		return int64(v.Int32())
	}
	return v.Int64()
}

// value undoes raw.
func (c *parquetColumn) value(raw int64) parquet.Value {
	switch c.kind.Kind() {
	case parquet.Double:
		return parquet.DoubleValue(math.Float64frombits(uint64(raw)))
	case parquet.Int32:
		return parquet.Int32Value(int32(raw))
	}
	return parquet.Int64Value(raw)
}

// float returns a number that has no unit.
func (c *parquetColumn) float(raw int64) (x float64, ok bool) {
	if c.kind.Kind() == parquet.Double {
		return math.Float64frombits(uint64(raw)), true
	}
	return float64(raw), c.number == plainNumber
}

// moment returns the time that a number tells; false: its text has to be looked at.
func (c *parquetColumn) moment(raw int64) (time.Time, bool) {
	var at time.Time
	switch c.number {
	case days:
		at = time.Unix(raw*86400, 0)
	case milliseconds:
		at = time.UnixMilli(raw)
	case microseconds:
		at = time.UnixMicro(raw)
	case nanoseconds:
		at = time.Unix(0, raw)
	default:
		x, _ := c.float(raw)
		return since1970(x)
	}
	return at.UTC(), writable(at)
}
