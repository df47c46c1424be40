package catalog

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/dozo-server/dozo/vfs"
)

// tableFile is the file of the table in the catalog's folder.
const tableFile = "ids.sqlite"

// The schema. It is the same for any SQL database, but for the words of the
// types; names are bytes, since not every name on a disk is UTF-8. sums are over
// what a row holds, because a page of SQLite has no checksum.
var schema = []string{
	`CREATE TABLE IF NOT EXISTS head (
		one INTEGER NOT NULL PRIMARY KEY,
		version INTEGER NOT NULL,
		tag BLOB NOT NULL,
		segment INTEGER NOT NULL,
		place INTEGER NOT NULL,
		ceiling INTEGER NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS entries (
		id INTEGER NOT NULL PRIMARY KEY,
		parent INTEGER NOT NULL,
		type INTEGER NOT NULL,
		identity BLOB NOT NULL,
		name BLOB NOT NULL,
		sums INTEGER NOT NULL)`,
	`CREATE UNIQUE INDEX IF NOT EXISTS identities ON entries (identity)`,
}

// sqliteTable is a table in SQLite.
type sqliteTable struct {
	path string

	mu      sync.RWMutex // held for writing while the database is replaced
	db      *sql.DB
	find    *sql.Stmt
	entries *sql.Stmt
}

// openSQLite opens the table in folder. What is no database is replaced.
func openSQLite(folder string) (table, error) {
	t := &sqliteTable{path: filepath.Join(folder, tableFile)}
	err := t.open()
	if errors.Is(err, errDamaged) {
		err = t.Reset(context.Background())
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *sqliteTable) open() error {
	// A commit is not synced: the log can bring back what it did. Memory for the
	// random places of identities is small, and the log of SQLite bounded.
	options := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"journal_mode(WAL)", "synchronous(NORMAL)", "busy_timeout(5000)", "cache_size(-2048)",
		"wal_autocheckpoint(2000)", "journal_size_limit(16777216)"}}
	dsn := url.URL{Scheme: "file", Path: t.path, RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return failTable(err)
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	t.db = db
	for i, s := range schema {
		if err == nil {
			_, err = db.Exec(s)
		}
		if i == 0 && err == nil {
			_, err = t.head(context.Background()) // of a newer program, it stays as it is
		}
	}
	if err == nil {
		t.find, err = db.Prepare(`SELECT id FROM entries WHERE identity = ?`)
	}
	if err == nil {
		t.entries, err = db.Prepare(`SELECT id, parent, type, identity, name, sums FROM entries
			WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`)
	}
	if err != nil {
		db.Close()
	}
	return failTable(err)
}

// Reset implements table.
func (t *sqliteTable) Reset(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.db.Close()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(t.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return failTable(err)
		}
	}
	return t.open()
}

// Close implements table.
func (t *sqliteTable) Close() error { return failTable(t.db.Close()) }

// Head implements table.
func (t *sqliteTable) Head(ctx context.Context) (head, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.head(ctx)
}

func (t *sqliteTable) head(ctx context.Context) (h head, err error) {
	var version int
	var tag []byte
	err = t.db.QueryRowContext(ctx, `SELECT version, tag, segment, place, ceiling FROM head WHERE one = 1`).
		Scan(&version, &tag, &h.at.segment, &h.at.offset, &h.ceiling)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return head{}, nil
	case err != nil:
		return head{}, failTable(err)
	case version > schemaVersion:
		return head{}, vfs.NewError("catalog", t.path, vfs.KindUnsupported,
			fmt.Errorf("it has version %d, and this program knows %d", version, schemaVersion))
	case len(tag) != len(h.tag):
		return head{}, failTable(errDamaged)
	}
	copy(h.tag[:], tag)
	return h, nil
}

const schemaVersion = 1

