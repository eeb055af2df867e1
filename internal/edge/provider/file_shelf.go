package provider

import "github.com/goccy/go-yaml/ast"

// fileShelfItem is a device that waits for an owner to claim it.
type fileShelfItem struct {
	at                          filePos
	deviceName, serial, product field[string]
	claimCode                   field[string]
	devEUI, ownerToken          field[string] // of a LoRaWAN label
	secret                      field[string] // that the box has already
	tenant                      field[string] // the only one that may claim it
}

// fileSelfService is what the owners of a tenant may do with devices by themselves.
type fileSelfService struct {
	given    bool
	at       filePos
	devices  field[int]
	products field[[]field[string]]
	claims   field[bool]
}

func (f *fileErrors) shelfItem(n ast.Node, at filePos) fileShelfItem {
	i := fileShelfItem{at: at}
	f.mapping(n, at, map[string]nodeReader{
		"deviceName": f.trimmed(&i.deviceName), "serial": f.trimmed(&i.serial), "product": f.trimmed(&i.product),
		"claimCode": f.text(&i.claimCode), "devEui": f.text(&i.devEUI), "ownerToken": f.text(&i.ownerToken),
		"secret": f.text(&i.secret), "tenant": f.trimmed(&i.tenant),
	})
	return i
}
