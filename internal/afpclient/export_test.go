package afpclient

// CloseConn closes the connection of a fork.
func (f *Fork) CloseConn() { f.conn.Close() }

// NextID sets the id of the next request.
func (v *Volume) NextID(id uint16) {
	v.conn.mu.Lock()
	defer v.conn.mu.Unlock()
	v.conn.nextID = id
}
