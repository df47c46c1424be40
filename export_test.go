package dozo

// FolderOf is the folder of a user's own share, and what its path really is.
func FolderOf(o *Share, user string) (path, real string, err error) { return o.folderOf(user) }
