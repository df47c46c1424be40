package service

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed rc.tmpl
var scriptText string

var scriptTemplate = template.Must(template.New("rc").Funcs(template.FuncMap{
	"quote": quote,
	"shell": shellCommand,
}).Parse(scriptText))

// Script returns the script of FreeBSD's rc for s.
func Script(s *Service) (string, error) {
	if err := s.check("rc"); err != nil {
		return "", err
	}
	var b strings.Builder
	err := scriptTemplate.Execute(&b, unit{s})
	return b.String(), err
}

// quote quotes s where a shell would read it as more than a word.
func quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !plain(c) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func shellCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}
