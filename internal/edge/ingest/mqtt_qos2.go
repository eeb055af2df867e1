package ingest

import "math/bits"

// idsPerPage is the number of packet identifiers in a page.
const idsPerPage = 1024

// qos2Messages are the QoS 2 messages of a connection that its client has not released yet. MQTT
// 3.1.1 allows a client 65,535 of them, and the server must keep reading from a client that has
// many: the PUBREL packets that release them come after the messages. So each message takes two
// bits, and all together 20 KiB.
type qos2Messages struct {
	pages map[uint16]*qos2Page // pages that are not empty, and the last one
	count int
}

type qos2Page struct{ known, answered [idsPerPage / 64]uint64 }

func (x *qos2Messages) locate(id uint16) (page *qos2Page, word int, bit uint64) {
	return x.pages[id/idsPerPage], int(id % idsPerPage / 64), 1 << (id % 64)
}

// get tells whether a message is known, that is, received and not released, and whether it was
// answered.
func (x *qos2Messages) get(id uint16) (answered, known bool) {
	page, word, bit := x.locate(id)
	if page == nil {
		return false, false
	}
	return page.answered[word]&bit != 0, page.known[word]&bit != 0
}

// begin notes a new message.
func (x *qos2Messages) begin(id uint16) {
	page, word, bit := x.locate(id)
	if page == nil {
		if page = new(qos2Page); x.pages == nil {
			x.pages = map[uint16]*qos2Page{}
		}
		x.pages[id/idsPerPage] = page
	}
	page.known[word] |= bit
	x.count++
}

// answer notes that a known message was answered.
func (x *qos2Messages) answer(id uint16) {
	if page, word, bit := x.locate(id); page != nil {
		page.answered[word] |= bit
	}
}

// end forgets a message.
func (x *qos2Messages) end(id uint16) {
	page, word, bit := x.locate(id)
	if page == nil {
		return
	}
	x.count -= bits.OnesCount64(page.known[word] & bit)
	page.known[word] &^= bit
	page.answered[word] &^= bit
	if len(x.pages) > 1 && page.known == (qos2Page{}).known {
		delete(x.pages, id/idsPerPage)
	}
}