// Apply implements table.
func (t *sqliteTable) Apply(ctx context.Context, changes []Entry, h head) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return failTable(err)
	}
	defer tx.Rollback()
	if err := apply(ctx, tx, changes); err != nil {
		return failTable(err)
	}
	if h != (head{}) {
		if _, err := tx.ExecContext(ctx, `REPLACE INTO head (one, version, tag, segment, place, ceiling) VALUES (1, ?, ?, ?, ?, ?)`,
			schemaVersion, h.tag[:], h.at.segment, h.at.offset, uint32(h.ceiling)); err != nil {
			return failTable(err)
		}
	}
	return failTable(tx.Commit())
}

func apply(ctx context.Context, tx *sql.Tx, changes []Entry) error {
	put, err := tx.PrepareContext(ctx, `REPLACE INTO entries (id, parent, type, identity, name, sums) VALUES (?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer put.Close()
	for i := range changes {
		e := &changes[i]
		if e.gone() {
			_, err = tx.ExecContext(ctx, `DELETE FROM entries WHERE id = ?`, uint32(e.ID))
		} else {
			_, err = put.ExecContext(ctx, uint32(e.ID), uint32(e.Parent), uint8(e.Type), e.Identity[:], []byte(e.Name), e.sum())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sum is a checksum over all of e.
func (e *Entry) sum() uint32 {
	var b [9 + len(e.Identity)]byte
	binary.LittleEndian.PutUint32(b[:], uint32(e.ID))
	binary.LittleEndian.PutUint32(b[4:], uint32(e.Parent))
	b[8] = byte(e.Type)
	copy(b[9:], e.Identity[:])
	return crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, []byte(e.Name))
}

// Range implements table.
func (t *sqliteTable) Range(ctx context.Context, from, to CNID, most int) ([]Entry, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	rows, err := t.entries.QueryContext(ctx, uint32(from), uint32(to), most)
	if err != nil {
		return nil, failTable(err)
	}
	defer rows.Close()
	var all []Entry
	var identity, name sql.RawBytes
	for rows.Next() {
		var e Entry
		var sum uint32
		if err := rows.Scan(&e.ID, &e.Parent, &e.Type, &identity, &name, &sum); err != nil {
			return nil, failTable(fmt.Errorf("%w: %w", errDamaged, err))
		}
		copy(e.Identity[:], identity)
		e.Name = string(name)
		if e.sum() != sum {
			return nil, failTable(fmt.Errorf("%w: the entry of id %d", errDamaged, e.ID))
		}
		all = append(all, e)
	}
	return all, failTable(rows.Err())
}

// Find implements table.
func (t *sqliteTable) Find(ctx context.Context, i Identity) (id CNID, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	err = t.find.QueryRowContext(ctx, i[:]).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, failTable(err)
}

// Count implements table.
func (t *sqliteTable) Count(ctx context.Context) (n int64, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	err = t.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM entries`).Scan(&n)
	return n, failTable(err)
}

// Top implements table.
func (t *sqliteTable) Top(ctx context.Context) (id CNID, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	err = t.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) FROM entries`).Scan(&id)
	return id, failTable(err)
}

// Checkpoint implements table.
func (t *sqliteTable) Checkpoint(ctx context.Context) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, err := t.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return failTable(err)
}

// failTable gives an error of SQLite its kind.
func failTable(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*vfs.Error](err); ok {
		return err
	}
	kind := vfs.KindIO
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			kind = vfs.KindNoSpace
		case sqlite3.SQLITE_READONLY:
			kind = vfs.KindReadOnly
		case sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
			kind = vfs.KindAccess
		case sqlite3.SQLITE_NOMEM:
			kind = vfs.KindNoMemory
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			kind = vfs.KindBusy
		case sqlite3.SQLITE_INTERRUPT:
			kind = vfs.KindCanceled
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_ERROR:
			err = fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = vfs.KindCanceled
	}
	return vfs.NewError("catalog", tableFile, kind, err)
}
