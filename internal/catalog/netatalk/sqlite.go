package netatalk

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"net/url"
	"regexp"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/dozo-server/dozo/internal/catalog"
)

var tableName = regexp.MustCompile(`^[0-9A-Za-z]{32}$`)

// SQLite reads the database of netatalk's "sqlite" backend. It may have the
// records of several volumes: uuid says which, in the form of afp_voluuid.conf;
// with "" it must be the only one.
func SQLite(ctx context.Context, file, uuid string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		dsn := url.URL{Scheme: "file", Path: file, RawQuery: "mode=ro"}
		db, err := sql.Open("sqlite", dsn.String())
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer db.Close()
		table, err := volumeTable(ctx, db, uuid)
		if err != nil {
			yield(Record{}, err)
			return
		}
		// The name of a table can't be a parameter; it was checked to be letters
		// and digits.
		rows, err := db.QueryContext(ctx, `SELECT Id, Name, Did, DevNo, InodeNo FROM "`+table+`"`)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var id, did, dev, ino int64
			var name []byte
			if err := rows.Scan(&id, &name, &did, &dev, &ino); err != nil {
				yield(Record{}, err)
				return
			}
			r := Record{ID: catalog.CNID(id), Parent: catalog.CNID(did), Name: string(name), Dev: uint64(dev), Ino: uint64(ino)}
			if !yield(r, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Record{}, err)
		}
	}
}

// volumeTable returns the table with the records of a volume.
func volumeTable(ctx context.Context, db *sql.DB, uuid string) (string, error) {
	rows, err := db.QueryContext(ctx, `SELECT VolUUID FROM volumes`)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		all = append(all, strings.ReplaceAll(name, "-", ""))
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	want := strings.ReplaceAll(uuid, "-", "")
	for _, name := range all {
		if (strings.EqualFold(name, want) || want == "" && len(all) == 1) && tableName.MatchString(name) {
			return name, nil
		}
	}
	if want == "" {
		return "", fmt.Errorf("the database has %d volumes, and which one is meant is not said", len(all))
	}
	return "", fmt.Errorf("the database has no volume %s", uuid)
}
