package config

import "fmt"

// Origin is where a value came from. The zero Origin is the default.
type Origin struct {
	Where string // a file, "flag --memory", "environment SUDO_USER", "command line"
	Line  int    // in the file; 0 if it is none
}

// Flag is the origin of what a flag says.
func Flag(name string) Origin { return Origin{Where: "flag --" + name} }

// Environment is the origin of what a variable says.
func Environment(name string) Origin { return Origin{Where: "environment " + name} }

// CommandLine is the origin of what the command line names without a flag.
var CommandLine = Origin{Where: "command line"}

func (o Origin) String() string {
	switch {
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Where, o.Line)
	case o.Where != "":
		return o.Where
	}
	return "default"
}

// Errors is all that is wrong with a configuration.
type Errors []error

// Add adds a sentence about what came from o.
func (e *Errors) Add(o Origin, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if o.Line > 0 {
		err = fmt.Errorf("%v: %w", o, err)
	}
	*e = append(*e, err)
}

// Err is e as an error, nil if nothing is wrong.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Error is the one sentence, or all of them, a line each.
func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	words := fmt.Sprintf("the configuration has %d errors:", len(e))
	for _, err := range e {
		words += "\n  " + err.Error()
	}
	return words
}

// Unwrap returns the single errors.
func (e Errors) Unwrap() []error { return e }
