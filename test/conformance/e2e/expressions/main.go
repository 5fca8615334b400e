// Command expressions asks Kubernetes' own compiler about the expressions of ../devices/expressions.json and records its error
// or its estimated cost: go run ./expressions ../devices/expressions.json
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"strconv"

	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// An answer is the error of an expression, or its estimated cost as text: it may exceed what JSON numbers hold.
type answer struct {
	Error string `json:"error,omitempty"`
	Cost  string `json:"cost,omitempty"`
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var recorded map[string]map[string]answer
	if err := json.Unmarshal(data, &recorded); err != nil {
		log.Fatal(err)
	}
	fresh := environment.NewExpressions
	for kind, expressions := range recorded {
		without := kind == "selector without lists"
		compiler := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: !without, EnableListTypeAttributes: !without})
		for text := range expressions {
			result := compiler.CompileCELExpression(text, dracel.Options{EnvType: &fresh, DerivedAttribute: kind == "derived attribute"})
			if result.Error != nil {
				expressions[text] = answer{Error: result.Error.Detail}
			} else {
				expressions[text] = answer{Cost: strconv.FormatUint(result.MaxCost, 10)}
			}
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(recorded); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
