package ingest

import "math/bits"

// exchangesAPage is of how many packet identifiers a page of exchanges is.
const exchangesAPage = 1024

// exchanges are the QoS 2 messages of a connection that its client has not released
// yet. MQTT 3.1.1 lets it hold 65,535 of them, and one that holds many must not be
// waited for: what would release them lies behind those that it sends. So each takes two
// bits, and all 20 KiB.
type exchanges struct {
	pages map[uint16]*exchangePage // those that are not empty, and the last one
	count int
}

type exchangePage struct{ known, answered [exchangesAPage / 64]uint64 }

func (x *exchanges) of(id uint16) (page *exchangePage, word int, bit uint64) {
	return x.pages[id/exchangesAPage], int(id % exchangesAPage / 64), 1 << (id % 64)
}

// get tells whether a message came and is not released, and whether it was answered.
func (x *exchanges) get(id uint16) (answered, known bool) {
	page, word, bit := x.of(id)
	if page == nil {
		return false, false
	}
	return page.answered[word]&bit != 0, page.known[word]&bit != 0
}

// begin notes a message that is not known.
func (x *exchanges) begin(id uint16) {
	page, word, bit := x.of(id)
	if page == nil {
		if page = new(exchangePage); x.pages == nil {
			x.pages = map[uint16]*exchangePage{}
		}
		x.pages[id/exchangesAPage] = page
	}
	page.known[word] |= bit
	x.count++
}

// answer notes that a known message was answered.
func (x *exchanges) answer(id uint16) {
	if page, word, bit := x.of(id); page != nil {
		page.answered[word] |= bit
	}
}

// end forgets a known message.
func (x *exchanges) end(id uint16) {
	page, word, bit := x.of(id)
	if page == nil {
		return
	}
	x.count -= bits.OnesCount64(page.known[word] & bit)
	page.known[word] &^= bit
	page.answered[word] &^= bit
	if len(x.pages) > 1 && page.known == (exchangePage{}).known {
		delete(x.pages, id/exchangesAPage)
	}
}
