package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"time"
)

type noSize struct{}

func (noSize) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }
func (noSize) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

type question struct {
	Expr string `json:"expr"`
}
type answer struct {
	Error    string `json:"error,omitempty"`
	Type     string `json:"type,omitempty"`
	Fail     string `json:"fail,omitempty"`
	Value    any    `json:"value,omitempty"`
	Cost     string `json:"cost,omitempty"`
	Estimate string `json:"estimate,omitempty"`
}

func show(v ref.Val) any {
	switch x := v.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return bool(x)
	case types.Int:
		return "i" + strconv.FormatInt(int64(x), 10)
	case types.Uint:
		return "u" + strconv.FormatUint(uint64(x), 10)
	case types.Double:
		return fmt.Sprintf("d%016x", math.Float64bits(float64(x)))
	case types.String:
		return "s" + string(x)
	case types.Bytes:
		return fmt.Sprintf("b%x", []byte(x))
	case types.Timestamp:
		return "t" + strconv.FormatInt(x.Unix(), 10) + "." + strconv.Itoa(x.Nanosecond())
	case types.Duration:
		return "D" + strconv.FormatInt(int64(x.Duration), 10)
	case *types.Optional:
		if !x.HasValue() {
			return []any{"none"}
		}
		return []any{"some", show(x.GetValue())}
	case *types.Type:
		return "T" + x.TypeName()
	case traits.Lister:
		out := []any{"list"}
		n := int64(x.Size().(types.Int))
		for i := int64(0); i < n; i++ {
			out = append(out, show(x.Get(types.Int(i))))
		}
		return out
	case traits.Mapper:
		var parts []string
		for it := x.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			b := plain([]any{show(k), show(x.Get(k))})
			parts = append(parts, string(b))
		}
		sort.Strings(parts)
		if parts == nil { parts = []string{} }; return append([]any{"map"}, parts)
	}
	return "?" + v.Type().TypeName()
}

func main() {
	set := environment.MustBaseEnvSet(version.MajorMinor(1, 37))
	list := func(t *cel.Type) *cel.Type { return cel.ListType(t) }
	set, err := set.Extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: []cel.EnvOption{
		cel.Variable("i", cel.IntType), cel.Variable("j", cel.IntType), cel.Variable("u", cel.UintType), cel.Variable("d", cel.DoubleType),
		cel.Variable("b", cel.BoolType), cel.Variable("s", cel.StringType), cel.Variable("w", cel.StringType), cel.Variable("y", cel.BytesType),
		cel.Variable("li", list(cel.IntType)), cel.Variable("ls", list(cel.StringType)), cel.Variable("ld", list(cel.DoubleType)),
		cel.Variable("m", cel.MapType(cel.StringType, cel.IntType)), cel.Variable("t", cel.TimestampType), cel.Variable("r", cel.DurationType),
		cel.Variable("o", cel.DynType), cel.Variable("n", cel.NullType),
	}})
	if err != nil {
		panic(err)
	}
	env := set.NewExpressionsEnv()
	vars := map[string]any{
		"i": int64(7), "j": int64(-3), "u": uint64(5), "d": 2.5, "b": true, "s": "héllo wörld", "w": "a,b,c", "y": []byte("abc"),
		"li": []int64{3, 1, 2, 3}, "ls": []string{"b", "a", "cc"}, "ld": []float64{1.5, -2, 0},
		"m": map[string]int64{"a": 1, "b": 2}, "t": time.Date(2024, 2, 29, 23, 59, 58, 123456789, time.UTC), "r": 90*time.Minute + 1500*time.Millisecond,
		"o": map[string]any{"i": int64(1), "f": 1.5, "s": "x", "l": []any{int64(1), "two", 3.5, nil, true}, "m": map[string]any{"k": "v"}, "n": nil, "b": false},
		"n": nil,
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for in.Scan() {
		var q question
		if json.Unmarshal(in.Bytes(), &q) != nil {
			continue
		}
		enc.Encode(ask(env, vars, q.Expr))
		out.Flush()
	}
}

func ask(env *cel.Env, vars map[string]any, expr string) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint("panic: ", r)}
		}
	}()
	ast, issues := env.Compile(expr)
	if issues != nil {
		return answer{Error: issues.String()}
	}
	a.Type = ast.OutputType().String()
	if est, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: noSize{}}); err == nil {
		a.Estimate = strconv.FormatUint(est.Max, 10)
	} else {
		a.Estimate = err.Error()
	}
	prog, err := env.Program(ast, cel.InterruptCheckFrequency(100), cel.CostTracking(&library.CostEstimator{}), cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(10000000))
	if err != nil {
		a.Fail = "program: " + err.Error()
		return a
	}
	v, det, err := prog.Eval(vars)
	if det != nil && det.ActualCost() != nil {
		a.Cost = strconv.FormatUint(*det.ActualCost(), 10)
	}
	if err != nil {
		a.Fail = err.Error()
		return a
	}
	a.Value = show(v)
	return a
}

func plain(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	return bytes.TrimSpace(b.Bytes())
}
