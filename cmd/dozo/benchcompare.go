package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/dozo-server/dozo/internal/bench"
)

type benchCompareCmd struct {
	Results []string `arg:"" name:"RESULT" help:"Files that dozo bench names --json printed." type:"existingfile"`
	benchOutput
}

func (c *benchCompareCmd) Run() error {
	if err := c.check(); err != nil {
		return err
	}
	var results []*bench.NamesResult
	for _, file := range c.Results {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r := &bench.NamesResult{}
		if err := json.Unmarshal(data, r); err != nil {
			return fmt.Errorf("%s is no result of dozo bench names --json (%w); make one with: dozo bench names TARGET --json", file, err)
		}
		if err := bench.CheckNames(append(results, r)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		results = append(results, r)
	}
	return c.print(bench.NamesComparison(results), bench.NamesChart(results...))
}
