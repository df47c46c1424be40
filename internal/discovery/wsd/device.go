package wsd

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// types is what a computer with shares is.
const types = "wsdp:Device pub:Computer"

// Device is what clients are told.
type Device struct {
	ID        [16]byte // the same as long as it is the same server
	Name      string   // of the host: Explorer opens \\Name
	Workgroup string
	Version   string // of the program
}

// Path is where metadata is asked for by HTTP.
func (d *Device) Path() string { return "/" + d.uuid() }

// uuid is the id in the form of RFC 9562, as one that is made in its owner's
// own way.
func (d *Device) uuid() string {
	id := d.ID
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return uuid(id)
}

func uuid(id [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func (d *Device) urn() string { return "urn:uuid:" + d.uuid() }

// matches says whether a probe means this device. It is in no scope.
func (d *Device) matches(r *request) bool {
	if r.scopes != "" {
		return false
	}
	for _, t := range r.types {
		if t != (xml.Name{Space: nsWSDP, Local: "Device"}) && t != (xml.Name{Space: nsPub, Local: "Computer"}) {
			return false
		}
	}
	return true
}

// Get answers a request for metadata ([MS-WSDD], WS-Transfer), the body of a
// POST to Path. messageID names the answer.
func (d *Device) Get(packet []byte, messageID [16]byte) ([]byte, error) {
	r, err := parse(packet)
	if err != nil {
		return nil, err
	}
	if r.action != "Get" || !strings.EqualFold(r.to, d.urn()) {
		return nil, errMessage
	}
	self := endpoint{d.urn()}
	return marshal(header{To: toCaller, Action: nsGet + "/GetResponse", ID: "urn:uuid:" + uuid(messageID), Relates: r.id},
		body{Metadata: &metadata{Mex: nsMex, PnpX: nsPnpX, Sections: []section{
			{Dialect: nsWSDP + "/ThisDevice", Device: &thisDevice{Name: d.Name, Firmware: d.Version}},
			{Dialect: nsWSDP + "/ThisModel", Model: &thisModel{Manufacturer: "dozo", Name: "dozo", Category: "Computers"}},
			{Dialect: nsWSDP + "/Relationship", Relation: &relationship{Type: nsWSDP + "/host", Host: host{
				Endpoint: self, Types: "pub:Computer", Service: self.Address, Computer: d.Name + "/Workgroup:" + d.Workgroup}}},
		}}}), nil
}
