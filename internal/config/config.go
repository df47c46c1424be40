// Package config reads dozo.toml, the configuration of a server. The structs
// Config and Share are the file: each field is a key, its comment is what
// docs/configuration.md says of it, and what has no field is an error.
//
//	c, err := config.Read("/etc/dozo/dozo.toml")
//
// All that is wrong is told at once, with file, line and what would be right.
// Every value knows where it came from.
package config

//go:generate go test -run TestDocumentationIsCurrent -update

// Config is the configuration of a server. Keys are spelt like the flags of
// dozo serve. Tags say what Go does not: default has the default where it is no
// constant, example an example as it stands in the file, and applies when a
// change has its effect.
type Config struct {
	// The state folder, an absolute path: users, the server's id, the status
	// socket. It must be outside all shares.
	State Folder `toml:"state" default:"/var/lib/dozo for root (on FreeBSD /var/db/dozo), else ~/.local/state/dozo" example:"\"/srv/dozo\"" applies:"restart"`

	// The addresses of this machine to listen at.
	Bind []string `toml:"bind" default:"all" example:"[\"192.0.2.7\", \"::1\"]" applies:"restart"`

	// The port of SMB.
	SMB Port `toml:"smb" default:"445 or, when that is refused, 4450" example:"4450" applies:"restart"`

	// The name of the first user, who is made when there is none.
	User string `toml:"user" default:"your login" example:"\"anna\"" applies:"restart"`

	// Whether clients must sign what they send. Guests can't, and are exempt. A
	// change holds for those that connect from then on.
	Signing Signing `toml:"signing" example:"\"offered\"" applies:"live"`

	// Whether clients find the server without anybody typing its address. One
	// that listens on this machine only is never announced.
	Discovery bool `toml:"discovery" example:"false" applies:"restart"`

	// The memory for the names of all shares together. While the machine, or the
	// container that dozo runs in, is short of memory they take less.
	Memory Size `toml:"memory" default:"an eighth of the machine's or the container's, at most 1G" example:"\"512M\"" applies:"live"`

	// A file that gets a line of JSON for each login, each connection to a share,
	// each name that is made, deleted or changed and each file that is opened to be
	// written, with time, user, address, share, path and whether it was done. It
	// must be outside all shares. Who moves the file away calls dozo reload, or
	// sends SIGHUP, and it begins anew. While the disk is slow 8192 lines wait;
	// those beyond are lost, and a line says how many.
	Audit File `toml:"audit" default:"none" example:"\"/var/log/dozo/audit.jsonl\"" applies:"live"`

	// What those without an account may do in shares that do not say it
	// themselves.
	Guest Guest `toml:"guest" example:"\"read\"" applies:"live"`

	// The addresses that clients may come from: single ones, and prefixes of
	// networks. When a share has such a list, too, both count.
	HostsAllow []Host `toml:"hosts-allow" default:"all" example:"[\"192.0.2.0/24\", \"fe80::/64\"]" applies:"live"`

	// The addresses that clients may not come from. Where an address is in both
	// lists the narrower entry counts, and hosts-allow if they are the same; one
	// in neither is let in when hosts-allow is empty. (With Samba hosts-allow
	// always counts, and with both lists others are let in.) Who may not come any
	// more is cut off.
	HostsDeny []Host `toml:"hosts-deny" default:"none" example:"[\"192.0.2.66\"]" applies:"live"`

	// Nobody can change anything in any share, whatever the share says.
	ReadOnly bool `toml:"read-only" example:"true" applies:"live"`

	// Shares are the tables [[share]].
	Shares []Share `toml:"share"`

	// File is what was read, "" if there was no file.
	File string

	// From has the origins of what is no default, by key.
	From map[string]Origin
}

