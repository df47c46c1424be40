package smbclient

import (
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// writeDataOffset is where the data of a WRITE stands, counted from its
// header.
const writeDataOffset = smbwire.HeaderSize + 48

// Block is memory for the data of a READ or WRITE, which goes between it and
// the wire without being copied.
type Block struct {
	Data  []byte
	frame *buffer
}

// NewBlock returns a block of n bytes of any content.
func NewBlock(n int) *Block {
	frame := newBuffer(headRoom + writeDataOffset + n + smbcrypt.TagSize)
	const at = headRoom + writeDataOffset
	return &Block{frame.all[at : at+n], frame}
}

// Free gives the memory back. Nothing may hold on to Data.
func (b *Block) Free() {
	b.frame.free()
	b.Data, b.frame = nil, nil
}
