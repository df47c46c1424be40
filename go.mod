module github.com/dozo-server/dozo

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)
