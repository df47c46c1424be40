package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
)

// version is the one of this source; changelog/ has what it brought.
const version = "0.1.0"

type versionCmd struct {
	JSON bool `help:"Print JSON."`
}

func (c *versionCmd) Run() error {
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]string{
			"version": version, "go": runtime.Version(), "system": runtime.GOOS, "processor": runtime.GOARCH})
	}
	_, err := fmt.Printf("dozo %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
