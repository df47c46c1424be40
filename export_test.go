package dozo

// FolderOf is the folder of a user's own share.
func FolderOf(o *Share, user string) (string, error) { return o.folderOf(user) }
