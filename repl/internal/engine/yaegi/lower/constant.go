package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// constant writes a constant as a literal of the given type, so that the interpreter need not compute constants.
func (f *fn) constant(v constant.Value, t types.Type, pos token.Pos) string {
	b := basicOf(t)
	if b == nil {
		refuse(pos, "a constant of type "+typeText(t), "the interpreter does not know it", "convert it to a basic type")
	}
	lit, name := "", f.typ(t, pos)
	switch {
	case b.Info()&types.IsString != 0:
		if v.Kind() != constant.String {
			refuse(pos, "this constant", "it is no string", "use a variable")
		}
		lit = strconv.Quote(constant.StringVal(v))
	case b.Info()&types.IsBoolean != 0:
		lit = strconv.FormatBool(constant.BoolVal(v))
	case b.Info()&types.IsInteger != 0:
		lit = constant.ToInt(v).ExactString()
	case b.Info()&types.IsFloat != 0:
		lit = floatLiteral(v, b.Kind() == types.Float32)
	}
	if name != "string" && name != "bool" && name != "int" && name != "float64" {
		return name + "(" + lit + ")"
	}
	if strings.HasPrefix(lit, "-") {
		return "(" + lit + ")"
	}
	return lit
}

func floatLiteral(v constant.Value, single bool) string {
	v = constant.ToFloat(v)
	x, _ := constant.Float64Val(v)
	bits := 64
	if single {
		y, _ := constant.Float32Val(v)
		x, bits = float64(y), 32
	}
	if math.IsInf(x, 0) || x == 0 {
		return "0.0"
	}
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if single {
		s = strconv.FormatFloat(x, 'g', -1, 64)
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
