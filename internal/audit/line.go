package audit

import (
	"cmp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/fold"
)

// timeLayout is RFC 3339 in milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// appendLine appends e as a line of JSON.
func appendLine(b []byte, e *Event) []byte {
	b = append(b, `{"time":"`...)
	b = e.Time.In(time.UTC).AppendFormat(b, timeLayout)
	b = append(b, `","operation":"`...)
	b = append(b, e.Operation...)
	b = append(b, '"')
	if e.Operation == lost {
		b = append(b, `,"count":`...)
		b = strconv.AppendUint(b, e.count, 10)
		return append(b, "}\n"...)
	}
	b = append(b, `,"user":`...)
	b = appendText(b, e.User)
	if e.Address.IsValid() {
		b = appendField(b, "address", e.Address.Unmap().String())
	}
	b = appendField(b, "share", e.Share)
	b = appendField(b, "path", e.Path)
	b = appendField(b, "to", e.To)
	if e.Replaced {
		b = append(b, `,"replaced":true`...)
	}
	b = appendField(b, "result", cmp.Or(e.Result, "ok"))
	return append(b, "}\n"...)
}

func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendText(b, value)
}

// appendText appends text as JSON has it. Package json would make one name of
// all that have a lone surrogate; here that is escaped, which JSON allows.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for i := 0; i < len(text); {
		r, size := fold.Decode(text[i:])
		switch {
		case r < 0:
			b = appendEscape(b, utf8.RuneError)
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || 0x7f <= r && r < 0xa0 || r == '\u2028' || r == '\u2029' || 0xd800 <= r && r < 0xe000:
			b = appendEscape(b, r)
		default:
			b = append(b, text[i:i+size]...)
		}
		i += size
	}
	return append(b, '"')
}

// appendEscape appends a character of one UTF-16 unit.
func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&0xf], hex[r>>8&0xf], hex[r>>4&0xf], hex[r&0xf])
}