// Share is a folder that is served.
type Share struct {
	// What clients call the share.
	Name ShareName `toml:"name" default:"the last part of path" example:"\"films\"" applies:"reconnect"`

	// The folder to serve, an absolute path. Each share has to name one. No
	// share may be inside another. With /{user} in it, as in /home/{user}, each
	// user has a share of their own, which others neither see nor reach, named
	// as the user unless name says otherwise; who has no such folder has no such
	// share.
	Path Folder `toml:"path" default:"none" example:"\"/srv/films\"" applies:"reconnect"`

	// What is shown beside the name.
	Comment string `toml:"comment" default:"none" example:"\"Films and series\"" applies:"live"`

	// Whether the share is in lists. Who knows its name may use it in any case.
	Browseable bool `toml:"browseable" example:"false" applies:"live"`

	// Nobody can change anything.
	ReadOnly bool `toml:"read-only" example:"true" applies:"live"`

	// Clients that can't encrypt, or don't, are refused. Those connected
	// without must connect anew.
	Encrypt bool `toml:"encrypt" example:"true" applies:"live"`

	// Who may use the share, beside the members of groups. When both are empty
	// all users may.
	Users []string `toml:"users" default:"all users" example:"[\"anna\", \"bert\"]" applies:"live"`

	// The groups of this machine whose members may use the share.
	Groups []string `toml:"groups" default:"none" example:"[\"family\"]" applies:"live"`

	// Who may use the share, but change nothing.
	ReadOnlyUsers []string `toml:"read-only-users" default:"none" example:"[\"tv\"]" applies:"live"`

	// The addresses that the share may be used from, by those whom the server lets
	// in at all.
	HostsAllow []Host `toml:"hosts-allow" default:"all" example:"[\"192.0.2.0/24\"]" applies:"live"`

	// The addresses that the share may not be used from. When there are both
	// lists, see the keys of the same names of the server.
	HostsDeny []Host `toml:"hosts-deny" default:"none" example:"[\"192.0.2.66\"]" applies:"live"`

	// What those without an account may do.
	Guest Guest `toml:"guest" default:"that of the server" example:"\"read\"" applies:"live"`

	// Names that are there for no client, in whatever folder, with * and ? as
	// wildcards: they are not listed, not found and not taken for something new
	// (which is access denied). On the disk they stay, and move with their folder.
	// To veto ._* takes from Macs what they store there.
	Veto []Pattern `toml:"veto" default:"none" example:"[\".DS_Store\", \"Thumbs.db\"]" applies:"live"`

	// Whether clients may delete a folder that holds only what veto names, with all
	// of that. Else it is not empty, although they see nothing in it.
	DeleteVetoed bool `toml:"delete-vetoed" example:"true" applies:"live"`

	// Names that have the hidden attribute whatever is stored about them, with *
	// and ? as wildcards.
	Hide []Pattern `toml:"hide" default:"none" example:"[\"desktop.ini\", \"~$*\"]" applies:"live"`

	// The name of a folder in the share's root that takes the files which clients
	// delete, as FOLDER/USER/PATH; only the account of that user may look there, and
	// clients make neither folder themselves, and move no folders there. A file
	// whose name is there already gets the time of its deletion behind it. What is
	// deleted in FOLDER is gone, as are folders, links, files that others replace,
	// and what FOLDER can't take, because the disk is full or is another one there;
	// that is a line of the log. It does not go together with inherit-owner.
	Recycle FolderName `toml:"recycle" default:"none" example:"\".recycle\"" applies:"live"`

	// After how many days what is in the folder that recycle names goes for good,
	// and a folder there that is empty then. What was changed or read there since
	// stays for as long again. It is looked for when the server starts, and then
	// once a day, in what {user} stands for only where that was used since.
	RecycleDays Days `toml:"recycle-days" default:"it stays" example:"30" applies:"live"`

	// The account of this machine that acts for all who use the share, guests as
	// well: what they make is its, and they may what it may. Who may use the share
	// at all is another question. The server must run as root.
	ForceUser string `toml:"force-user" default:"each user's own account" example:"\"media\"" applies:"live"`

	// The size that the disk seems to have at most, with no more free than that. It
	// does not stop clients who write more, but they plan with it. (As Samba's max
	// disk size.)
	MaxSize Size `toml:"max-size" default:"that of the disk" example:"\"500G\"" applies:"live"`

	// The permission bits that a new file may have, where the client names
	// none. (As the last digits of Samba's create mask.)
	CreateMask Mask `toml:"create-mask" example:"\"0640\"" applies:"live"`

	// The permission bits that a new folder may have. It has the set-group-id
	// bit of the folder it is in, with or without this.
	DirectoryMask Mask `toml:"directory-mask" example:"\"0750\"" applies:"live"`

	// The permission bits that a new file has in any case.
	ForceCreateMode Mode `toml:"force-create-mode" example:"\"0060\"" applies:"live"`

	// The permission bits that a new folder has in any case.
	ForceDirectoryMode Mode `toml:"force-directory-mode" example:"\"0070\"" applies:"live"`

	// What is new has the permission bits of the folder it is in, whatever the
	// four keys above say.
	InheritPermissions bool `toml:"inherit-permissions" example:"true" applies:"live"`

	// What is new belongs to the owner of the folder it is in. The server must
	// run as root.
	InheritOwner bool `toml:"inherit-owner" example:"true" applies:"live"`

	// Whether names that differ in case only are one.
	Case Case `toml:"case" example:"\"sensitive\"" applies:"reconnect"`

	// New names keep the case they come in; else they get default-case.
	PreserveCase bool `toml:"preserve-case" example:"false" applies:"reconnect"`

	// New names of 8.3 form that come in capitals keep them; else they get
	// default-case.
	ShortPreserveCase bool `toml:"short-preserve-case" example:"false" applies:"reconnect"`

	// The case that new names get where they do not keep their own.
	DefaultCase DefaultCase `toml:"default-case" example:"\"upper\"" applies:"reconnect"`

	// Whether composed and decomposed spellings of a letter are one, as they
	// are to a Mac; else they are two, as they are to Windows.
	Normalization bool `toml:"normalization" example:"false" applies:"reconnect"`

	// Names that DOS could not spell have a second one of 8.3 form.
	ShortNames bool `toml:"short-names" example:"true" applies:"reconnect"`

	// Origin is where the share was named, From are the origins of what is no
	// default, by key.
	Origin Origin
	From   map[string]Origin
}

// New returns a Config with the defaults, without shares.
func New() *Config {
	return &Config{Signing: SigningRequired, Discovery: true, Guest: GuestNone, From: map[string]Origin{}}
}

// NewShare returns a share with the defaults, which was named at o.
func NewShare(o Origin) Share {
	return Share{
		Browseable: true, Guest: GuestNone,
		CreateMask: 0o744, DirectoryMask: 0o755,
		Case: CaseInsensitive, PreserveCase: true, ShortPreserveCase: true, DefaultCase: DefaultLower, Normalization: true,
		Origin: o, From: map[string]Origin{},
	}
}

// inherited are the keys of the server that shares have from it.
var inherited = []string{"guest", "read-only"}

// Resolve gives each share what it has from the server. It is called when all
// is set, flags, too.
func (c *Config) Resolve() {
	for i := range c.Shares {
		h := &c.Shares[i]
		if _, own := h.From["guest"]; !own {
			h.Guest = c.Guest
			inherit(h.From, c.From, "guest")
		}
		if c.ReadOnly {
			h.ReadOnly = true
			inherit(h.From, c.From, "read-only")
		}
	}
}

func inherit(to, from map[string]Origin, key string) {
	if o, ok := from[key]; ok {
		to[key] = o
	}
}
