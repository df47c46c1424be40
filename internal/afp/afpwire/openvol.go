package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// VolumePassword protects a volume, in AFP 2. It is padded with zeros.
type VolumePassword [8]byte

// OpenVolRequest opens a volume.
type OpenVolRequest struct {
	Bitmap   VolumeBitmap // must have VolBitID
	Name     string       // as GetSrvrParms has it
	Password VolumePassword
}

// Decode reads the message. Clients leave out the password of a volume that has
// none.
func (m *OpenVolRequest) Decode(r *cursor.Reader) {
	begin(r, OpenVol)
	r.U8() // Pad
	*m = OpenVolRequest{Bitmap: VolumeBitmap(r.BE16())}
	m.Name = readPascal(r)
	r.Align(2)
	if r.Len() >= len(m.Password) {
		r.Copy(m.Password[:])
	}
}

// Encode writes the message.
func (m *OpenVolRequest) Encode(w *cursor.Writer) {
	padded(w, OpenVol)
	w.BE16(uint16(m.Bitmap))
	writePascal(w, m.Name)
	w.Align(2)
	if m.Password != (VolumePassword{}) {
		w.Bytes(m.Password[:])
	}
}

// VolParmsReply answers OpenVol and GetVolParms.
type VolParmsReply struct {
	Bitmap VolumeBitmap
	Parms  VolumeParms
}

// Decode reads the reply block.
func (m *VolParmsReply) Decode(r *cursor.Reader) {
	m.Bitmap = VolumeBitmap(r.BE16())
	m.Parms.Decode(r, m.Bitmap)
}

// Encode writes the reply block.
func (m *VolParmsReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	m.Parms.Encode(w, m.Bitmap)
}

// CloseVolRequest closes a volume.
type CloseVolRequest struct {
	Volume VolumeID
}

// Decode reads the message.
func (m *CloseVolRequest) Decode(r *cursor.Reader) {
	begin(r, CloseVol)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
}

// Encode writes the message.
func (m *CloseVolRequest) Encode(w *cursor.Writer) {
	padded(w, CloseVol)
	w.BE16(uint16(m.Volume))
}

// GetVolParmsRequest asks for the parameters of an open volume.
type GetVolParmsRequest struct {
	Volume VolumeID
	Bitmap VolumeBitmap
}

// Decode reads the message.
func (m *GetVolParmsRequest) Decode(r *cursor.Reader) {
	begin(r, GetVolParms)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Bitmap = VolumeBitmap(r.BE16())
}

// Encode writes the message.
func (m *GetVolParmsRequest) Encode(w *cursor.Writer) {
	padded(w, GetVolParms)
	w.BE16(uint16(m.Volume))
	w.BE16(uint16(m.Bitmap))
}

// SetVolParmsRequest changes the date of a volume's backup.
type SetVolParmsRequest struct {
	Volume   VolumeID
	Bitmap   VolumeBitmap // VolBitBackedUp, or the server refuses
	BackedUp Date
}

// Decode reads the message.
func (m *SetVolParmsRequest) Decode(r *cursor.Reader) {
	begin(r, SetVolParms)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Bitmap = VolumeBitmap(r.BE16())
	m.BackedUp = 0
	if m.Bitmap == VolBitBackedUp {
		m.BackedUp = Date(r.BE32())
	}
}

// Encode writes the message.
func (m *SetVolParmsRequest) Encode(w *cursor.Writer) {
	padded(w, SetVolParms)
	w.BE16(uint16(m.Volume))
	w.BE16(uint16(m.Bitmap))
	if m.Bitmap == VolBitBackedUp {
		w.BE32(uint32(m.BackedUp))
	}
}

// FlushRequest asks that what was changed on a volume reach its disk.
type FlushRequest struct {
	Volume VolumeID
}

// Decode reads the message.
func (m *FlushRequest) Decode(r *cursor.Reader) {
	begin(r, Flush)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
}

// Encode writes the message.
func (m *FlushRequest) Encode(w *cursor.Writer) {
	padded(w, Flush)
	w.BE16(uint16(m.Volume))
}
