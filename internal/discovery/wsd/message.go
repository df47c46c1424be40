package wsd

import (
	"encoding/xml"
)

// The messages that are sent. Their elements have fixed prefixes, which the
// envelope declares.

const (
	toAll    = "urn:schemas-xmlsoap-org:ws:2005:04:discovery"
	toCaller = nsWSA + "/role/anonymous"
)

// envelope is a SOAP message.
type envelope struct {
	XMLName xml.Name `xml:"soap:Envelope"`
	SOAP    string   `xml:"xmlns:soap,attr"`
	WSA     string   `xml:"xmlns:wsa,attr"`
	WSD     string   `xml:"xmlns:wsd,attr"`
	WSDP    string   `xml:"xmlns:wsdp,attr"`
	Pub     string   `xml:"xmlns:pub,attr"`
	Header  header   `xml:"soap:Header"`
	Body    body     `xml:"soap:Body"`
}

type header struct {
	To       string    `xml:"wsa:To"`
	Action   string    `xml:"wsa:Action"`
	ID       string    `xml:"wsa:MessageID"`
	Relates  string    `xml:"wsa:RelatesTo,omitempty"`
	Sequence *sequence `xml:"wsd:AppSequence"`
}

// sequence orders the messages of one device.
type sequence struct {
	Instance uint64 `xml:"InstanceId,attr"` // rises with each start
	Number   uint64 `xml:"MessageNumber,attr"`
}

// body is one of these.
type body struct {
	Hello    *target  `xml:"wsd:Hello"`
	Bye      *target  `xml:"wsd:Bye"`
	Probe    *matches `xml:"wsd:ProbeMatches"`
	Resolve  *matches `xml:"wsd:ResolveMatches"`
	Metadata *metadata
}

type matches struct {
	Probe   *target `xml:"wsd:ProbeMatch"`
	Resolve *target `xml:"wsd:ResolveMatch"`
}

// target is a device and where to ask for more about it.
type target struct {
	Endpoint  endpoint `xml:"wsa:EndpointReference"`
	Types     string   `xml:"wsd:Types,omitempty"`
	Addresses string   `xml:"wsd:XAddrs,omitempty"`
	Version   int      `xml:"wsd:MetadataVersion,omitempty"`
}

type endpoint struct {
	Address string `xml:"wsa:Address"`
}

// metadata says what the device is (Devices Profile for Web Services, section 5).
type metadata struct {
	XMLName  xml.Name  `xml:"mex:Metadata"`
	Mex      string    `xml:"xmlns:mex,attr"`
	PnpX     string    `xml:"xmlns:pnpx,attr"`
	Sections []section `xml:"mex:MetadataSection"`
}

type section struct {
	Dialect  string `xml:"Dialect,attr"`
	Device   *thisDevice
	Model    *thisModel
	Relation *relationship
}

type thisDevice struct {
	XMLName  xml.Name `xml:"wsdp:ThisDevice"`
	Name     string   `xml:"wsdp:FriendlyName"`
	Firmware string   `xml:"wsdp:FirmwareVersion"`
}

type thisModel struct {
	XMLName      xml.Name `xml:"wsdp:ThisModel"`
	Manufacturer string   `xml:"wsdp:Manufacturer"`
	Name         string   `xml:"wsdp:ModelName"`
	Category     string   `xml:"pnpx:DeviceCategory"`
}

type relationship struct {
	XMLName xml.Name `xml:"wsdp:Relationship"`
	Type    string   `xml:"Type,attr"`
	Host    host     `xml:"wsdp:Host"`
}

type host struct {
	Endpoint endpoint `xml:"wsa:EndpointReference"`
	Types    string   `xml:"wsdp:Types"`
	Service  string   `xml:"wsdp:ServiceId"`
	Computer string   `xml:"pub:Computer"`
}

// marshal writes a message.
func marshal(h header, b body) []byte {
	packet, err := xml.Marshal(envelope{SOAP: nsSOAP, WSA: nsWSA, WSD: nsWSD, WSDP: nsWSDP, Pub: nsPub, Header: h, Body: b})
	if err != nil {
		panic("wsd: messages are made of strings and numbers: " + err.Error())
	}
	return append([]byte(xml.Header), packet...)
}
